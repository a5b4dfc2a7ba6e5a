// What all of these tests share: one browser, pages that keep what went wrong in them, and axe-core.
//
// LAB_CLI: the command `lab`; LAB_SOURCE: the repository; LAB_DOCS: the site's folder; LAB_CHROMIUM: the browser;
// LAB_SCREENSHOTS: a folder for pictures of what the tests see, if there should be any.

import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {chromium} from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// What axe-core finds serious and cannot be mended here, each with its reason: {rule, selector, reason}.
const EXCEPTIONS = [];

// Errors that a page may have, each with its reason.
export const TOLERATED = {
  // What Doxygen 1.9.4 finds is shown in a frame, and a click there closes it. From files, each of which is a world of its
  // own to a browser, it cannot: the link is followed all the same.
  searchInFrame: ["Failed to read a named property 'searchBox'"],
};

export const {LAB_CLI, LAB_SOURCE, LAB_DOCS, LAB_SCREENSHOTS} = process.env;

/// A folder of its own for a file of tests, and the browser.
export async function begin() {
  const folder = mkdtempSync(join(tmpdir(), 'lab-browser-'));
  const browser = await chromium.launch({executablePath: process.env.LAB_CHROMIUM, timeout: 120000});
  if (LAB_SCREENSHOTS) mkdirSync(LAB_SCREENSHOTS, {recursive: true});
  return {
    folder,
    browser,
    end: async () => {
      await browser.close();
      rmSync(folder, {recursive: true, force: true});
    },
  };
}

/// Runs the command `lab`, which is to write the page, in a folder. It ends as the program does that it runs, so its exit code
/// says nothing here.
export async function draw(folder, name, ...commandLine) {
  const options = {cwd: folder, env: {...process.env, LAB_STATE: join(folder, 'state'), NO_COLOR: '1'}};
  const said = await promisify(execFile)(LAB_CLI, commandLine, options).then(({stderr}) => stderr, error => error.message);
  assert.ok(existsSync(join(folder, name)), `${commandLine.join(' ')}: ${said}`);
}

/// Calls `act` with each of the values, two at a time.
export async function eachOf(values, act) {
  const left = [...values];
  const work = async () => { while (left.length > 0) await act(left.shift()); };
  await Promise.all([work(), work()]);
}

/// `act` with a page; it fails where the page said an error or asked for anything that is not a file. Where there is `served`,
/// it gives what an address has: '' for nothing, and undefined for what nobody may ask for.
export async function visit(browser, url, {scheme = 'light', width = 1280, height = 900, tolerated = [], served} = {}, act) {
  const context = await browser.newContext({colorScheme: scheme, viewport: {width, height}});
  context.setDefaultTimeout(60000);  // of no importance where all is well, on a busy machine either
  const page = await context.newPage(), wrong = [];
  page.on('console', message => { if (message.type() === 'error') wrong.push(`console: ${message.text()}`); });
  page.on('pageerror', error => { if (!tolerated.some(text => error.message.includes(text))) wrong.push(`error: ${error.message}`); });
  page.on('dialog', dialog => { wrong.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  const refuse = address => { wrong.push(`network: ${address}`); };
  page.on('request', request => { if (!served && !/^(file|data|about|blob|javascript):/.test(request.url())) refuse(request.url()); });
  if (served) await page.route(/^https?:/, route => answer(route, served, refuse));
  try {
    await page.goto(url);
    await act(page);
    assert.deepEqual(wrong, [], url);
  } finally {
    await context.close();
  }
}

const TYPES = {html: 'text/html', js: 'text/javascript', css: 'text/css', wasm: 'application/wasm', json: 'application/json'};
function answer(route, served, refuse) {
  const address = route.request().url(), body = served(address);
  if (body === undefined) {
    refuse(address);
    return route.abort();
  }
  const headers = {'Content-Length': String(Buffer.byteLength(body))}, contentType = TYPES[address.split('.').pop()];
  return route.fulfill(body.length > 0 ? {body, headers, contentType} : {status: 204});
}

export async function screenshot(page, name) {
  if (LAB_SCREENSHOTS) await page.screenshot({path: join(LAB_SCREENSHOTS, `${name}.png`)});
}

export async function assertAccessible(page, where) {
  await page.evaluate(AXE);
  // preload would fetch style sheets, which a page from a file may not
  const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations'], preload: false}));
  const excepted = (rule, selector) => EXCEPTIONS.some(exception => exception.rule === rule && exception.selector === selector);
  const found = violations.filter(({impact}) => impact === 'serious' || impact === 'critical').flatMap(({id, nodes}) => nodes
    .filter(node => !excepted(id, node.target.join(' ')))
    .map(node => `${id}: ${node.target.join(' ')}: ${node.any.concat(node.all, node.none).map(check => check.message).join('; ')}`));
  assert.deepEqual(found, [], where);
}

/// The page never scrolls sideways; what is too wide in it scrolls by itself.
export async function assertFits(page, where) {
  const [needed, there] = await page.evaluate(() => [document.scrollingElement.scrollWidth, innerWidth]);
  assert.ok(needed <= there, `${where} is ${needed} pixels wide on ${there}`);
}
