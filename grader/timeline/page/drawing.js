'use strict';
// Draws runs as an SVG in a view: a stretch of time that is shared by all of them. Knows the record and pixels, and
// nothing of buttons. What is drawn is bounded by the pixels that are there, however much there is to draw.

const CALL = 0, BLOCKED = 1, PAUSE = 2, CLOCK_READ = 3, ACCESS = 4, KERNEL = 5, RECORD = 11, WAIT = 12;
const HEIGHTS = {thread: 30, stream: 34, engine: 15};
const BRACKET_HEIGHT = 24, MOST_BRACKET_ROWS = 4, MOST_BANDS = 6, MOST_ARROWS = 200;
const OPEN = 1, FAILED = 2;

function escaped(text) {
  return text.replace(/[&<>"']/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;'})[c]);
}

/// Three digits, in the unit that a reader would choose.
function durationText(ns) {
  const size = Math.abs(ns);
  const [unit, name] = size >= 999.5e6 ? [1e9, 's'] : size >= 999.5e3 ? [1e6, 'ms'] : size >= 999.5 ? [1e3, 'µs'] : [1, 'ns'];
  const value = ns / unit;
  return `${name === 'ns' ? value : Number(value.toPrecision(3))} ${name}`;
}

/// What is worked out once for a run.
function prepared(raw) {
  const run = {...raw};
  const count = run.items.kind.length;
  const up = run.lanes.findIndex(lane => lane.name === 'copy to device');
  const down = run.lanes.findIndex(lane => lane.name === 'copy to host');
  run.count = count;
  run.text = (column, i) => run.strings[run.items[column][i]];
  run.styleOf = i => {
    const engine = run.items.engine[i];
    const name = run.marks[run.items.kind[i]].replace(/ /g, '-');
    return engine >= 0 && engine === up ? name + ' up' : engine >= 0 && engine === down ? name + ' down' : name;
  };
  // Of each lane the items by begin, and how far those up to each of them reach: that finds the first one in a view.
  run.rows = run.lanes.map(() => []);
  for (let i = 0; i < count; ++i) {
    run.rows[run.items.lane[i]].push(i);
    if (run.items.engine[i] >= 0) run.rows[run.items.engine[i]].push(i);
  }
  run.lanes.forEach((lane, l) => {
    if (lane.kind === 'engine') run.rows[l].sort((a, b) => run.items.begin[a] - run.items.begin[b]);
  });
  run.reach = run.rows.map(row => {
    let furthest = -Infinity;
    return Float64Array.from(row, i => (furthest = Math.max(furthest, run.items.end[i])));
  });
  run.inFocus = run.rows.map((row, l) => {
    const at = lowerBound(run.reach[l], run.focus[0]);
    return (at < row.length && run.items.begin[row[at]] <= run.focus[1]) || run.brackets.some(bracket => bracket.lane === l);
  });
  run.inHazard = new Set(run.hazards.flatMap(hazard => [hazard.first, hazard.second]));
  run.bracketsOf = run.lanes.map((_, l) => run.brackets.map((_, b) => b).filter(b => run.brackets[b].lane === l));
  return run;
}

/// The first place whose value is at least `wanted`; the values rise.
function lowerBound(values, wanted) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < wanted) low = middle + 1; else high = middle;
  }
  return low;
}

class Drawing {
  /// `view` is {from, to} in ns from each run's focus; `shown` what is selected and searched for.
  constructor(runs, view, width, shown) {
    Object.assign(this, {runs, view, width, shown});
    this.left = width < 620 ? 124 : 150;
    this.right = width - 14;
    this.letter = 6.8;
    // With many lanes there is less to tell apart in each.
    this.apart = Math.max(0.5, runs.reduce((sum, run) => sum + run.lanes.length, 0) / 10);
    this.marks = 0;
    this.inView = 0;
    this.hasMany = false;  // whether a mark stands for several
    this.out = [];
  }

  toString() {
    let y = 6;
    this.runs.forEach((run, number) => { y = this.drawRun(run, number, y) + 10; });
    this.height = Math.ceil(y);
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}" aria-hidden="true">` +
      `<defs><clipPath id="time"><rect x="${this.left}" y="0" width="${this.right - this.left}" height="${this.height}"/></clipPath></defs>` +
      PATTERNS + `<rect class="ground" width="100%" height="100%"/>` + this.out.join('') + '</svg>';
  }

  x(run, ns) {
    const at = this.left + (this.right - this.left) * (ns - run.focus[0] - this.view.from) / (this.view.to - this.view.from);
    return Math.min(Math.max(at, this.left - 40), this.right + 40);
  }
  wide(text) { return text.length * this.letter; }
  fitting(text, width) {
    const most = Math.floor(width / this.letter);
    return text.length <= most ? text : most < 4 ? '' : text.slice(0, most - 1) + '…';
  }
  add(element) { this.out.push(element); }
  textAt(x, y, style, content) {
    return `<text class="${style}" x="${x.toFixed(1)}" y="${y.toFixed(1)}">${escaped(content)}</text>`;
  }
  text(x, y, style, content) { this.add(this.textAt(x, y, style, content)); }

  drawRun(run, number, y) {
    this.add(`<g id="run-${number}" data-run="${number}">`);
    if (this.runs.length > 1) this.text(12, y += 18, 'lane-title', this.fitting(run.title, this.right - 12));
    y += 18;
    const tops = [], rows = this.placeBrackets(run), lanes = this.lanesOf(run);
    let at = y + 4, before = 'engine';
    for (const l of lanes) {
      const {kind} = run.lanes[l];
      if (kind === 'engine' && before !== kind) at += 6;
      before = kind;
      tops[l] = at;
      at += HEIGHTS[kind] + 4 + BRACKET_HEIGHT * rows.used[l];
    }
    Object.assign(this, {run, number, tops, top: y, bottom: at});
    const each = act => lanes.forEach(l => act(run.lanes[l], l));
    each((lane, l) => this.add(`<rect class="lane ${lane.kind}" x="${this.left}" y="${tops[l]}" width="${this.right - this.left}" height="${HEIGHTS[lane.kind]}"/>`));
    this.drawAxis();
    this.add('<g clip-path="url(#time)">');
    this.drawBands(rows);
    each((lane, l) => this.drawLane(lane, l));
    this.drawGaps();
    this.drawArrows();
    this.drawHazards();
    each((lane, l) => this.drawBrackets(l, rows));
    this.drawSelected();
    this.add('</g>');
    each((lane, l) => this.nameLane(lane, l, rows));
    this.add('</g>');
    return at;
  }

  /// In the stretch that is shown first, what has something to show there: lanes do not come and go when one moves about.
  lanesOf(run) {
    const all = run.lanes.map((_, l) => l), longest = Math.max(...this.runs.map(each => each.focus[1] - each.focus[0]));
    const within = this.view.from >= -0.05 * longest && this.view.to <= 1.05 * longest;
    return within ? all.filter(l => run.inFocus[l]) : all;
  }

  nameLane(lane, l, rows) {
    const room = this.left - 16;
    if (lane.kind === 'engine') return this.text(20, this.tops[l] + 12, 'small', this.fitting(lane.name, room - 8));
    this.text(12, this.tops[l] + (lane.note ? 15 : 20), 'lane-name', this.fitting(lane.name, room));
    if (lane.note) this.text(12, this.tops[l] + 28, 'note', lane.note);
    if (rows.used[l] > 0) this.text(20, this.tops[l] + HEIGHTS[lane.kind] + 14, 'note', this.fitting(rows.leftOut[l] > 0 ? `measured, +${rows.leftOut[l]}` : 'measured', room));
  }

  /// Rows beneath the lanes, as long as there is room for another; what falls on the same pixels takes one place.
  placeBrackets(run) {
    const used = run.lanes.map(() => 0), leftOut = run.lanes.map(() => 0), placed = [];
    run.bracketsOf.forEach((list, l) => {
      const ends = [];
      for (const b of list) {
        const {begin, end, label} = run.brackets[b];
        const x1 = this.x(run, begin), x2 = this.x(run, end);
        if (x2 < this.left || x1 > this.right) continue;
        const from = Math.min(x1, this.right - this.wide(label) - 8);
        let row = ends.findIndex(free => free <= from);
        if (row < 0) row = ends.length;
        if (row >= MOST_BRACKET_ROWS) { ++leftOut[l]; continue; }
        ends[row] = Math.max(x2, from + this.wide(label) + 8);
        placed.push({b, l, row, x1, x2});
      }
      used[l] = ends.length;
    });
    return {used, leftOut, placed};
  }

  drawAxis() {
    const length = this.view.to - this.view.from, pixels = this.right - this.left;
    const about = length / Math.max(3, pixels / 110), magnitude = 10 ** Math.floor(Math.log10(about));
    const step = magnitude * (about / magnitude < 2 ? 2 : about / magnitude < 5 ? 5 : 10);
    for (let i = Math.ceil(this.view.from / step); i * step <= this.view.to; ++i) {
      const x = this.left + pixels * (i * step - this.view.from) / length;
      this.add(`<path class="tick" d="M${x.toFixed(1)} ${this.top}V${this.bottom}"/>`);
      if (x < this.right - 40) this.text(x + 3, this.top - 3, 'tick-text', i === 0 ? '0' : this.tickText(i * step, step));
    }
  }
  tickText(ns, step) {
    const [unit, name] = step >= 1e8 ? [1e9, 's'] : step >= 1e5 ? [1e6, 'ms'] : step >= 100 ? [1e3, 'µs'] : [1, 'ns'];
    return `${Number((ns / unit).toFixed(Math.max(0, -Math.floor(Math.log10(step / unit)))))} ${name}`;
  }

  drawBands(rows) {
    for (const {x1, x2} of rows.placed.slice(0, MOST_BANDS)) {
      this.add(`<rect class="band" x="${x1.toFixed(1)}" y="${this.top}" width="${Math.max(1, x2 - x1).toFixed(1)}" height="${this.bottom - this.top}"/>` +
        `<path class="band-edge" d="M${x1.toFixed(1)} ${this.top}V${this.bottom}M${x2.toFixed(1)} ${this.top}V${this.bottom}"/>`);
    }
  }

  /// Calls `draw` with each mark of a row; narrow ones of one kind on the same pixels are one.
  eachMark(l, draw) {
    const {run} = this, {begin, end, kind} = run.items, row = run.rows[l];
    const from = run.focus[0] + this.view.from, to = run.focus[0] + this.view.to;
    const open = new Map();  // by style
    const marks = [];
    for (let at = lowerBound(run.reach[l], from); at < row.length && begin[row[at]] <= to; ++at) {
      const i = row[at];
      if (end[i] < from) continue;
      ++this.inView;
      const instant = kind[i] === RECORD || kind[i] === CLOCK_READ || kind[i] === ACCESS;
      const x1 = this.x(run, kind[i] === RECORD ? end[i] : begin[i]), x2 = Math.max(this.x(run, end[i]), x1 + 1.5);
      // What is wrong with one of them is not lost among the others.
      const wrong = (run.items.flags[i] & FAILED ? 1 : 0) + (run.inHazard.has(i) ? 2 : 0);
      const style = (kind[i] * 65536 + run.items.engine[i] + 1) * 4 + wrong;
      const last = open.get(style);
      if (last && x1 < last.x2 + this.apart + (instant ? 4 : 0) && x2 - x1 < 3 && last.x2 - last.x1 < 24) {
        last.x2 = Math.max(last.x2, x2);
        last.alike = last.alike && run.items.label[i] === run.items.label[last.i];
        ++last.count;
        if (this.isFound(i)) last.found = true;
        continue;
      }
      const mark = {i, x1, x2, count: 1, alike: true, found: this.isFound(i)};
      open.set(style, mark);
      marks.push(mark);
    }
    let nextCall = this.right, next = this.right;  // calls have their labels at a height of their own
    for (const mark of marks.slice().reverse()) {
      mark.next = kind[mark.i] === CALL ? nextCall : next;
      if (kind[mark.i] === CALL) nextCall = mark.x1;
      if (kind[mark.i] < RECORD && kind[mark.i] !== CLOCK_READ) next = mark.x1;
    }
    for (const mark of marks) draw(mark);
    this.marks += marks.length;
  }
  isFound(i) { return this.shown.found !== null && this.shown.found(this.run, i); }

  attributes(mark, more = '') {
    const {run} = this, i = mark.i, flags = run.items.flags[i];
    let style = 'mark hit ' + run.styleOf(i) + more;
    if (flags & OPEN) style += ' open';
    if (mark.count > 1 && run.items.kind[i] >= KERNEL && run.items.kind[i] < RECORD) {
      style += ' many';
      this.hasMany = true;
    }
    if (flags & FAILED) style += ' failed';
    if (run.text('where', i) === '') style += ' theirs';
    if (run.inHazard.has(i)) style += ' in-hazard';
    if (this.shown.found !== null) style += mark.found ? ' found' : ' dimmed';
    if (this.shown.run === this.number && this.shown.item === i) style += ' selected';
    return `class="${style}" data-run="${this.number}" data-item="${i}" data-count="${mark.count}"`;
  }
  rect(mark, y, height) {
    this.add(`<rect ${this.attributes(mark)} x="${mark.x1.toFixed(1)}" y="${y}" width="${(mark.x2 - mark.x1).toFixed(1)}" height="${height}"/>`);
  }

  drawLane(lane, l) {
    const top = this.tops[l];
    if (lane.kind === 'engine') return this.eachMark(l, mark => this.rect(mark, top + 3, 9));
    this.labels = [];  // above all marks
    this.lastFailure = '';
    this.callsNamedTo = 0;
    this.eachMark(l, mark => this.drawMark(mark, top));
    this.out.push(...this.labels);
  }

  drawMark(mark, top) {
    const {run} = this, i = mark.i;
    const shape = path => this.add(`<path ${this.attributes(mark)} d="${path}"/>`);
    const x1 = mark.x1.toFixed(1), x2 = this.x(run, run.items.end[i]);
    switch (run.items.kind[i]) {
      case RECORD: return shape(`M${(mark.x1 - 1).toFixed(1)} ${top + 32}v-34h11l-4 4 4 4h-9v26z`);
      case CLOCK_READ: return shape(`M${x1} ${top + 29}l-4 -8h8z`);
      case ACCESS: return shape(`M${x1} ${top + 9}l6 6 -6 6 -6 -6z`);
      case WAIT:
        if (x2 - mark.x1 > 3) this.rect(mark, top + 10, 14);
        return this.add(`<path ${this.attributes(mark, ' wait-end')} d="M${(Math.max(x2, mark.x1) + 1).toFixed(1)} ${top + 2}v34h-11l4 -4 -4 -4h9v-26z"/>`);
      case CALL:
        this.rect(mark, top + 11, 8);
        // The stretch in which it was blocked has the name.
        if (run.items.kind[i + 1] === BLOCKED && run.items.cause[i + 1] === i) return;
        return this.label(mark, top + 9);
      case BLOCKED:
      case PAUSE:
        this.rect(mark, top + 5, 20);
        return this.label(mark, top + 21);
      default:
        this.rect(mark, top + 5, HEIGHTS.stream - 10);
        return this.label(mark, top + 21);
    }
  }

  /// On the mark, with the time where there is room, and on ground of its own where it lies on a pattern; or behind
  /// it, where nothing else is near.
  label(mark, baseline) {
    const from = Math.max(mark.x1, this.left), room = Math.min(mark.x2, this.right) - from - 8;
    const name = this.run.text('label', mark.i);
    const kind = this.run.items.kind[mark.i], failed = (this.run.items.flags[mark.i] & FAILED) !== 0;
    if (mark.count > 1 && !failed && !mark.alike) return;
    let content = mark.count > 1 && !failed ? `×${mark.count} ${name}` : name;
    const took = durationText(this.run.items.end[mark.i] - this.run.items.begin[mark.i]);
    if (mark.count === 1 && this.wide(content + '  ' + took) < room) content += '  ' + took;
    const failedCall = kind === CALL && failed;
    const behind = mark.x2 > this.left && ((failedCall && this.wide(content) >= room) || (this.wide(content) >= room && this.wide(content) + 14 < mark.next - mark.x2));
    const before = failedCall && behind && mark.x2 + 8 + this.wide(content) > this.right;
    if (failedCall) {  // is told wherever there is room at all, but not again and again
      if (content === this.lastFailure || (before && mark.x1 - 8 - this.wide(content) < this.left)) return;
      if (!behind && this.wide(content) >= room) return;
    } else if (!behind) {
      if (kind === CALL && this.wide(content) >= room) return;  // "cud…" says nothing
      content = this.fitting(content, room);
    }
    if (content === '') return;
    const x = before ? mark.x1 - 8 - this.wide(content) : behind ? mark.x2 + 8 : from + 5;
    if (kind === CALL && x < this.callsNamedTo) return;  // as by the name of a failure, which needs no room of its own
    if (kind === CALL) this.callsNamedTo = x + this.wide(content);
    if (failedCall) this.lastFailure = content;
    if (kind !== KERNEL && (kind !== CALL || failed)) this.labels.push(`<rect class="behind-text" x="${(x - 2).toFixed(1)}" y="${baseline - 11}" width="${(this.wide(content) + 4).toFixed(1)}" height="14"/>`);
    this.labels.push(this.textAt(x, baseline, failed ? 'mark-text failed-text' : 'mark-text', content));
  }

  drawBrackets(l, rows) {
    const {run} = this, base = this.tops[l] + HEIGHTS[run.lanes[l].kind] + 8;
    for (const place of rows.placed) {
      if (place.l !== l) continue;
      ++this.marks;
      const {label, inside} = run.brackets[place.b], y = base + BRACKET_HEIGHT * place.row;
      const x1 = place.x1.toFixed(1), x2 = place.x2.toFixed(1);
      this.add(`<path class="bracket hit" data-run="${this.number}" data-bracket="${place.b}" d="M${x1} ${y - 5}v10M${x1} ${y}H${x2}M${x2} ${y - 5}v10"/>`);
      const before = this.wide(label) * 1.06;
      const behind = place.x2 - place.x1 < before + 16 && place.x2 + before + 8 < this.right;
      const x = behind ? place.x2 + 6 : Math.max(this.left + 4, Math.min(place.x1 + 8, this.right - before));
      const baseline = behind ? y + 4 : y + 13;
      this.text(x, baseline, 'small bracket-text', label);
      const next = rows.placed.some(other => other !== place && other.l === l && other.row === place.row && other.x1 > place.x1 - 1);
      if (!next) this.text(x + before + 8, baseline, 'small', this.fitting(inside, this.right - x - before - 8));
    }
  }

  drawGaps() {
    const {run} = this;
    run.lanes.forEach((lane, l) => {
      if (lane.kind !== 'engine' || this.tops[l] === undefined) return;
      const from = run.focus[0] + this.view.from, to = run.focus[0] + this.view.to;
      let last = -Infinity;
      for (let g = lowerBound(run.gapEnds, from); g < run.gaps.length && run.gaps[g][0] <= to; ++g) {
        const x1 = this.x(run, run.gaps[g][0]), x2 = this.x(run, run.gaps[g][1]);
        if (x2 - x1 < 3 || x1 < last) continue;
        last = x2;
        this.add(`<path class="gap" d="M${(x1 + 1).toFixed(1)} ${this.tops[l] + 7.5}H${(x2 - 1).toFixed(1)}"/>`);
      }
    });
  }

  /// Null where its lane is not shown.
  yOf(i) {
    const l = this.run.items.lane[i];
    if (this.tops[l] === undefined) return null;
    return this.tops[l] + (this.run.lanes[l].kind === 'thread' ? 15 : 17);
  }

  drawArrows() {
    const {run} = this, places = new Map();
    const from = run.focus[0] + this.view.from, to = run.focus[0] + this.view.to;
    for (const [first, second] of run.arrows) {
      if (run.items.end[first] > to || run.items.end[second] < from) continue;
      const x1 = this.x(run, run.items.end[first]), x2 = this.x(run, run.items.end[second]);
      const y1 = this.yOf(first), y2 = this.yOf(second);
      if (y1 === null || y2 === null) continue;
      places.set(`${Math.round(x1 / 3)} ${Math.round(x2 / 3)} ${y1} ${y2}`, [x1, y1, x2, y2]);
      if (places.size > MOST_ARROWS) return;  // a thicket, and a part of it would mislead
    }
    for (const [x1, y1, x2, y2] of places.values()) {
      const way = y2 > y1 ? 1 : y2 < y1 ? -1 : 0, bend = Math.abs(x2 - x1) / 2;
      this.add(`<path class="arrow" d="M${x1.toFixed(1)} ${y1}C${(x1 + bend).toFixed(1)} ${y1} ${(x2 - bend / 4).toFixed(1)} ${y2 - way * 24} ${x2.toFixed(1)} ${y2 - way * 6}"/>` +
        `<path class="arrow-head" d="M${x2.toFixed(1)} ${y2}l-4.5 ${-(way || 1) * 8}h9z"/>`);
    }
    this.marks += places.size;
  }

  /// From where the first ends to where the second begins: the edge that is not there.
  drawHazards() {
    this.run.hazards.forEach((hazard, h) => {
      const {run} = this;
      const x1 = this.x(run, run.items.end[hazard.first]), x2 = this.x(run, run.items.begin[hazard.second]);
      const y1 = this.yOf(hazard.first), y2 = this.yOf(hazard.second);
      if (Math.max(x1, x2) < this.left || Math.min(x1, x2) > this.right || y1 === null || y2 === null) return;
      const length = Math.max(1, Math.hypot(x2 - x1, y2 - y1)), dx = (x2 - x1) / length, dy = (y2 - y1) / length;
      const part = 0.4 + 0.1 * (h % 3), x = x1 + part * (x2 - x1), y = y1 + part * (y2 - y1);  // they may cross
      const corner = side => `${(x2 - 11 * dx + side * 5 * dy).toFixed(1)} ${(y2 - 11 * dy - side * 5 * dx).toFixed(1)}`;
      ++this.marks;
      this.add(`<g class="hazard hit" data-run="${this.number}" data-hazard="${h}"><path class="missing" d="M${x1.toFixed(1)} ${y1}L${x2.toFixed(1)} ${y2}"/>` +
        `<path class="missing-head" d="M${x2.toFixed(1)} ${y2}L${corner(1)}L${corner(-1)}Z"/>` +
        `<circle class="badge" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="9"/><text class="badge-text" x="${x.toFixed(1)}" y="${(y + 4).toFixed(1)}">!${h + 1}</text></g>`);
    });
  }

  /// From the call to the work that it submitted.
  drawSelected() {
    const {run, shown} = this;
    if (shown.run !== this.number || shown.item === null) return;
    const cause = run.items.cause[shown.item];
    if (cause < 0 || run.items.kind[shown.item] === BLOCKED || this.yOf(cause) === null || this.yOf(shown.item) === null) return;
    this.add(`<path class="submission" d="M${this.x(run, run.items.begin[cause]).toFixed(1)} ${this.yOf(cause)}L${this.x(run, run.items.begin[shown.item]).toFixed(1)} ${this.yOf(shown.item)}"/>`);
  }
}
