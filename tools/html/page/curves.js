// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Curves below the heatmap, over the same time. uPlot draws them.
'use strict';

const CURVES_HEIGHT = 210;
const MAX_DASHED = 400;
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
  /** What to draw: {times, series: [{name, label, values}], bytes}. */
  show(figures) {
    this.figures = figures;
    this.make();
  }
  make() {
    if (!this.figures)
      return;
    this.plot?.destroy();
    const {times, series, bytes} = this.figures;
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
          // Dashes tell the curves apart without colour. Dense ones would hide.
          dash: times.length <= MAX_DASHED ? DASHES[name] : [],
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
          this.viewport.show({start, end});
        }],
        setCursor: [self => {
          if (!this.pointing)
            this.onTime?.(self.cursor.left >= 0 ? self.posToVal(self.cursor.left, 'x') : null);
        }],
      },
    }, [times, ...series.map(({values}) => values)], this.box);
    this.follow(this.viewport.window);
  }
  follow({start, end}) {
    this.plot?.setScale('x', {min: start, max: end});
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
  return withGaps(view, names.map(([name, label]) => ({name, label, values: bins[name]})));
}

/** New pages of each bin, and all pages so far. */
function growthCurves(view) {
  let sum = 0;
  const all = view.bins.new.map(count => sum += count);
  return withGaps(view, [{name: 'all', label: 'all pages so far', values: all},
                         {name: 'fresh', label: 'new pages', values: view.bins.new}]);
}

/** Curves of a run of several processes. */
function runCurves(wss, bytes, told) {
  const names = [['accessed', told.word]];
  if (told.reads)
    names.push(['read', 'read'], ['written', 'written']);
  const stretches = wss.stretches;
  return {
    bytes, times: stretches.map(stretch => stretch.start_ns / 1e9),
    series: names.map(([name, label]) => ({name, label,
      values: stretches.map(stretch => stretch[name])})),
  };
}

/** Ends the curves where no period follows at once. */
function withGaps(view, series) {
  const times = [], values = series.map(() => []);
  const {binStarts, binEnds} = view;
  const push = (time, number) => {
    times.push(time);
    series.forEach((each, i) => values[i].push(number === null ? null : each.values[number]));
  };
  for (let bin = 0; bin < binStarts.length; ++bin) {
    push(binStarts[bin], bin);
    const next = binStarts[bin + 1] ?? Infinity;
    // A period begins some microseconds after the one before.
    if (next - binEnds[bin] > 0.1 * (binEnds[bin] - binStarts[bin]) && binEnds[bin] > binStarts[bin])
      push(binEnds[bin], null);
  }
  return {bytes: view.granule_bytes, times,
          series: series.map((each, i) => ({...each, values: values[i]}))};
}
