// The buttons, keys and lists around the drawing.

const PATTERNS = document.getElementById('patterns').textContent;
const byId = id => document.getElementById(id);
const chart = byId('chart'), details = byId('details');
const record = JSON.parse(byId('record').textContent);
const runs = record.runs.map(prepared);
for (const run of runs) run.gapEnds = Float64Array.from(run.gaps, gap => gap[1]);

const shown = {run: 0, item: null, found: null};
const fitted = () => {
  const length = Math.max(...runs.map(run => run.focus[1] - run.focus[0]));
  return {from: -0.015 * length, to: 1.03 * length};
};
const whole = () => ({
  from: Math.min(...runs.map(run => run.whole[0] - run.focus[0])),
  to: Math.max(...runs.map(run => run.whole[1] - run.focus[0])) || 1,
});
let view = fitted();

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// ---------------------------------------------------------------------------------------------- the picture

/// Of the legend what occurs in the runs.
function fillLegend() {
  const there = new Set();
  for (const run of runs) {
    for (let i = 0; i < run.count; ++i) {
      there.add(run.items.kind[i] === PAUSE ? 'blocked' : run.styleOf(i));
      if (run.items.flags[i] & FAILED) there.add('failed');
      if (run.text('where', i) === '') there.add('theirs');
    }
    if (run.arrows.length > 0) there.add('arrow');
    if (run.brackets.length > 0) there.add('bracket');
    if (run.hazards.length > 0) there.add('missing');
    if (run.gaps.length > 0) there.add('gap');
  }
  for (const entry of byId('legend').children) {
    if (entry.dataset.kind !== 'many') entry.hidden = !there.has(entry.dataset.kind);  // that depends on the view
  }
}

let pending = false;
function draw() {
  const width = Math.max(320, chart.clientWidth), drawing = new Drawing(runs, view, width, shown);
  chart.innerHTML = drawing.toString();
  byId('legend').querySelector('[data-kind=many]').hidden = !drawing.hasMany;
  Object.assign(chart.dataset, {marks: drawing.marks, inView: drawing.inView, from: view.from, to: view.to});
}
function redraw() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => { pending = false; draw(); });
}

function show(from, to) {
  const all = whole(), shortest = 20, longest = 1.2 * (Math.max(all.to, fitted().to) - Math.min(all.from, 0));
  const length = Math.min(Math.max(to - from, shortest), longest), middle = (from + to) / 2;
  const kept = Math.min(Math.max(middle, all.from), Math.max(all.to, fitted().to));
  view = {from: kept - length / 2, to: kept + length / 2};
  redraw();
}
function zoom(factor, at = (view.from + view.to) / 2) {
  show(at - (at - view.from) * factor, at + (view.to - at) * factor);
}
function pan(share) {
  const length = view.to - view.from;
  show(view.from + share * length, view.to + share * length);
}
function timeAt(clientX) {
  const box = chart.getBoundingClientRect(), left = box.width < 620 ? 124 : 150;
  return view.from + (view.to - view.from) * (clientX - box.left - left) / (box.width - left - 14);
}

// ---------------------------------------------------------------------------------------------- what a mark is

function placeOf(run, i) {
  const where = run.text('where', i);
  return where === '' ? 'not in your file' : where;
}
function describe(number, i, count = 1) {
  const run = runs[number], {begin, end, lane, cause} = run.items, from = begin[i] - run.focus[0];
  const lines = [];
  if (count > 1) lines.push(`${count} marks on the same pixels; zoom in to see each. The first of them:`);
  lines.push(`${run.text('name', i)}, in ${run.lanes[lane[i]].name}: from ${durationText(from)}, for ${durationText(end[i] - begin[i])}${run.items.flags[i] & OPEN ? ', and had not ended' : ''} (${placeOf(run, i)})`);
  const detail = run.text('detail', i);
  if (detail !== '') lines.push(detail);
  if (cause[i] >= 0 && run.items.kind[i] !== BLOCKED)
    lines.push(`submitted by ${run.text('name', cause[i])} at ${durationText(begin[cause[i]] - run.focus[0])}`);
  run.hazards.forEach((hazard, h) => {
    if (hazard.first === i || hazard.second === i) lines.push(`!${h + 1} ${hazard.what}: ${hazard.text}`);
  });
  return (runs.length > 1 ? run.title + ': ' : '') + lines.join('\n');
}
function describeBracket(run, b) {
  const bracket = run.brackets[b];
  return `${bracket.label}${bracket.where ? ` (${bracket.where})` : ''}: from ${durationText(bracket.begin - run.focus[0])} to ${durationText(bracket.end - run.focus[0])}\n${bracket.inside}`;
}
function tell(text) { if (details.textContent !== text) details.textContent = text; }

function select(number, i, bringIntoView = true) {
  Object.assign(shown, {run: number, item: i});
  if (i === null) return redraw();
  tell(describe(number, i));
  const run = runs[number], from = run.items.begin[i] - run.focus[0], to = run.items.end[i] - run.focus[0];
  if (bringIntoView && (to < view.from || from > view.to || to - from < (view.to - view.from) / 400)) {
    const length = Math.max((to - from) * 8, Math.min(view.to - view.from, (to - from) * 100 || view.to - view.from));
    show((from + to - length) / 2, (from + to + length) / 2);
  } else {
    redraw();
  }
}

function step(by) {
  const run = runs[shown.run];
  if (run.count === 0) return;
  if (shown.item === null) return changeLane(1);
  const row = run.rows[run.items.lane[shown.item]], at = row.indexOf(shown.item) + by;
  if (at >= 0 && at < row.length) select(shown.run, row[at]);
}
/// To the next lane, of this run or of the one beyond it, that has something in view.
function changeLane(by) {
  let number = shown.run, l = shown.item === null ? -1 : runs[number].items.lane[shown.item];
  if (shown.item === null && by < 0) return;
  for (;;) {
    l += by;
    if (runs[number].lanes[l] === undefined) {
      number += by;
      if (runs[number] === undefined) return;
      l = by > 0 ? 0 : runs[number].lanes.length - 1;
    }
    const run = runs[number], row = run.rows[l], at = lowerBound(run.reach[l], run.focus[0] + view.from);
    if (run.lanes[l].kind === 'engine' || at >= row.length || run.items.begin[row[at]] > run.focus[0] + view.to) continue;
    return select(number, row[at], false);
  }
}

chart.addEventListener('pointermove', event => {
  const hit = event.target.closest('.hit');
  if (hit === null || dragging !== null) return;
  const {run, item, count, bracket, hazard} = hit.dataset;
  if (item !== undefined) tell(describe(Number(run), Number(item), Number(count)));
  if (bracket !== undefined) tell(describeBracket(runs[run], bracket));
  if (hazard !== undefined) tell(`!${Number(hazard) + 1} ${runs[run].hazards[hazard].what}: ${runs[run].hazards[hazard].text}`);
});

let dragging = null;
chart.addEventListener('pointerdown', event => {
  if (event.button === 0) dragging = {x: event.clientX, view, moved: false, hit: event.target.closest('[data-item]')};
});
window.addEventListener('pointermove', event => {
  if (dragging === null) return;
  const by = event.clientX - dragging.x;
  if (Math.abs(by) < 4 && !dragging.moved) return;
  dragging.moved = true;
  const perPixel = (dragging.view.to - dragging.view.from) / (chart.clientWidth - 164);
  show(dragging.view.from - by * perPixel, dragging.view.to - by * perPixel);
});
window.addEventListener('pointerup', () => {
  if (dragging === null) return;
  const {moved, hit} = dragging;
  dragging = null;
  if (!moved && hit !== null) select(Number(hit.dataset.run), Number(hit.dataset.item), false);
});
chart.addEventListener('wheel', event => {
  event.preventDefault();
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return pan((event.deltaX || event.deltaY) / 800);
  zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) / 400), timeAt(event.clientX));
}, {passive: false});

const keys = {
  '+': () => zoom(0.6), '=': () => zoom(0.6), '-': () => zoom(1 / 0.6), '0': () => { view = fitted(); redraw(); },
  'a': () => { view = whole(); redraw(); }, 'n': () => step(1), 'p': () => step(-1),
  'ArrowLeft': () => pan(-0.15), 'ArrowRight': () => pan(0.15), 'ArrowUp': () => changeLane(-1), 'ArrowDown': () => changeLane(1),
  'Escape': () => select(shown.run, null), '/': () => byId('search').focus(),
};
chart.addEventListener('keydown', event => {
  const act = keys[event.key];
  if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
});
byId('zoom-in').addEventListener('click', keys['+']);
byId('zoom-out').addEventListener('click', keys['-']);
byId('fit').addEventListener('click', keys['0']);
byId('all').addEventListener('click', keys['a']);
new ResizeObserver(redraw).observe(chart);

// ---------------------------------------------------------------------------------------------- light and dark

const darkStyle = byId('dark-style'), theme = byId('theme'), prefersDark = matchMedia('(prefers-color-scheme: dark)');
function setTheme(dark) {
  darkStyle.media = dark ? 'all' : 'not all';
  theme.setAttribute('aria-pressed', String(dark));
}
theme.setAttribute('aria-pressed', String(prefersDark.matches));
theme.addEventListener('click', () => setTheme(theme.getAttribute('aria-pressed') !== 'true'));
prefersDark.addEventListener('change', change => setTheme(change.matches));

// ---------------------------------------------------------------------------------------------- lists

function fillLists() {
  const lists = {notices: byId('notices'), hazards: byId('hazards').querySelector('ol'), measured: byId('measured').querySelector('ol'), totals: byId('totals').querySelector('div')};
  runs.forEach((run, number) => {
    const named = runs.length > 1 ? run.title + ': ' : '';
    const again = runs.slice(0, number).some(other => other.device === run.device);
    if (run.device !== '' && !again) lists.notices.append(element('p', `${run.device}${run.emulated ? ': the times are those of a model of the GPU, not of this machine' : ''}. Times count from the first thing that your file does.`, {class: 'device', 'data-device': run.device}));
    if (run.caption !== '') lists.notices.append(element('p', named + run.caption, {class: 'caption'}));
    const atOnce = 2, more = element('details');  // the picture should not be pushed out of sight
    more.append(element('summary', `and ${run.notices.length - atOnce} more`));
    run.notices.forEach((notice, n) => (n < atOnce ? lists.notices : more).append(element('p', named + notice, {class: 'notice-box'})));
    if (run.notices.length > atOnce) lists.notices.append(more);
    run.hazards.forEach((hazard, h) => {
      const entry = element('li'), button = element('button', `Show !${h + 1}`, {type: 'button'});
      button.addEventListener('click', () => showStretch(run, [hazard.first, hazard.second]));
      entry.append(button, `${named}${hazard.what}: ${hazard.text}`);
      lists.hazards.append(entry);
    });
    const most = 200;
    run.brackets.slice(0, most).forEach((bracket, b) => {
      const entry = element('li'), button = element('button', 'Show', {type: 'button', 'aria-label': `Show ${bracket.label} ${bracket.where}`});
      button.addEventListener('click', () => {
        const length = Math.max(bracket.end - bracket.begin, 100);
        show(bracket.begin - run.focus[0] - length / 4, bracket.begin - run.focus[0] + length * 1.25);
        tell(describeBracket(run, b));
      });
      entry.append(button, `${named}${bracket.label}${bracket.where ? ` (${bracket.where})` : ''}, ${bracket.inside}`);
      lists.measured.append(entry);
    });
    if (run.brackets.length > most) lists.measured.append(element('li', `and ${run.brackets.length - most} more`));
    const totals = element('table', undefined, {'data-run': number}), body = element('tbody');
    totals.append(element('caption', run.title));
    for (const [name, value] of run.totals) {
      const row = element('tr');
      row.append(element('th', name, {scope: 'row'}), element('td', value));
      body.append(row);
    }
    totals.append(body);
    if (run.totals.length > 0) lists.totals.append(totals);
  });
  byId('hazards').hidden = lists.hazards.children.length === 0;
  byId('measured').hidden = lists.measured.children.length === 0;
  byId('totals').hidden = lists.totals.children.length === 0;
  byId('rule').textContent = record.rule;
}
function showStretch(run, items) {
  const from = Math.min(...items.map(i => run.items.begin[i])) - run.focus[0], to = Math.max(...items.map(i => run.items.end[i])) - run.focus[0];
  const around = Math.max((to - from) * 0.2, 500);
  show(from - around, to + around);
}

// ---------------------------------------------------------------------------------------------- the table and search

const rowsShown = 300;
let order = null, listed = [], first = 0;
function everything() {
  if (order !== null) return order;
  order = [];
  runs.forEach((run, number) => { for (let i = 0; i < run.count; ++i) order.push([number, i]); });
  const at = ([number, i]) => runs[number].items.begin[i] - runs[number].focus[0];
  return order.sort((a, b) => at(a) - at(b) || a[0] - b[0] || a[1] - b[1]);
}
function fillTable() {
  const columns = ['what', 'kind', 'lane', 'begin', 'length', 'line', 'more'], head = byId('table').tHead, body = byId('table').tBodies[0];
  if (head.children.length === 0) {
    const row = element('tr');
    if (runs.length > 1) row.append(element('th', 'run', {scope: 'col'}));
    for (const name of columns) row.append(element('th', name, {scope: 'col', ...(name === 'begin' || name === 'length' ? {class: 'number'} : {})}));
    head.append(row);
  }
  body.replaceChildren(...listed.slice(first, first + rowsShown).map(([number, i]) => {
    const run = runs[number], row = element('tr'), what = element('td');
    const button = element('button', run.text('name', i), {type: 'button'});
    button.addEventListener('click', () => { select(number, i); chart.scrollIntoView({block: 'nearest'}); });
    what.append(button);
    if (runs.length > 1) row.append(element('td', run.title));
    row.append(what, element('td', run.marks[run.items.kind[i]]), element('td', run.lanes[run.items.lane[i]].name),
      element('td', durationText(run.items.begin[i] - run.focus[0]), {class: 'number'}), element('td', durationText(run.items.end[i] - run.items.begin[i]), {class: 'number'}),
      element('td', placeOf(run, i)), element('td', run.text('detail', i)));
    return row;
  }));
  const last = Math.min(first + rowsShown, listed.length), number = value => value.toLocaleString('en');
  byId('table-note').textContent = listed.length === 0 ? 'Nothing.' : `${number(first + 1)} to ${number(last)} of ${number(listed.length)}${shown.found ? ' that were found' : ''}.`;
  byId('table-before').disabled = first === 0;
  byId('table-after').disabled = last >= listed.length;
}
function search() {
  const wanted = byId('search').value.trim().toLowerCase();
  if (wanted === '') {
    shown.found = null;
    listed = everything();
    byId('search-count').textContent = '';
  } else {
    const matching = runs.map(run => ({
      strings: run.strings.map(text => text.toLowerCase().includes(wanted)),
      lanes: run.lanes.map(lane => lane.name.toLowerCase().includes(wanted)),
    }));
    const matches = (run, i) => {
      const {strings, lanes} = matching[runs.indexOf(run)];
      return strings[run.items.name[i]] || strings[run.items.where[i]] || lanes[run.items.lane[i]];
    };
    shown.found = matches;
    listed = everything().filter(([number, i]) => matches(runs[number], i));
    byId('search-count').textContent = `${listed.length.toLocaleString('en')} found`;
  }
  first = 0;
  fillTable();
  redraw();
}
let current = -1;
function nextFound() {
  if (shown.found === null || listed.length === 0) return;
  current = (current + 1) % listed.length;
  select(...listed[current]);
}
byId('search').addEventListener('input', () => { current = -1; search(); });
byId('search').addEventListener('keydown', event => { if (event.key === 'Enter') nextFound(); });
byId('search-next').addEventListener('click', nextFound);
byId('table-before').addEventListener('click', () => { first = Math.max(0, first - rowsShown); fillTable(); });
byId('table-after').addEventListener('click', () => { first += rowsShown; fillTable(); });

draw();
fillLists();
chart.dataset.firstPaintMs = performance.now().toFixed(0);
// The picture first: sorting and listing all that there is may take a while.
setTimeout(() => { fillLegend(); search(); document.body.dataset.ready = 'yes'; }, 0);
