// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The axis of addresses, and the grids of cells at every resolution.
'use strict';

const FULL_LEVEL = 15; // as HeatGrid::kFullLevel

/** How much of the axis all bands share equally, so that none is invisible. */
const EQUAL_SHARE = 0.3;

/** Less than a page is on the axis: at an edge it tells the two sides apart. */
const EDGE = 1e-12;

/**
 * The axis of addresses: 0 is below the lowest band, 1 above the highest. What
 * lies between bands was not used, and has no place on it.
 */
class AddressAxis {
  constructor(bands) {
    const total = bands.reduce((sum, band) => sum + band.end - band.first, 0);
    let at = 0;
    this.bands = bands.map(band => {
      const from = at;
      at += EQUAL_SHARE / bands.length +
            (1 - EQUAL_SHARE) * (band.end - band.first) / total;
      return {...band, from, to: at};
    });
    if (this.bands.length)
      this.bands.at(-1).to = 1;
    this.ends = this.bands.map(band => band.to);
  }
  /** The index of the band at a place. */
  bandAt(place) {
    const index = lowerBound(this.ends, place);
    const on = Math.min(index, this.bands.length - 1);
    return place === this.ends[on] && on + 1 < this.bands.length ? on + 1 : on;
  }
  /** Granules from the begin of the band on; not a whole number. */
  offsetAt(band, place) {
    const {first, end, from, to} = this.bands[band];
    return Math.min(Math.max((place - from) / (to - from), 0), 1) * (end - first);
  }
  granuleAt(place) {
    const index = this.bandAt(place);
    const {first, end} = this.bands[index];
    return Math.min(first + Math.floor(this.offsetAt(index, place)), end - 1);
  }
  bandOf(granule) {
    return this.bands.findIndex(band => granule >= band.first && granule < band.end);
  }
  /** The place of a granule's lower edge; of its middle with `part` 0.5. */
  placeOf(granule, part = 0) {
    const band = this.bands[this.bandOf(granule)];
    return band ? band.from + (granule + part - band.first) /
                      (band.end - band.first) * (band.to - band.from)
                : null;
  }
}

/** The level of two cells of equal size together, for all pairs of bytes. */
const combined = (() => {
  const share = level => level === 0 ? 0 : 2 ** (level - FULL_LEVEL);
  const together = (a, b) => {
    const mean = (share(a) + share(b)) / 2;
    return mean === 0 ? 0 : Math.max(1, Math.round(FULL_LEVEL + Math.log2(mean)));
  };
  const table = new Uint8Array(65536);
  for (let a = 0; a < 256; ++a)
    for (let b = 0; b < 256; ++b)
      table[a << 8 | b] = together(a & 15, b & 15) | together(a >> 4, b >> 4) << 4;
  return table;
})();

/** A grid, and the coarser ones that are made of it when they are needed. */
class Layer {
  constructor(view, description, bytes) {
    this.tid = description.tid;
    this.name = description.name;
    this.view = view;
    this.periodsPerBin = description.periods_per_bin;
    this.granulesPerRow = description.granules_per_row;
    /** By how many halvings the grid is coarser than the finest of the view. */
    this.shift = Math.round(Math.log2(description.periods_per_bin /
                                      view.layers[0].periods_per_bin));
    this.grids = new Map();
    this.grids.set('0,0', {bytes, bins: description.bins,
                           firstRows: this.firstRows(0), rows: description.rows});
  }
  /** The first row of each band, if a row has that many times more granules. */
  firstRows(halvings) {
    const size = this.granulesPerRow * 2 ** halvings;
    const rows = [0];
    for (const band of this.view.bands)
      rows.push(rows.at(-1) + Math.ceil((band.end - band.first) / size));
    return rows;
  }
  /** The grid with bins and rows halved so often. */
  grid(binHalvings, rowHalvings) {
    const key = `${binHalvings},${rowHalvings}`;
    if (!this.grids.has(key))
      this.grids.set(key, rowHalvings > 0
          ? this.halveRows(this.grid(binHalvings, rowHalvings - 1), rowHalvings)
          : Layer.halveBins(this.grid(binHalvings - 1, 0)));
    return this.grids.get(key);
  }
  static halveBins(grid) {
    const bins = Math.ceil(grid.bins / 2);
    const bytes = new Uint8Array(bins * grid.rows);
    for (let row = 0; row < grid.rows; ++row) {
      const from = row * grid.bins, to = row * bins;
      for (let bin = 0; bin + 1 < grid.bins; bin += 2)
        bytes[to + (bin >> 1)] =
            combined[grid.bytes[from + bin] << 8 | grid.bytes[from + bin + 1]];
      if (grid.bins & 1)
        bytes[to + bins - 1] = grid.bytes[from + grid.bins - 1];
    }
    return {...grid, bytes, bins};
  }
  halveRows(grid, rowHalvings) {
    const firstRows = this.firstRows(rowHalvings);
    const rows = firstRows.at(-1), bins = grid.bins;
    const bytes = new Uint8Array(bins * rows);
    for (let band = 0; band + 1 < firstRows.length; ++band) {
      const end = grid.firstRows[band + 1];
      let to = firstRows[band] * bins;
      for (let row = grid.firstRows[band]; row < end; row += 2, to += bins) {
        const lower = row * bins;
        const upper = row + 1 < end ? lower + bins : lower;
        for (let bin = 0; bin < bins; ++bin)
          bytes[to + bin] =
              combined[grid.bytes[lower + bin] << 8 | grid.bytes[upper + bin]];
      }
    }
    return {bytes, bins, rows, firstRows};
  }
  /** Cells as bytes of one granule over all bins of the finest grid. */
  history(granule) {
    const grid = this.grid(0, 0);
    const band = this.view.axis.bandOf(granule);
    const row = grid.firstRows[band] +
        Math.floor((granule - this.view.bands[band].first) / this.granulesPerRow);
    return grid.bytes.subarray(row * grid.bins, (row + 1) * grid.bins);
  }
}
