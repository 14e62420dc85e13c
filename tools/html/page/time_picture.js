// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the heatmap and the curves have in common: the axis of time, the cross, and
// a pointer that drags over a part.
'use strict';

/** Steps of the time axis, in seconds: whole minutes where seconds are many. */
function timeStep(length, most) {
  const step = niceStep(length, most);
  return step < 20 ? step
      : [20, 30, 60, 120, 300, 600, 900, 1800].find(each => each * most >= length) ??
        3600 * Math.ceil(niceStep(length / 3600, most));
}

/** Round times within [start, end]. */
function timeTicks(start, end, most) {
  const step = timeStep(end - start, most), ticks = [];
  for (let i = Math.ceil(start / step - 1e-9); i * step <= end + step * 1e-9; ++i)
    ticks.push(i * step);
  return {step, ticks};
}

/** Steps of axes: 1, 2 or 5 times a power of ten. */
function niceStep(length, most) {
  const raw = length / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * ([1, 2, 5].find(step => step * power >= raw * (1 - 1e-9)) ?? 10);
}

/** The width that labels left of the pictures have. */
function gutterWidth(width) {
  return width < 600 ? 78 : 158;
}

const RIGHT_MARGIN = 22;
const TIME_AXIS_HEIGHT = 38;

/** A canvas with time from left to right. Others draw in it what they know. */
class TimePicture {
  /** With `flat`, a box that is dragged is of time only. */
  constructor(canvas, viewport, theme, flat) {
    this.canvas = canvas;
    this.viewport = viewport;
    this.theme = theme;
    this.flat = flat;
    this.cursor = null;   // {time, place}
    this.box = null;      // what is being dragged
    this.pending = false;
    viewport.listeners.push(() => this.redraw());
    theme.listeners.push(() => this.redraw());
    new ResizeObserver(() => this.redraw()).observe(canvas);
    this.listenToPointer();
  }
  redraw() {
    if (this.pending)
      return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }
  /** The time that is shown: {start, end}. */
  times() {
    return this.viewport.window;
  }
  /** The size of the picture without its axes, in CSS pixels. */
  plot() {
    const {clientWidth, clientHeight} = this.canvas;
    const left = gutterWidth(clientWidth);
    return {left, top: 4, width: Math.max(clientWidth - left - RIGHT_MARGIN, 10),
            height: Math.max(clientHeight - 4 - TIME_AXIS_HEIGHT, 10)};
  }
  timeAt(x) {
    const {left, width} = this.plot(), {start, end} = this.times();
    return start + (x - left) / width * (end - start);
  }
  xOf(time) {
    const {left, width} = this.plot(), {start, end} = this.times();
    return left + (time - start) / (end - start) * width;
  }
  isInside(x, y) {
    const {left, top, width, height} = this.plot();
    return x >= left && x < left + width && y >= top && y < top + height;
  }

  //--- Drawing ----------------------------------------------------------------

  /** An empty canvas, and how many of its pixels one of CSS has. */
  clear() {
    const unit = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.canvas.clientWidth * unit);
    this.canvas.height = Math.round(this.canvas.clientHeight * unit);
    const context = this.canvas.getContext('2d');
    context.fillStyle = this.theme.colors.paper;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    return {context, unit};
  }
  font(context, size, family = 'system-ui, sans-serif') {
    context.font = `${size}px ${family}`;
  }
  line(context, x0, y0, x1, y1) {
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
  }
  drawTimes(context, {left, top, width, height}) {
    const {start, end} = this.times();
    const {step, ticks} = timeTicks(start, end, width / 90);
    context.fillStyle = this.theme.colors.ink;
    context.strokeStyle = this.theme.colors.faint;
    context.textBaseline = 'top';
    this.font(context, 12);
    for (const tick of ticks) {
      const x = this.xOf(tick);
      this.line(context, x, top + height, x, top + height + 4);
      const text = formatTime(tick, step);
      const half = context.measureText(text).width / 2;
      context.textAlign = 'center';
      context.fillText(text, Math.min(Math.max(x, half), left + width + RIGHT_MARGIN - half),
                       top + height + 6);
    }
    context.fillStyle = this.theme.colors.faint;
    context.textAlign = 'right';
    context.fillText('time since the start of the run', left + width, top + height + 22);
  }
  /** Keeps what follows, up to restore(), within the axes. */
  clip(context, {left, top, width, height}) {
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
  }
  drawBox(context) {
    if (!this.box)
      return;
    const {x0, y0, x1, y1} = this.box;
    context.strokeStyle = context.fillStyle = this.theme.colors.focus;
    context.globalAlpha = 0.2;
    context.fillRect(x0, y0, x1 - x0, y1 - y0);
    context.globalAlpha = 1;
    context.strokeRect(x0, y0, x1 - x0, y1 - y0);
  }

  //--- Mouse and touch --------------------------------------------------------

  listenToPointer() {
    const canvas = this.canvas;
    let down = null;
    canvas.addEventListener('pointerdown', event => {
      if (event.button !== 0 || !this.isInside(event.offsetX, event.offsetY))
        return;
      down = {x: event.offsetX, y: event.offsetY, touch: event.pointerType === 'touch'};
      if (!down.touch)
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => {
      const {offsetX: x, offsetY: y} = event;
      if (down && !down.touch &&
          Math.max(Math.abs(x - down.x), this.flat ? 0 : Math.abs(y - down.y)) > 4) {
        const {left, top, width, height} = this.plot();
        this.box = {x0: down.x, x1: Math.min(Math.max(x, left), left + width),
                    ...this.flat ? {y0: top, y1: top + height}
                        : {y0: down.y, y1: Math.min(Math.max(y, top), top + height)}};
      }
      this.setCursor(this.isInside(x, y) ? this.at(x, y) : null);
    });
    canvas.addEventListener('pointerup', event => {
      if (!down)
        return;
      const box = this.box;
      down = this.box = null;
      if (box)
        this.boxed(box);
      else
        this.choose(this.at(event.offsetX, event.offsetY));
      this.redraw();
    });
    canvas.addEventListener('pointercancel', () => {
      down = this.box = null;
      this.redraw();
    });
    canvas.addEventListener('pointerleave', () => {
      if (!down)
        this.setCursor(null);
    });
  }
  setCursor(cursor) {
    this.cursor = cursor;
    this.redraw();
  }
  at(x) {
    return {time: this.timeAt(x)};
  }
  choose() {}
}
