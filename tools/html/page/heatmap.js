// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The picture of time and addresses.
'use strict';

class Heatmap extends TimePicture {
  constructor(canvas, viewport, theme) {
    super(canvas, viewport, theme, false);
    this.kind = 'all';
    this.hatching = false;
    this.selected = null; // a granule
    this.onPage = () => {};
    this.onCursor = () => {};
    this.listen();
  }
  setView(view, layer) {
    this.view = view;
    this.layer = layer;
    this.redraw();
  }
  /** Addresses rise downwards, as in the pictures of `report heatmap`. */
  placeAt(y) {
    const {top, height} = this.plot(), {low, high} = this.viewport.window;
    return low + (y - top) / height * (high - low);
  }
  yOf(place) {
    const {top, height} = this.plot(), {low, high} = this.viewport.window;
    return top + (place - low) / (high - low) * height;
  }
  at(x, y) {
    return {time: this.timeAt(x), place: this.placeAt(y)};
  }

  //--- Pixels ---------------------------------------------------------------

  draw() {
    if (!this.view)
      return;
    const {context, unit} = this.clear();
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
      const y = Math.round(this.yOf(band.from)) + 0.5;
      if (band.from > low && band.from < high)
        this.line(context, left, y, left + width, y);
    }
    context.restore();

    // The tallest bands get their names first; thin neighbours of one name get one.
    const lineHeight = 14;
    const clamp = place => Math.min(Math.max(this.yOf(place), top), top + height);
    const visible = [];
    for (const band of this.view.axis.bands) {
      const upper = clamp(band.from), lower = clamp(band.to), tall = lower - upper;
      const label = shortName(band.label) + (band.more ? ` + ${band.more} more` : '');
      const previous = visible.at(-1);
      if (tall <= 0)
        continue;
      if (previous?.label === label && (previous.isThin || tall < 2 * lineHeight))
        Object.assign(previous, {lower, tall: lower - previous.upper, bands: [...previous.bands, band]});
      else
        visible.push({label, upper, lower, tall, bands: [band], isThin: tall < 2 * lineHeight});
    }
    visible.sort((a, b) => b.tall - a.tall);
    const taken = [];
    for (const group of visible) {
      const middle = Math.min(Math.max((group.upper + group.lower) / 2, top + lineHeight / 2),
                              top + height - lineHeight / 2);
      this.font(context, 10.5);
      const place = this.placeTexts(context, group.bands, left - 14)
                        .slice(0, Math.max(Math.floor(group.tall / lineHeight) - 1, 0));
      const half = (1 + place.length) * lineHeight / 2;
      if (taken.some(([from, to]) => middle - half < to && middle + half > from))
        continue;
      taken.push([middle - half, middle + half]);
      context.textAlign = 'right';
      context.textBaseline = 'middle';
      const nameY = middle - half + lineHeight / 2;
      context.fillStyle = colors.faint;
      place.forEach((text, i) => context.fillText(text, left - 8, nameY + (i + 1) * lineHeight));
      this.font(context, 12);
      context.fillStyle = colors.ink;
      context.fillText(this.fitted(context, group.label, left - 14), left - 8, nameY);
      context.strokeStyle = colors.faint;
      this.line(context, left - 6, nameY, left - 2, nameY);
    }
  }
  /**
   * Where bands are, and how many pages they have, in one line or two. Each band
   * has some height, so that of a single page looks like many.
   */
  placeTexts(context, bands, width) {
    const fits = text => context.measureText(text).width <= width;
    const pages = bands.reduce((sum, {first, end}) => sum + end - first, 0);
    const parts = [formatAddress(bands[0].first * this.view.granule_bytes), plural(pages, 'page')];
    return fits(parts.join(', ')) ? [parts.join(', ')] : parts.filter(fits);
  }
  drawMarks(context, plot) {
    const {left, top, width, height} = plot;
    context.textAlign = 'left';
    context.fillText('addresses', 4, top + height + 22);
    this.clip(context, plot);
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
      this.line(context, x, top, x, top + height);
      this.line(context, left, y, left + width, y);
    }
    this.drawBox(context);
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

  //--- Mouse and keys -------------------------------------------------------

  /** A flat box is of time only, a narrow one of addresses only. */
  boxed({x0, y0, x1, y1}) {
    const part = {}, times = [this.timeAt(x0), this.timeAt(x1)];
    const places = [this.placeAt(y0), this.placeAt(y1)];
    if (Math.abs(x1 - x0) > 4)
      [part.start, part.end] = [Math.min(...times), Math.max(...times)];
    if (Math.abs(y1 - y0) > 4)
      [part.low, part.high] = [Math.min(...places), Math.max(...places)];
    this.viewport.show(part);
  }
  listen() {
    const canvas = this.canvas;
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
    super.setCursor(cursor);
    this.onCursor(cursor);
  }
  choose(at) {
    if (this.view?.bands.length)
      this.onPage(this.cellAt(at.time, at.place).granule);
  }
}
