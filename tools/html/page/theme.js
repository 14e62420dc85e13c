// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colours and words of kinds come with the data: `report heatmap` has the same
// (kHeatLooks in report/heat_picture.h). Reads, writes and both can be hatched too.
'use strict';

const KINDS = ['read', 'written', 'both'];

/** What a cell shows under a choice of kind: null, or [kind, level]. */
function shownOf(cell, choice) {
  const read = cell & 15, written = cell >> 4;
  if (choice === 'read')
    return read ? ['read', read] : null;
  if (choice === 'written')
    return written ? ['written', written] : null;
  if (read && written)
    return ['both', Math.max(read, written)];
  if (choice === 'both' || cell === 0)
    return null;
  return read ? ['read', read] : ['written', written];
}

class Theme {
  constructor(looks) {
    this.looks = looks;
    this.system = matchMedia('(prefers-color-scheme: dark)');
    this.chosen = '';
    this.listeners = [];
    this.system.addEventListener('change', () => this.apply());
    this.apply();
  }
  choose(name) {
    this.chosen = name;
    this.apply();
  }
  apply() {
    const dark = this.chosen ? this.chosen === 'dark' : this.system.matches;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    const {style: own} = document.documentElement;
    for (const kind of KINDS)
      own.setProperty(`--${kind}`, this.looks[kind][dark ? 'dark' : 'light']);
    const style = getComputedStyle(document.documentElement);
    this.colors = {};
    for (const name of ['paper', 'ink', 'faint', 'line', 'panel', 'focus',
                        'read', 'written', 'both', 'accessed'])
      this.colors[name] = style.getPropertyValue(`--${name}`).trim();
    this.listeners.forEach(listener => listener());
  }
  /** What a kind is called, in a view that tells reads from writes or not. */
  name(kind, told) {
    return told.reads ? this.looks[kind].words : told.word;
  }
  /** The three bytes of a colour. */
  bytes(name) {
    const hex = this.colors[name];
    return [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));
  }
  /** The colour of a kind at a level; paler for lower ones. */
  color(kind, level) {
    const paper = this.bytes('paper'), full = this.bytes(kind);
    const strength = 0.4 + 0.6 * (level / FULL_LEVEL) ** 1.5;
    return full.map((byte, i) => Math.round(paper[i] + (byte - paper[i]) * strength));
  }
  /**
   * For each byte of a cell its pixel, four times: for pixels without a line of
   * hatching, on a horizontal one, on a slanted one, on both.
   */
  palette(choice, hatching) {
    const pixel = ([red, green, blue]) => (0xff << 24 | blue << 16 | green << 8 | red) >>> 0;
    const paper = this.bytes('paper');
    const palette = new Uint32Array(4 * 256).fill(pixel(paper));
    for (let cell = 1; cell < 256; ++cell) {
      const shown = shownOf(cell, choice);
      if (!shown)
        continue;
      const color = this.color(...shown);
      const line = pixel(color.map((byte, i) => Math.round(byte + (paper[i] - byte) * 0.75)));
      const lines = {read: 1, written: 2, both: 3}[shown[0]];
      for (let on = 0; on < 4; ++on)
        palette[on << 8 | cell] = hatching && (on & lines) ? line : pixel(color);
    }
    return palette;
  }
  /** Which lines of hatching a pixel is on. */
  static linesAt(x, y, unit) {
    const spacing = Math.round(6 * unit), width = Math.max(1, Math.round(unit));
    return (y % spacing < width ? 1 : 0) | ((x + y) % spacing < width ? 2 : 0);
  }
}
