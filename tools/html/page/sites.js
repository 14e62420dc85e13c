// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in the source: a table, and the lines around a place.
'use strict';

const LINES_AROUND = 4;

class SitesPanel {
  constructor(data) {
    this.sites = data.sites;
    const {list, count, is_lower_bound: bound} = this.sites;
    const columns = [
      {title: 'Place', text: true, long: true, value: row => list[row].text,
       format: row => linkTo(list[row].text, () => this.show(row))},
      {title: 'Pages', name: 'pages', value: row => list[row].pages,
       help: 'distinct pages that the place touched'},
      ...(list.some(site => site.written !== null)
          ? [{title: 'Written', name: 'written', value: row => list[row].written}] : []),
      {title: 'Shared', name: 'shared', value: row => list[row].shared,
       help: 'of these, pages that several threads touched'},
      {title: 'Threads', name: 'threads', value: row => list[row].threads,
       help: 'the most threads that touched one of the pages'},
      {title: 'Periods', name: 'periods', value: row => list[row].periods,
       help: 'periods in which the place touched anything'},
    ];
    const parts = ['Places in the source, by the pages that they touched. A mark names one of the accesses that share it, so other lines may have touched the same pages.'];
    if (list.length < count)
      parts.push(`The ${formatCount(list.length)} places with the most pages are listed, of ${formatCount(count)}.`);
    if (bound)
      parts.push('Memory did not suffice for all pages: the counts are lower bounds.');
    this.source = make('div', {id: 'source', tabIndex: -1});
    this.element = make('div', {},
        new DataTable(columns, list.map((site, i) => i), {
          hint: 'main pages>10 shared>0', sort: 1, note: parts.join(' ')}).element,
        this.source);
    this.atLines = this.countLines();
    const first = list.findIndex(site => site.places.length);
    if (first >= 0)
      this.show(first, false);
  }
  /** For each file and line the pages of its busiest place. */
  countLines() {
    const atLines = new Map();
    for (const {places, pages} of this.sites.list)
      if (places.length) {
        const key = places[0].join(':');
        atLines.set(key, Math.max(atLines.get(key) ?? 0, pages));
      }
    return atLines;
  }
  /** Shows the lines around a place, and around those where it was inlined. */
  show(number, focus = true) {
    const {text, places, pages} = this.sites.list[number];
    this.source.replaceChildren(
        make('h3', {textContent: text}),
        make('p', {className: 'note', textContent: places.length
            ? `This place touched ${plural(pages, 'page')}. Numbers before lines: pages of the busiest place in the line.`
            : `This place touched ${plural(pages, 'page')}. Its line in the source is not known: the program has no debug information there (-g).`}),
        ...places.map(place => this.excerpt(...place)));
    if (focus) {
      this.source.focus({preventScroll: true});
      this.source.scrollIntoView({block: 'nearest'});
    }
  }
  excerpt(fileNumber, line, role) {
    const {path, problem, lines} = this.sites.files[fileNumber];
    const shown = lines.filter(([number]) => Math.abs(number - line) <= LINES_AROUND);
    const title = `${['', 'inlined in ', 'or else '][role]}${path}:${line}`;
    const box = make('div', {}, make('h4', {textContent: title}));
    if (!shown.some(([number]) => number === line)) {
      box.append(make('p', {className: 'note', textContent: `The line is not shown: ${problem || 'it is not there'}.`}));
      return box;
    }
    const rows = shown.map(([number, text]) => {
      const count = this.atLines.get(`${fileNumber}:${number}`);
      return make('tr', {className: number === line ? 'hit' : ''},
          make('td', {className: 'count', textContent: count ? formatCount(count) : ''}),
          make('td', {className: 'number', textContent: String(number)}),
          make('td', {className: 'code', textContent: text}));
    });
    box.append(scrollBox(make('table', {className: 'source'}, make('tbody', {}, ...rows))));
    return box;
  }
}
