// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happened to one page, or to the neighbours that share its row of cells.
'use strict';

const MAX_LISTED = 200;

/** Stretches of bins with the same kind: [{kind, from, to}] in bins. */
function stretchesOf(history) {
  const stretches = [];
  for (let bin = 0; bin < history.length; ++bin) {
    const shown = shownOf(history[bin], 'all');
    if (!shown)
      continue;
    const previous = stretches.at(-1);
    if (previous && previous.kind === shown[0] && previous.to === bin)
      previous.to = bin + 1;
    else
      stretches.push({kind: shown[0], from: bin, to: bin + 1});
  }
  return stretches;
}

class Details {
  constructor(section, theme) {
    this.section = section;
    this.theme = theme;
    this.onClose = () => {};
    byId('close-details').addEventListener('click', () => this.close());
    theme.listeners.push(() => this.drawStrip());
    new ResizeObserver(() => this.drawStrip()).observe(section);
  }
  isOpen() {
    return !this.section.hidden;
  }
  close() {
    this.section.hidden = true;
    this.shown = null;
    this.onClose();
  }
  /** Shows a granule of a view. `viewport` gives the time of the strip. */
  show(view, layers, granule, layer) {
    const size = view.granule_bytes;
    const exact = layer.granulesPerRow === 1;
    const band = view.bands[view.axis.bandOf(granule)];
    const first = band.first + Math.floor((granule - band.first) / layer.granulesPerRow) * layer.granulesPerRow;
    const last = Math.min(first + layer.granulesPerRow, band.end) - 1;
    const index = view.loaded ? view.loaded.indexOf(granule) : -1;
    const name = index >= 0 ? view.mappings[view.loaded.mapping[index]] : band.label;
    byId('details-heading').textContent =
        `Page ${formatAddress(granule * size)} in ${name}`;
    const history = layer.history(granule);
    this.shown = {view, layer, history};
    const body = byId('details-body');
    body.replaceChildren();
    this.strip = make('canvas', {role: 'img'});
    this.strip.setAttribute('aria-label', 'History of the page');
    body.append(make('div', {className: 'wide'},
        make('p', {className: 'note', textContent: exact
            ? `Its history from ${formatTime(view.binStarts[0])} to ${formatTime(view.binEnds.at(-1))}` +
              (layer.periodsPerBin === 1 ? '' : `, in steps of ${formatCount(layer.periodsPerBin)} periods`)
            : `The history of ${plural(last - first + 1, 'page')}, ${formatAddress(first * size)} to ` +
              `${formatAddress((last + 1) * size - 1)}, which the heatmap has in one row, ` +
              `from ${formatTime(view.binStarts[0])} to ${formatTime(view.binEnds.at(-1))}`}),
        this.strip));
    body.append(this.accesses(view, layer, history, index, exact));
    body.append(this.checksums(view, granule, index));
    if (view.loaded.sitesOf)
      body.append(this.touchedBy(view, index));
    const threads = this.threads(layers, granule);
    if (threads)
      body.append(threads);
    this.section.hidden = false;
    this.drawStrip();
  }
  accesses(view, layer, history, index, exact) {
    const box = make('div', {}, make('h3', {textContent: exact ? 'Accesses' : 'Accesses of the row'}));
    if (index >= 0) {
      const pages = view.loaded;
      box.prepend(make('p', {textContent:
          `This page was ${view.told.word} in ${formatCount(pages.periods[index])} of ${plural(view.periods, 'period')}` +
          (view.told.reads ? `, written in ${formatCount(pages.written[index])}` : '') +
          `, first at ${formatTime(pages.first[index])}, last at ${formatTime(pages.last[index])}.`}));
    } else {
      box.prepend(make('p', {textContent: view.pages.listed < view.pages.count
          ? 'This page is not among those that are listed one by one.'
          : 'No certain access to this page was recorded.'}));
    }
    const bin = (number, of) => of[Math.min(number, of.length - 1)];
    const list = make('ol');
    const stretches = stretchesOf(history);
    for (const {kind, from, to} of stretches.slice(0, MAX_LISTED)) {
      const start = bin(from << layer.shift, view.binStarts);
      const end = bin((to << layer.shift) - 1, view.binEnds);
      list.append(make('li', {textContent: `${formatTime(start)} to ${formatTime(end)}: ${this.theme.name(kind, view.told)}`}));
    }
    box.append(list);
    if (stretches.length > MAX_LISTED)
      box.append(make('p', {className: 'note', textContent: `and ${formatCount(stretches.length - MAX_LISTED)} more`}));
    return box;
  }
  checksums(view, granule, index) {
    const box = make('div', {}, make('h3', {textContent: 'Checksums'}));
    if (view.checksum_mode === 'none') {
      box.append(make('p', {className: 'note', textContent:
          'The trace has none. Record it with --checksum written to see when the content changed.'}));
      return box;
    }
    const pages = view.loaded;
    if (index < 0 || pages.stable[index] + pages.unstable[index] === 0) {
      box.append(make('p', {textContent: 'No checksum of this page was taken.'}));
      return box;
    }
    const stable = pages.stable[index], changed = pages.changed[index];
    box.append(make('p', {textContent:
        `${plural(stable, 'checksum')}, of which ${formatCount(changed)} differ${changed === 1 ? 's' : ''} from the one before; ` +
        `${formatCount(pages.unstable[index])} could not be taken.` +
        (view.checksum_mode === 'written' && stable > changed + 1
            ? ` ${formatCount(stable - changed - 1)} times the page was written and had the same content at the end of the period.` : '')}));
    const events = pages.eventsOf(granule);
    const list = make('ol');
    events.forEach(({time, hash}, i) => list.append(make('li', {},
        `${formatTime(time)}: `, make('code', {textContent: hash}), i === 0 ? ' first' : ' changed')));
    box.append(list);
    if (events.length < changed + 1)
      box.append(make('p', {className: 'note', textContent: 'Later changes are not listed.'}));
    return box;
  }
  /** Which places in the source touched the page. */
  touchedBy(view, index) {
    const box = make('div', {}, make('h3', {textContent: 'Sites'}));
    if (index < 0) {
      box.append(make('p', {textContent: 'The places that touched this page are not listed.'}));
      return box;
    }
    const {read, written} = view.loaded.sitesOf(index);
    const tellsWrites = view.layout === 'rw';
    const add = (word, {listed, others}) => {
      if (!listed.length && !others)
        return;
      const list = make('ol', {}, ...listed.map(number => {
        const site = this.sites.list[number];
        return make('li', {}, site ? linkTo(site.text, () => this.onSite(number)) : 'a place that is not listed');
      }));
      if (others)
        list.append(make('li', {textContent: `and ${formatCount(others)} more`}));
      box.append(make('p', {textContent: `${word} from, in the course of the run:`}), list);
    };
    add(tellsWrites ? 'Read' : 'Accessed', read);
    add('Written', written);
    if (box.childElementCount === 1)
      box.append(make('p', {textContent: 'No place is known.'}));
    return box;
  }
  threads(layers, granule) {
    const having = layers.filter(layer => layer.tid !== null)
        .map(layer => ({layer, stretches: stretchesOf(layer.history(granule))}))
        .filter(({stretches}) => stretches.length);
    if (!having.length)
      return null;
    const coarse = having[0].layer.granulesPerRow;
    const list = make('ol');
    for (const {layer, stretches} of having) {
      const kinds = KINDS.filter(kind => stretches.some(stretch => stretch.kind === kind));
      list.append(make('li', {textContent: `${layer.tid} ${layer.name}: ` +
          kinds.map(kind => this.theme.name(kind, layer.view.told)).join(', ')}));
    }
    return make('div', {}, make('h3', {textContent: coarse === 1 ? 'Threads' : `Threads, of ${coarse} pages`}), list);
  }
  drawStrip() {
    if (!this.shown || !this.strip)
      return;
    const {view, layer, history} = this.shown;
    const unit = window.devicePixelRatio || 1;
    const width = this.strip.width = Math.max(Math.round(this.strip.clientWidth * unit), 1);
    const height = this.strip.height = Math.max(Math.round(this.strip.clientHeight * unit), 1);
    const context = this.strip.getContext('2d');
    const start = view.binStarts[0], length = view.binEnds.at(-1) - start || 1;
    for (let bin = 0; bin < history.length; ++bin) {
      const shown = shownOf(history[bin], 'all');
      if (!shown)
        continue;
      const from = view.binStarts[bin << layer.shift];
      const to = view.binEnds[Math.min((bin + 1 << layer.shift) - 1, view.binEnds.length - 1)];
      const x = Math.floor((from - start) / length * width);
      context.fillStyle = `rgb(${this.theme.color(...shown).join(' ')})`;
      // Reads fill the upper half and writes the lower one, so that the kinds
      // differ without colour.
      const top = shown[0] === 'written' ? height / 2 : 0;
      const tall = shown[0] === 'both' ? height : height / 2;
      context.fillRect(x, top, Math.max(Math.ceil((to - start) / length * width) - x, 1), tall);
    }
  }
}
