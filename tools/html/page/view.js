// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What part of the run is looked at. The heatmap, the curves and the table of
// pages all show it, and any of them can change it.
'use strict';

const MIN_PLACES = 1e-9;

class Viewport {
  constructor() {
    this.listeners = [];
    this.history = [];
    this.setBounds(0, 1);
  }
  /** All of the time that can be shown, in seconds. */
  setBounds(start, end) {
    this.start = start;
    this.end = end > start ? end : start + 1e-6;
    this.history = [];
    this.window = this.all();
    this.tell();
  }
  all() {
    return {start: this.start, end: this.end, low: 0, high: 1};
  }
  isAll() {
    const {start, end, low, high} = this.window;
    return start === this.start && end === this.end && low === 0 && high === 1;
  }
  tell() {
    this.listeners.forEach(listener => listener(this.window));
  }
  /** Shows another part. `keep` says that Back shall lead to the one before. */
  show(part, keep = true) {
    const next = {...this.window, ...part};
    const least = (this.end - this.start) * 1e-6;
    const clamp = (low, high, from, to, min) => {
      const length = Math.min(Math.max(high - low, min), to - from);
      const begin = Math.min(Math.max(low, from), to - length);
      return [begin, begin + length >= to - min / 2 ? to : begin + length];
    };
    [next.start, next.end] = clamp(next.start, next.end, this.start, this.end, least);
    [next.low, next.high] = clamp(next.low, next.high, 0, 1, MIN_PLACES);
    if (['start', 'end', 'low', 'high'].every(name => next[name] === this.window[name]))
      return;
    if (keep) {
      this.history.push(this.window);
      if (this.history.length > 100)
        this.history.shift();
    }
    this.window = next;
    this.tell();
  }
  back() {
    if (!this.history.length)
      return;
    this.window = this.history.pop();
    this.tell();
  }
  reset() {
    this.show(this.all());
  }
  /** Zooms at a time and a place of the axis. Below 1 is closer. */
  zoom(factor, time, place, {times = true, places = true} = {}, keep = true) {
    const {start, end, low, high} = this.window;
    const part = {};
    if (times) {
      part.start = time - (time - start) * factor;
      part.end = time + (end - time) * factor;
    }
    if (places) {
      part.low = place - (place - low) * factor;
      part.high = place + (high - place) * factor;
    }
    this.show(part, keep);
  }
}
