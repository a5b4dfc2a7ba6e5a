// The documentation site, as the target `docs` makes it.

import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {assertAccessible, assertFits, begin, LAB_DOCS, screenshot, TOLERATED, visit} from './support.mjs';

const PAGES = {
  landing: 'index.html',
  concept: 'concepts_waits.html',
  graphs: 'choosing_a_wait.html',
  lab: 'lab_02_stream_waits.html',
  reference: 'classlab_1_1stream.html',
  header: 'stream_8hpp.html',
  glossary: 'glossary.html',
  sample: 'sample_who_waits.html',
  warning: 'solution_01_timing_pitfalls_warning.html',
  solution: 'solution_01_timing_pitfalls.html',
};
const url = page => pathToFileURL(join(LAB_DOCS, page)).href;

let session;
before(async () => { session = await begin(); });
after(() => session.end());
const see = (page, options, act) => visit(session.browser, url(page), options, act);

for (const [name, page] of Object.entries(PAGES)) {
  for (const scheme of ['light', 'dark']) {
    test(`${name}: no error, no network, accessible, and as narrow as a telephone, ${scheme}`, () => see(page, {scheme}, async tab => {
      await tab.locator('doxygen-awesome-dark-mode-toggle[role=button]').waitFor();
      await tab.locator('#nav-tree-contents ul li').first().waitFor();
      await assertAccessible(tab, `${page}, ${scheme}`);
      await screenshot(tab, `site-${name}-${scheme}`);
      await tab.setViewportSize({width: 390, height: 800});
      await tab.evaluate(() => new Promise(requestAnimationFrame));
      await assertFits(tab, page);
      if (scheme === 'light') await screenshot(tab, `site-${name}-narrow`);
    }));
  }
}

test('every page is as narrow as a telephone', async () => {
  const pages = readdirSync(LAB_DOCS).filter(name => /^(concepts_|lab_|sample|choosing|implicit|learning|for_instr|check_|adding|design|judging)\w*\.html$/.test(name));
  assert.ok(pages.length > 20, 'the site has its pages');
  await see('index.html', {width: 390, height: 800}, async tab => {
    for (const page of pages) {
      await tab.goto(url(page));
      await assertFits(tab, page);
    }
  });
});

test('the search finds a term, and what it found leads there', () => see('index.html', {tolerated: TOLERATED.searchInFrame}, async tab => {
  await tab.locator('#MSearchField').click();
  await tab.keyboard.type('hazard');
  const found = tab.frameLocator('#MSearchResults').locator('a.SRSymbol', {hasText: /^Hazards/});
  await found.first().waitFor();
  await screenshot(tab, 'site-search');
  await found.first().click();
  const target = tab.frameLocator('#MSearchResults').locator('.SRChildren a', {hasText: 'Hazards'});
  if (!tab.url().includes('hazards')) await target.first().click();
  await tab.waitForURL(/concepts_hazards|glossary/);
}));

test('light and dark follow the system, and the switch turns them with mouse and keyboard', () => see('concepts_streams.html', {scheme: 'dark'}, async tab => {
  const dark = () => tab.evaluate(() => {
    const [red] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
    return red < 128;
  });
  const toggle = tab.getByRole('button', {name: 'Toggle Light/Dark Mode'});
  await toggle.waitFor();
  assert.equal(await dark(), true);
  await toggle.click();
  assert.equal(await dark(), false);
  await toggle.focus();
  await tab.keyboard.press('Enter');
  assert.equal(await dark(), true);
  await tab.keyboard.press('Space');
  assert.equal(await dark(), false);
  await tab.reload();
  await toggle.waitFor();
  assert.equal(await dark(), false, 'it is remembered');
}));

test('the menu and the links lead on', () => see('index.html', {}, async tab => {
  await tab.locator('.contents').getByRole('link', {name: 'Waits', exact: true}).click();
  await tab.waitForURL(/concepts_waits\.html/);
  assert.match(await tab.title(), /Waits/);
  await tab.locator('#nav-tree a', {hasText: /^Labs$/}).first().click();
  await tab.locator('#nav-tree a', {hasText: '03 Event reuse'}).first().click();
  await tab.waitForURL(/lab_03_event_reuse\.html/);
}));

test('a solution stands behind a warning that leads back, and on', () => see(PAGES.warning, {}, async tab => {
  const text = await tab.locator('.contents').innerText();
  assert.match(text, /Warning/);
  assert.doesNotMatch(text, /cudaEventRecord/);
  await tab.locator('.contents').getByRole('link', {name: 'show the solution'}).click();
  await tab.waitForURL(/solution_01_timing_pitfalls\.html/);
  assert.match(await tab.locator('.contents').innerText(), /cudaEventRecord|record\(/);
  await tab.goBack();
  await tab.locator('.contents').getByRole('link', {name: /back to the handout/}).click();
  await tab.waitForURL(/lab_01_timing_pitfalls\.html/);
}));
