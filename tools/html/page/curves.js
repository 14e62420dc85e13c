// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Curves below the heatmap, over the same time.
'use strict';

/** Narrower steps would hide one another. */
const PIXELS_OF_STEP = 4;
const DASHES = {accessed: [], read: [6, 3], written: [2, 2], fresh: [6, 3], all: []};

class Curves extends TimePicture {
  constructor(canvas, legend, viewport, theme) {
    super(canvas, viewport, theme, true);
    this.legend = legend;
    theme.listeners.push(() => this.makeLegend());
  }
  /**
   * What to draw: {steps: {starts, ends}, series: [{name, label, values, adds}],
   * bytes}. Values of steps that share a dot are added up, or else the largest is
   * shown. `part` is a stretch of time to point out: then the curves are of all
   * the run, and not only of the time that the heatmap shows.
   */
  show(figures) {
    this.figures = figures;
    this.makeLegend();
    this.redraw();
  }
  times() {
    const {part, steps} = this.figures ?? {};
    return part ? {start: 0, end: Math.max(steps.ends.at(-1) ?? 1, part.end)} : super.times();
  }
  /** The steps of the time that is shown: [{start, end, values}]. */
  stepsWithin(width) {
    const {steps: {starts, ends}, series} = this.figures, {start, end} = this.times();
    const from = Math.max(lowerBound(starts, start) - 1, 0), to = lowerBound(starts, end);
    let together = 1;
    while ((to - from) / together > Math.max(width / PIXELS_OF_STEP, 1))
      together *= 2;
    this.onSteps?.(together);
    const joined = [];
    for (let at = from - from % together; at < to; at = at + together) {
      const next = Math.min(at + together, starts.length);
      // A period begins some microseconds after the one before: no gap.
      const last = ends[next - 1], gap = (starts[next] ?? Infinity) - last;
      const isGap = gap > 0.1 * (last - starts[next - 1]);
      joined.push({start: starts[at], end: isGap ? last : starts[next],
                   values: series.map(({values, adds}) => {
        const all = values.slice(at, next);
        return adds ? all.reduce((a, b) => a + b, 0) : Math.max(...all);
      })});
    }
    return joined;
  }
  style(context, name) {
    const {read, written, accessed} = this.theme.colors;
    context.strokeStyle = {read, written, fresh: written}[name] ?? accessed;
    context.lineWidth = name === 'accessed' ? 1 : 1.5;
    context.setLineDash(DASHES[name]); // tells the curves apart without colour
  }
  draw() {
    if (!this.figures)
      return;
    const {context, unit} = this.clear();
    context.scale(unit, unit);
    const plot = this.plot(), colors = this.theme.colors;
    const {series, part} = this.figures, {left, top, width, height} = plot;
    this.steps = this.stepsWithin(width);
    this.most = 1.05 * Math.max(1, ...this.steps.flatMap(({values}) => values));
    const yOf = value => top + height * (1 - value / this.most);
    this.clip(context, plot);
    if (part) {
      const from = this.xOf(part.start), long = Math.max(this.xOf(part.end) - from, 2);
      context.fillStyle = colors.panel;
      context.fillRect(from, top, long, height);
      context.fillStyle = colors.focus;
      context.fillRect(from, top + height - 4, long, 4);
    }
    context.restore();
    this.drawSizes(context, plot, yOf);
    this.drawTimes(context, plot);
    this.clip(context, plot);
    series.forEach(({name}, i) => {
      this.style(context, name);
      context.beginPath();
      this.steps.forEach(({start, end, values}, at) => {
        if (this.steps[at - 1]?.end === start)
          context.lineTo(this.xOf(start), yOf(values[i]));
        else
          context.moveTo(this.xOf(start), yOf(values[i]));
        context.lineTo(this.xOf(end), yOf(values[i]));
      });
      context.stroke();
    });
    context.setLineDash([]);
    context.lineWidth = 1;
    context.strokeStyle = colors.focus;
    if (this.cursor)
      this.line(context, this.xOf(this.cursor.time), top, this.xOf(this.cursor.time), top + height);
    this.drawBox(context);
    context.restore();
    this.tell();
  }
  /** Lines at round sizes in bytes. */
  drawSizes(context, {left, top, width, height}, yOf) {
    const {bytes} = this.figures, colors = this.theme.colors, size = this.most * bytes;
    const unit = 2 ** (10 * Math.floor(Math.log2(Math.max(size, 1)) / 10));
    const step = Math.max(niceStep(size / unit, Math.min(height / 34, 5)) * unit, bytes);
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    this.font(context, 12);
    context.fillStyle = colors.ink;
    context.strokeStyle = colors.line;
    for (let tick = 0; tick <= size; tick += step) {
      const y = Math.round(yOf(tick / bytes)) + 0.5;
      this.line(context, left, y, left + width, y);
      context.fillText(formatBytes(tick), left - 8, y);
    }
    context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
  }
  makeLegend() {
    if (!this.figures)
      return;
    this.told = this.figures.series.map(() => make('span', {className: 'value'}));
    this.legend.replaceChildren(...this.figures.series.map(({name, label}, i) => {
      const swatch = make('canvas', {width: 26, height: 14});
      const context = swatch.getContext('2d');
      this.style(context, name);
      this.line(context, 0, 7, 26, 7);
      return make('span', {}, swatch, label, this.told[i]);
    }), this.toldTime = make('span', {className: 'value'}));
  }
  /** Says what the curves are at the cross. */
  tell() {
    const {bytes} = this.figures, time = this.cursor?.time;
    const step = this.steps.find(({start, end}) => start <= time && time < end);
    this.told.forEach((value, i) => value.textContent = step
        ? `${formatCount(step.values[i])} (${formatBytes(step.values[i] * bytes)})` : '');
    this.toldTime.textContent = step ? `at ${formatTime(time)}` : '';
  }
  boxed({x0, x1}) {
    if (!this.figures?.part)
      this.viewport.show({start: this.timeAt(Math.min(x0, x1)), end: this.timeAt(Math.max(x0, x1))});
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
