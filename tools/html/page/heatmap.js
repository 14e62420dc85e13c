// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The picture of time and addresses.
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

class Heatmap {
  constructor(canvas, viewport, theme) {
    this.canvas = canvas;
    this.viewport = viewport;
    this.theme = theme;
    this.kind = 'all';
    this.hatching = false;
    this.cursor = null;   // {time, place}
    this.box = null;      // what is being dragged
    this.selected = null; // a granule
    this.onPage = () => {};
    this.onCursor = () => {};
    this.pending = false;
    viewport.listeners.push(() => this.redraw());
    theme.listeners.push(() => this.redraw());
    new ResizeObserver(() => this.redraw()).observe(canvas);
    this.listen();
  }
  setView(view, layer) {
    this.view = view;
    this.layer = layer;
    this.redraw();
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
  /** The size of the picture without its axes, in CSS pixels. */
  plot() {
    const {clientWidth, clientHeight} = this.canvas;
    const left = gutterWidth(clientWidth);
    return {left, top: 4, width: Math.max(clientWidth - left - RIGHT_MARGIN, 10),
            height: Math.max(clientHeight - 4 - TIME_AXIS_HEIGHT, 10)};
  }
  timeAt(x) {
    const {left, width} = this.plot(), {start, end} = this.viewport.window;
    return start + (x - left) / width * (end - start);
  }
  /** Addresses rise downwards, as in the pictures of `report heatmap`. */
  placeAt(y) {
    const {top, height} = this.plot(), {low, high} = this.viewport.window;
    return low + (y - top) / height * (high - low);
  }
  xOf(time) {
    const {left, width} = this.plot(), {start, end} = this.viewport.window;
    return left + (time - start) / (end - start) * width;
  }
  yOf(place) {
    const {top, height} = this.plot(), {low, high} = this.viewport.window;
    return top + (place - low) / (high - low) * height;
  }
  isInside(x, y) {
    const {left, top, width, height} = this.plot();
    return x >= left && x < left + width && y >= top && y < top + height;
  }

  //--- Pixels ---------------------------------------------------------------

  draw() {
    if (!this.view)
      return;
    const unit = window.devicePixelRatio || 1;
    const {clientWidth, clientHeight} = this.canvas;
    this.canvas.width = Math.round(clientWidth * unit);
    this.canvas.height = Math.round(clientHeight * unit);
    const context = this.canvas.getContext('2d');
    context.fillStyle = this.theme.colors.paper;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const plot = this.plot();
    this.drawCells(context, Math.round(plot.left * unit), Math.round(plot.top * unit),
                   Math.round(plot.width * unit), Math.round(plot.height * unit), unit);
    context.scale(unit, unit);
    this.drawBands(context, plot);
    this.drawTimes(context, plot);
    this.drawMarks(context, plot);
  }
  drawCells(context, left, top, width, height, unit) {
    if (!this.view.bands.length)
      return;
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const palette = this.theme.palette(this.kind, this.hatching);
    const {start, end, low, high} = this.viewport.window;
    const {binStarts, binEnds, axis} = this.view;

    // A cell is never smaller than a pixel, so that none is passed over.
    const visible = lowerBound(binStarts, end) - Math.max(lowerBound(binStarts, start) - 1, 0);
    const shift = this.layer.shift;
    const halvings = cells => Math.max(0, Math.ceil(Math.log2(Math.max(cells, 1)) - 1e-9));
    const binHalvings = Math.max(halvings(visible / width) - shift, 0);
    const step = shift + binHalvings;
    const columns = new Int32Array(width);
    for (let x = 0; x < width; ++x) {
      // A bin can be shorter than a pixel: take what begins before its end.
      const from = start + x / width * (end - start);
      const to = start + (x + 1) / width * (end - start);
      const bin = lowerBound(binStarts, to) - 1;
      columns[x] = bin >= 0 && binEnds[bin] > from ? bin >> step : -1;
    }
    let lastSource = null, lastY = -1;
    for (let y = 0; y < height; ++y) {
      const place = low + (y + 0.5) / height * (high - low);
      const band = axis.bandAt(place);
      const {first, end: bandEnd, from, to} = axis.bands[band];
      const perPixel = (bandEnd - first) / (to - from) * (high - low) / height /
                       this.layer.granulesPerRow;
      const rowHalvings = halvings(perPixel);
      const grid = this.layer.grid(binHalvings, rowHalvings);
      const size = this.layer.granulesPerRow * 2 ** rowHalvings;
      const row = Math.min(grid.firstRows[band] + Math.floor(axis.offsetAt(band, place) / size),
                           grid.firstRows[band + 1] - 1);
      const source = row * grid.bins, to0 = y * width;
      if (!this.hatching && lastSource && lastSource.grid === grid && lastSource.row === row) {
        pixels.copyWithin(to0, lastY * width, (lastY + 1) * width);
      } else {
        const bytes = grid.bytes;
        for (let x = 0; x < width; ++x) {
          const column = columns[x];
          const cell = column < 0 ? 0 : bytes[source + column];
          const lines = this.hatching && cell ? Theme.linesAt(x, y, unit) : 0;
          pixels[to0 + x] = palette[lines << 8 | cell];
        }
      }
      lastSource = {grid, row};
      lastY = y;
    }
    context.putImageData(image, left, top);
  }

  //--- Axes -----------------------------------------------------------------

  font(context, size, family = 'system-ui, sans-serif') {
    context.font = `${size}px ${family}`;
  }
  /** The text, cut so that it is not wider than `width`. */
  fitted(context, text, width) {
    if (context.measureText(text).width <= width)
      return text;
    let length = text.length - 1;
    while (length > 1 && context.measureText(text.slice(0, length) + '\u2026').width > width)
      --length;
    return text.slice(0, length) + '\u2026';
  }
  drawBands(context, {left, top, width, height}) {
    const colors = this.theme.colors;
    const {low, high} = this.viewport.window;
    context.save();
    context.strokeStyle = colors.line;
    context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
    context.setLineDash([3, 3]);
    context.strokeStyle = colors.faint;
    context.globalAlpha = 0.5;
    for (const band of this.view.axis.bands.slice(1)) {
      if (band.from <= low || band.from >= high)
        continue;
      const y = Math.round(this.yOf(band.from)) + 0.5;
      context.beginPath();
      context.moveTo(left, y);
      context.lineTo(left + width, y);
      context.stroke();
    }
    context.restore();

    // The tallest bands get their names first; neighbours of one name get one.
    const groups = [];
    this.view.axis.bands.forEach(band => {
      const label = shortName(band.label) + (band.more ? ` + ${band.more} more` : '');
      const previous = groups.at(-1);
      if (previous && previous.label === label)
        previous.bands.push(band);
      else
        groups.push({label, bands: [band]});
    });
    const visible = groups.map(group => {
      const upper = Math.max(this.yOf(Math.max(group.bands[0].from, low)), top);
      const lower = Math.min(this.yOf(Math.min(group.bands.at(-1).to, high)), top + height);
      return {...group, upper, lower, tall: lower - upper};
    }).filter(group => group.tall > 0);
    visible.sort((a, b) => b.tall - a.tall);
    const taken = [];
    const lineHeight = 14;
    for (const group of visible) {
      const middle = Math.min(Math.max((group.upper + group.lower) / 2, top + lineHeight / 2),
                              top + height - lineHeight / 2);
      const hasAddress = group.tall > 3 * lineHeight && left > 100;
      const half = (hasAddress ? 2 : 1) * lineHeight / 2;
      if (taken.some(([from, to]) => middle - half < to && middle + half > from))
        continue;
      taken.push([middle - half, middle + half]);
      context.textAlign = 'right';
      context.textBaseline = 'middle';
      context.fillStyle = colors.ink;
      this.font(context, 12);
      const nameY = hasAddress ? middle - lineHeight / 2 : middle;
      context.fillText(this.fitted(context, group.label, left - 14), left - 8, nameY);
      context.strokeStyle = colors.faint;
      context.beginPath();
      context.moveTo(left - 6, nameY);
      context.lineTo(left - 2, nameY);
      context.stroke();
      if (hasAddress) {
        this.font(context, 10.5, 'ui-monospace, monospace');
        context.fillStyle = colors.faint;
        context.fillText(formatAddress(group.bands[0].first * this.view.granule_bytes),
                         left - 8, middle + lineHeight / 2);
      }
    }
  }
  drawTimes(context, {left, top, width, height}) {
    const {start, end} = this.viewport.window;
    const {step, ticks} = timeTicks(start, end, width / 90);
    context.fillStyle = this.theme.colors.ink;
    context.strokeStyle = this.theme.colors.faint;
    context.textBaseline = 'top';
    this.font(context, 12);
    for (const tick of ticks) {
      const x = this.xOf(tick);
      context.beginPath();
      context.moveTo(x, top + height);
      context.lineTo(x, top + height + 4);
      context.stroke();
      const text = formatTime(tick, step);
      const half = context.measureText(text).width / 2;
      context.textAlign = 'center';
      context.fillText(text, Math.min(Math.max(x, half), left + width + RIGHT_MARGIN - half),
                       top + height + 6);
    }
    context.fillStyle = this.theme.colors.faint;
    context.textAlign = 'right';
    context.fillText('time since the start of the run', left + width, top + height + 22);
    context.textAlign = 'left';
    context.fillText('addresses', 4, top + height + 22);
  }
  drawMarks(context, {left, top, width, height}) {
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    context.strokeStyle = this.theme.colors.focus;
    if (this.selected !== null && this.view.axis.bandOf(this.selected) >= 0) {
      const upper = this.yOf(this.view.axis.placeOf(this.selected, 1));
      const lower = this.yOf(this.view.axis.placeOf(this.selected));
      context.lineWidth = 1.5;
      context.strokeRect(left - 2, upper - 1.5, width + 4, Math.max(lower - upper, 1) + 3);
    }
    if (this.cursor) {
      const x = this.xOf(this.cursor.time), y = this.yOf(this.cursor.place);
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, top + height);
      context.moveTo(left, y);
      context.lineTo(left + width, y);
      context.stroke();
    }
    if (this.box) {
      const {x0, y0, x1, y1} = this.box;
      context.fillStyle = this.theme.colors.focus;
      context.globalAlpha = 0.2;
      context.fillRect(x0, y0, x1 - x0, y1 - y0);
      context.globalAlpha = 1;
      context.strokeRect(x0, y0, x1 - x0, y1 - y0);
    }
    context.restore();
  }

  //--- What is at a point ---------------------------------------------------

  /** The granule, bin and cell at a time and a place. */
  cellAt(time, place) {
    const granule = this.view.axis.granuleAt(place);
    const bin = lowerBound(this.view.binStarts, time + 1e-12) - 1;
    const hasBin = bin >= 0 && time < this.view.binEnds[bin];
    const history = this.layer.history(granule);
    return {granule, bin: hasBin ? bin : -1,
            cell: hasBin ? history[bin >> this.layer.shift] : 0};
  }

  //--- Mouse, touch, keys ---------------------------------------------------

  listen() {
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
      if (down && !down.touch &&
          Math.max(Math.abs(event.offsetX - down.x), Math.abs(event.offsetY - down.y)) > 4) {
        const {left, top, width, height} = this.plot();
        this.box = {x0: down.x, y0: down.y,
                    x1: Math.min(Math.max(event.offsetX, left), left + width),
                    y1: Math.min(Math.max(event.offsetY, top), top + height)};
      }
      this.setCursor(this.isInside(event.offsetX, event.offsetY)
          ? {time: this.timeAt(event.offsetX), place: this.placeAt(event.offsetY)} : null);
    });
    canvas.addEventListener('pointerup', event => {
      if (!down)
        return;
      const box = this.box;
      down = this.box = null;
      if (!box) {
        this.choose({time: this.timeAt(event.offsetX), place: this.placeAt(event.offsetY)});
        return;
      }
      const times = [this.timeAt(box.x0), this.timeAt(box.x1)];
      const places = [this.placeAt(box.y0), this.placeAt(box.y1)];
      // A flat box is of time only, a narrow one of addresses only.
      const part = {};
      if (Math.abs(box.x1 - box.x0) > 4)
        [part.start, part.end] = [Math.min(...times), Math.max(...times)];
      if (Math.abs(box.y1 - box.y0) > 4)
        [part.low, part.high] = [Math.min(...places), Math.max(...places)];
      this.viewport.show(part);
    });
    canvas.addEventListener('pointercancel', () => {
      down = this.box = null;
      this.redraw();
    });
    canvas.addEventListener('pointerleave', () => {
      if (!down)
        this.setCursor(null);
    });
    let wheeling = 0;
    canvas.addEventListener('wheel', event => {
      if (!this.isInside(event.offsetX, event.offsetY))
        return;
      event.preventDefault();
      const delta = event.deltaY || event.deltaX;
      // Turns that follow one another are one step for Back.
      const keep = event.timeStamp - wheeling > 400;
      wheeling = event.timeStamp;
      this.viewport.zoom(2 ** (Math.max(-200, Math.min(200, delta)) / 200),
                         this.timeAt(event.offsetX), this.placeAt(event.offsetY),
                         {times: !event.altKey, places: !event.shiftKey}, keep);
    }, {passive: false});
    canvas.addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey)
        return;
      if (this.key(event.key, event.shiftKey))
        event.preventDefault();
    });
  }
  middle() {
    const {start, end, low, high} = this.viewport.window;
    return {time: (start + end) / 2, place: (low + high) / 2};
  }
  zoomAtCursor(factor) {
    const at = this.cursor ?? this.middle();
    this.viewport.zoom(factor, at.time, at.place);
  }
  /** Whether the key has a meaning here. Escape has one for the whole page. */
  key(key, far) {
    const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
    if (key in steps)
      this.moveCursor(...steps[key], far ? 10 : 1);
    else if (key === '+' || key === '=')
      this.zoomAtCursor(0.5);
    else if (key === '-')
      this.zoomAtCursor(2);
    else if (key === 'Enter' || key === ' ')
      this.choose(this.cursor ?? this.middle());
    else if (key === 'Backspace')
      this.viewport.back();
    else
      return false;
    return true;
  }
  /** Moves the cross by part of the picture, and the picture with it. */
  moveCursor(right, down, steps) {
    const {start, end, low, high} = this.viewport.window;
    const at = this.cursor ?? this.middle();
    const clamp = (number, from, to) => Math.min(Math.max(number, from), to);
    const time = clamp(at.time + right * steps * (end - start) / 100,
                       this.viewport.start, this.viewport.end);
    const place = clamp(at.place + down * steps * (high - low) / 100, 0, 1);
    const shift = (value, from, to) => value < from ? value - from : value > to ? value - to : 0;
    const later = shift(time, start, end), higher = shift(place, low, high);
    if (later || higher)
      this.viewport.show({start: start + later, end: end + later,
                          low: low + higher, high: high + higher}, false);
    this.setCursor({time, place});
  }
  setCursor(cursor) {
    this.cursor = cursor;
    this.onCursor(cursor);
    this.redraw();
  }
  choose(at) {
    if (this.view?.bands.length)
      this.onPage(this.cellAt(at.time, at.place).granule);
  }
}
