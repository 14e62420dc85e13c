// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Curves below the heatmap, over the same time. uPlot draws them.
'use strict';

const CURVES_HEIGHT = 210;
/** Narrower ones would hide one another. */
const PIXELS_OF_STEP = 4;
const DASHES = {accessed: [], read: [6, 3], written: [2, 2], fresh: [6, 3], all: []};

class Curves {
  constructor(box, viewport, theme) {
    this.box = box;
    this.viewport = viewport;
    this.theme = theme;
    this.plot = null;
    viewport.listeners.push(window => this.follow(window));
    theme.listeners.push(() => this.make());
    new ResizeObserver(() => {
      if (this.plot && this.plot.width !== box.clientWidth)
        this.make();
    }).observe(box);
  }
  /**
   * What to draw: {steps: [{start, end}], series: [{name, label, values, adds}],
   * bytes}. Values of steps that share a dot are added up, or else the largest is
   * shown. `part` is a stretch of time to point out: then the curves are of all
   * the run, and not only of the time that the heatmap shows.
   */
  show(figures) {
    this.figures = figures;
    this.make();
  }
  make() {
    if (!this.figures)
      return;
    this.plot?.destroy();
    const {series, bytes, part} = this.figures;
    const colors = this.theme.colors;
    const stroke = name => ({read: colors.read, written: colors.written,
                             fresh: colors.written}[name] ?? colors.accessed);
    const stepped = uPlot.paths.stepped({align: 1});
    const axis = {stroke: colors.ink, grid: {stroke: colors.line, width: 1},
                  ticks: {stroke: colors.faint, width: 1}, font: '12px system-ui, sans-serif'};
    const width = this.box.clientWidth, gutter = gutterWidth(width);
    const pages = (self, number) => number == null ? '\u2013'
        : `${formatCount(number)} (${formatBytes(number * bytes)})`;
    this.plot = new uPlot({
      width, height: CURVES_HEIGHT,
      padding: [8, RIGHT_MARGIN, 0, 0],
      cursor: {drag: {x: true, y: false, setScale: false}, points: {size: 6},
               bind: {dblclick: () => null}},
      select: {show: true},
      scales: {x: {time: false}, y: {range: (self, min, max) => [0, Math.max(max, 1) * 1.05]}},
      axes: [
        {...axis, space: 90, size: 44, label: 'time since the start of the run',
         labelSize: 18, labelFont: '12px system-ui, sans-serif', labelGap: 0,
         splits: (self, index, min, max) => timeTicks(min, max, (width - gutter) / 90).ticks,
         values: (self, ticks) => ticks.map(tick => formatTime(tick, ticks[1] - ticks[0]))},
        {...axis, size: gutter, space: 34,
         splits: (self, index, min, max) => {
           // Ticks at round sizes in bytes.
           const size = max * bytes, unit = 2 ** (10 * Math.floor(Math.log2(Math.max(size, 1)) / 10));
           const step = Math.max(niceStep(size / unit, 5) * unit, bytes), ticks = [];
           for (let tick = 0; tick <= size; tick += step)
             ticks.push(tick / bytes);
           return ticks;
         },
         values: (self, ticks) => ticks.map(tick => formatBytes(tick * bytes))},
      ],
      series: [
        {label: 'time', value: (self, time) => time == null ? '\u2013' : formatTime(time)},
        ...series.map(({name, label}) => ({
          label, stroke: stroke(name), width: name === 'accessed' ? 1 : 1.5,
          dash: DASHES[name], // tells the curves apart without colour
          paths: stepped, points: {show: false}, value: pages, spanGaps: false,
        })),
      ],
      hooks: {
        setSelect: [self => {
          if (self.select.width < 4)
            return;
          const start = self.posToVal(self.select.left, 'x');
          const end = self.posToVal(self.select.left + self.select.width, 'x');
          self.setSelect({left: 0, width: 0, top: 0, height: 0}, false);
          if (!part)
            this.viewport.show({start, end});
        }],
        drawClear: [self => {
          if (!part)
            return;
          const {left, width, top, height} = self.bbox;
          const [from, to] = [part.start, part.end].map(time =>
              Math.min(Math.max(self.valToPos(time, 'x', true), left), left + width));
          self.ctx.fillStyle = colors.panel;
          self.ctx.fillRect(from, top, Math.max(to - from, 2), height);
          self.ctx.fillStyle = colors.focus;
          self.ctx.fillRect(from, top + height - 4, Math.max(to - from, 2), 4);
        }],
        setCursor: [self => {
          if (!this.pointing)
            this.onTime?.(self.cursor.left >= 0 ? self.posToVal(self.cursor.left, 'x') : null);
        }],
      },
    }, [[0], ...series.map(() => [null])], this.box);
    this.follow(this.viewport.window);
  }
  follow({start, end}) {
    if (!this.plot)
      return;
    const {steps, part} = this.figures;
    if (part)
      [start, end] = [0, Math.max(steps.ends.at(-1) ?? 1, part.end)];
    const from = Math.max(lowerBound(steps.starts, start) - 1, 0);
    const to = lowerBound(steps.starts, end);
    const most = Math.max(this.plot.bbox.width / devicePixelRatio / PIXELS_OF_STEP, 1);
    let together = 1;
    while ((to - from) / together > most)
      together *= 2;
    this.plot.setData(this.joined(from, to, together), false);
    this.plot.setScale('x', {min: start, max: end});
    this.onSteps?.(together);
  }
  /** The steps [from, to), so many of them joined to one. Ends curves at gaps. */
  joined(from, to, together) {
    const {steps: {starts, ends}, series} = this.figures;
    const times = [], columns = series.map(() => []);
    const push = (time, values) => {
      times.push(time);
      columns.forEach((column, i) => column.push(values[i]));
    };
    for (let at = from - from % together; at < to; at += together) {
      const end = Math.min(at + together, starts.length);
      const values = series.map(({values, adds}) => {
        const joined = values.slice(at, end);
        return adds ? joined.reduce((a, b) => a + b, 0) : Math.max(...joined);
      });
      push(starts[at], values);
      const next = starts[end] ?? Infinity, last = ends[end - 1];
      // A period begins some microseconds after the one before.
      if (last > starts[at] && next - last > 0.1 * (last - starts[end - 1])) {
        push(last, values);
        push(last + 1e-9, series.map(() => null));
      }
    }
    return [times, ...columns];
  }
  /** Points at a time, or at none. */
  point(time) {
    if (!this.plot)
      return;
    this.pointing = true;
    const left = time === null ? -10 : this.plot.valToPos(time, 'x');
    this.plot.setCursor({left, top: time === null ? -10 : 0}, true);
    this.pointing = false;
  }
}

/** The curves of one process: pages of the largest period in each bin. */
function sizeCurves(view, told) {
  const {bins} = view;
  const names = [['accessed', told.word]];
  if (told.reads)
    names.push(['read', 'read'], ['written', 'written']);
  return {bytes: view.granule_bytes, steps: stepsOf(view),
          series: names.map(([name, label]) => ({name, label, values: bins[name]}))};
}

/** New pages of each bin, and all pages so far. */
function growthCurves(view) {
  let sum = 0;
  const all = view.bins.new.map(count => sum += count);
  return {bytes: view.granule_bytes, steps: stepsOf(view),
          series: [{name: 'all', label: 'all pages so far', values: all},
                   {name: 'fresh', label: 'new pages', values: view.bins.new, adds: true}]};
}

function stepsOf(view) {
  return {starts: view.binStarts, ends: view.binEnds};
}

/** Curves of a run of several processes. */
function runCurves(wss, bytes, told, part) {
  const names = [['accessed', told.word]];
  if (told.reads)
    names.push(['read', 'read'], ['written', 'written']);
  const {stretches} = wss;
  const starts = stretches.map(stretch => stretch.start_ns / 1e9);
  return {
    bytes, part, steps: {starts, ends: starts.map(start => start + wss.stretch_ns / 1e9)},
    series: names.map(([name, label]) => ({name, label,
      values: stretches.map(stretch => stretch[name])})),
  };
}
