// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables that sort and filter.
'use strict';

const ROWS_AT_ONCE = 25;
const COMPARISONS = {
  '>': (a, b) => a > b, '<': (a, b) => a < b, '=': (a, b) => a === b,
  '>=': (a, b) => a >= b, '<=': (a, b) => a <= b,
};

/**
 * A table of rows of any kind. A column has a title, value(row) to sort and
 * compare by, and may have: format(row), a text or an element; text: it holds
 * words; name: what a filter calls it.
 */
class DataTable {
  constructor(columns, rows, {hint = '', sort = 0, extra = [], note = ''} = {}) {
    this.columns = columns;
    this.rows = rows;
    this.sort = {column: Math.abs(sort), down: sort >= 0 && !columns[Math.abs(sort)].text};
    this.shown = ROWS_AT_ONCE;
    this.accepts = () => true;
    this.filter = make('input', {type: 'search', placeholder: hint, spellcheck: false});
    this.filter.autocomplete = 'off';
    this.filter.addEventListener('input', () => this.refresh());
    this.count = make('span', {role: 'status'});
    this.body = make('tbody');
    this.heads = columns.map((column, i) => {
      const button = make('button', {type: 'button', textContent: column.title});
      button.addEventListener('click', () => this.sortBy(i));
      return make('th', {scope: 'col', className: column.text ? 'text' : '',
                         title: column.help ?? ''}, button);
    });
    this.more = make('button', {type: 'button', textContent: 'More rows'});
    this.more.addEventListener('click', () => {
      this.shown += 8 * ROWS_AT_ONCE;
      this.fill();
    });
    this.element = make('div', {},
        make('div', {className: 'filter'},
             make('label', {}, 'Filter ', this.filter), ...extra, this.count),
        make('p', {className: 'note', textContent: note}),
        scrollBox(make('table', {}, make('thead', {}, make('tr', {}, ...this.heads)), this.body)),
        this.more);
    this.refresh();
  }
  sortBy(column) {
    const down = this.sort.column === column ? !this.sort.down : !this.columns[column].text;
    this.sort = {column, down};
    this.refresh();
  }
  /** The test that the words of the filter make. */
  test() {
    const tests = this.filter.value.trim().toLowerCase().split(/\s+/).filter(Boolean).map(word => {
      const [, name, sign, number] = /^([a-z]+)(>=|<=|>|<|=)(\d+(?:\.\d+)?)$/.exec(word) ?? [];
      const column = name && this.columns.find(each => each.name === name);
      if (column)
        return row => COMPARISONS[sign](column.value(row), Number(number));
      const texts = this.columns.filter(each => each.text);
      return row => texts.some(each => String(each.words?.(row) ?? each.value(row))
                                           .toLowerCase().includes(word));
    });
    return row => this.accepts(row) && tests.every(accepts => accepts(row));
  }
  refresh() {
    const {column, down} = this.sort;
    const value = this.columns[column].value, sign = down ? -1 : 1;
    this.matching = this.rows.filter(this.test());
    this.matching.sort((a, b) => {
      const x = value(a), y = value(b);
      return x < y ? -sign : x > y ? sign : 0;
    });
    this.heads.forEach((head, i) => head.setAttribute(
        'aria-sort', i !== column ? 'none' : down ? 'descending' : 'ascending'));
    this.columns.forEach(({title}, i) => {
      this.heads[i].firstChild.textContent = title + (i !== column ? '' : down ? ' \u25be' : ' \u25b4');
    });
    this.shown = ROWS_AT_ONCE;
    this.fill();
  }
  fill() {
    this.body.replaceChildren(...Array.from(this.matching.slice(0, this.shown), row =>
      make('tr', {}, ...this.columns.map(column => {
        const content = column.format ? column.format(row) : column.value(row);
        return make('td', {className: column.text ? 'text' + (column.long ? ' long' : '') : ''},
                    typeof content === 'number' ? formatCount(content) : content);
      }))));
    const all = this.rows.length, here = this.matching.length;
    this.count.textContent = here === all ? plural(all, 'row')
        : `${formatCount(here)} of ${plural(all, 'row')}`;
    this.more.hidden = here <= this.shown;
  }
}

/** A button that looks like a link. */
function linkTo(text, act, className = '') {
  const button = make('button', {type: 'button', textContent: text, className});
  button.addEventListener('click', act);
  return button;
}

function pagesTable(view, pages, viewport, onPage) {
  const mapping = row => view.mappings[pages.mapping[row]] ?? '';
  const columns = [
    {title: 'Address', text: true, value: row => pages.granule[row],
     words: row => formatAddress(pages.granule[row] * view.granule_bytes),
     format: row => linkTo(formatAddress(pages.granule[row] * view.granule_bytes),
                           () => onPage(pages.granule[row]), 'address')},
    {title: 'Mapping', text: true, value: mapping,
     format: row => make('span', {title: mapping(row), textContent: shortName(mapping(row))})},
    {title: 'Periods', name: 'periods', value: row => pages.periods[row],
     help: `periods in which the page was ${view.told.word}`},
    ...(view.told.reads ? [{title: 'Written', name: 'written', value: row => pages.written[row],
                            help: 'periods in which the page was written'}] : []),
    {title: 'First', name: 'first', value: row => pages.first[row],
     format: row => formatTime(pages.first[row])},
    {title: 'Last', name: 'last', value: row => pages.last[row],
     format: row => formatTime(pages.last[row])},
  ];
  if (pages.stable.some(count => count > 0))
    columns.push({title: 'Changes', name: 'changes', value: row => pages.changed[row],
                  help: 'checksums that differ from the one before'});
  const rows = Array.from({length: pages.count}, (unused, i) => i);
  const inView = make('input', {type: 'checkbox', id: 'in-view'});
  const {count, listed} = view.pages;
  const table = new DataTable(columns, rows, {
    hint: view.told.reads ? 'libc written>0 periods>=10' : 'libc periods>=10', sort: 2,
    extra: [make('label', {className: 'check'}, inView, ' only what the heatmap shows')],
    note: `Pages, and the periods in which they were ${view.told.reads ? 'accessed and written' : view.told.word}. ` +
        (listed < count ? `The ${formatCount(listed)} pages with the most periods are listed, of ${formatCount(count)}.` : ''),
  });
  /** Follows the heatmap if the user wants it. */
  table.follow = () => {
    const {start, end, low, high} = viewport.window;
    const [first, last] = inView.checked && view.axis.bands.length
        ? [view.axis.granuleAt(low + EDGE), view.axis.granuleAt(high - EDGE)] : [];
    table.accepts = row => !inView.checked ||
        pages.granule[row] >= first && pages.granule[row] <= last &&
        pages.first[row] < end && pages.last[row] >= start;
    table.refresh();
  };
  table.followIfAsked = () => inView.checked && table.follow();
  inView.addEventListener('change', () => table.follow());
  return table;
}

/** Says how many rows a table lacks, so that the file is not too large. */
function leftOut(report, noun) {
  return report.left_out
      ? ` ${formatCount(report.left_out)} more ${noun} are left out, so that this file does not become too large.` : '';
}

function mappingsTable(report, bytes, told, onMapping) {
  const columns = [
    {title: 'Mapping', text: true, long: true, value: row => row.name,
     format: row => linkTo(row.name, () => onMapping(row.name))},
    {title: 'Pages', name: 'pages', value: row => row.distinct},
    {title: 'Size', value: row => row.distinct, format: row => formatBytes(row.distinct * bytes)},
  ];
  if (report.mappings.some(row => row.read !== null))
    columns.push({title: 'Read', name: 'read', value: row => row.read},
                 {title: 'Written', name: 'written', value: row => row.written});
  columns.push({title: 'Periods', name: 'periods', value: row => row.periods,
                help: `periods in which any page of the mapping was ${told.word}`});
  return new DataTable(columns, report.mappings, {
    hint: 'libc pages>10', sort: 1,
    note: `Distinct pages that were ${told.word} in each mapping, of all processes.` + leftOut(report, 'mappings')});
}

function processesTable(data, onProcess) {
  const report = data.processes, bytes = report.granule_bytes;
  const viewed = row => data.views.findIndex(view => view.file === row.file);
  const columns = [
    {title: 'Command', text: true, long: true,
     value: row => row.command || row.executable || row.file,
     words: row => `${row.command || row.executable || row.file} ${row.pid}`,
     format: row => viewed(row) < 0 || data.views.length < 2
         ? row.command || row.executable || row.file
         : linkTo(row.command || row.executable || row.file, () => onProcess(viewed(row)))},
    {title: 'Process', name: 'process', value: row => row.pid, format: row => String(row.pid)},
    {title: 'Starts', name: 'starts', value: row => row.start_ns,
     format: row => formatTime(row.start_ns / 1e9)},
    {title: 'Ends', name: 'ends', value: row => row.end_ns,
     format: row => formatTime(row.end_ns / 1e9)},
    {title: 'Periods', name: 'periods', value: row => row.periods},
    {title: 'Peak', name: 'peak', value: row => row.peak, help: 'pages of the largest period'},
    {title: 'Pages', name: 'pages', value: row => row.distinct},
    {title: 'Size', value: row => row.distinct, format: row => formatBytes(row.distinct * bytes)},
  ];
  if (report.processes.some(row => row.written !== null))
    columns.push({title: 'Written', name: 'written', value: row => row.written});
  if (report.shared_memory.length > 0)
    columns.push({title: 'Shared', name: 'shared', value: row => row.shared,
                  help: 'pages of shared memory that another process accessed too'});
  const note = (data.views.length < data.process_count
      ? `${plural(data.views.length, 'process', 'processes')} of ${formatCount(data.process_count)} can be looked at: those with the most pages.` : '') +
      leftOut(report, 'processes');
  return new DataTable(columns, report.processes, {hint: 'make peak>100', sort: 6, note});
}

/** Shared memory, and who shares it. Null if there is none. */
function sharedMemoryTable(data) {
  const report = data.processes, bytes = report.granule_bytes;
  if (report.shared_memory.length === 0)
    return null;
  const columns = [
    {title: 'Shared memory', text: true, long: true, value: row => row.name},
    {title: 'Processes', name: 'processes', value: row => row.pids.length},
    {title: 'Which', text: true, long: true, value: row => row.pids.join(' ')},
    {title: 'Pages', name: 'pages', value: row => row.distinct},
    {title: 'Size', value: row => row.distinct, format: row => formatBytes(row.distinct * bytes)},
  ];
  if (report.shared_memory.some(row => row.written !== null))
    columns.push({title: 'Written', name: 'written', value: row => row.written});
  return new DataTable(columns, report.shared_memory, {
    hint: '/dev/shm processes>2', sort: 3,
    note: 'Pages of shared memory that two processes or more accessed. A page is the same one wherever a process has it.'});
}

function threadsPanel(data, theme, onThread) {
  const report = data.threads;
  const severalProcesses = new Set(report.threads.map(row => row.pid)).size > 1;
  const columns = [
    {title: 'Thread', name: 'thread', text: true, value: row => row.tid,
     words: row => `${row.tid} ${row.name}`,
     format: row => linkTo(row.tid ? `${row.tid} ${row.name}` : '0 without own sets', () => onThread(row))},
    ...(severalProcesses ? [{title: 'Process', value: row => row.pid, format: row => String(row.pid)}] : []),
    {title: 'Periods', name: 'periods', value: row => row.periods},
    {title: 'Pages', name: 'pages', value: row => row.accessed},
    ...(report.threads.some(row => row.written !== null)
        ? [{title: 'Written', name: 'written', value: row => row.written}] : []),
    {title: 'Private', name: 'private', value: row => row.private,
     help: 'pages that no other thread accessed'},
    {title: 'Shared', name: 'shared', value: row => row.shared},
    ...(report.threads.some(row => row.contested !== null)
        ? [{title: 'Contested', name: 'contested', value: row => row.contested,
            help: 'shared pages that at least one thread wrote'}] : []),
  ];
  const table = new DataTable(columns, report.threads, {
    hint: 'worker private>10', sort: severalProcesses ? 3 : 2,
    note: 'Private pages were accessed by this thread alone. Contested are shared pages that at least one thread wrote.' + leftOut(report, 'threads')});
  const panel = make('div', {}, table.element);
  const shown = report.threads.slice(0, report.sharing.accessed.length);
  const matrix = (title, note, cells) => {
    if (!cells || shown.length < 2)
      return;
    const most = Math.max(1, ...shown.flatMap((row, i) => shown.map((column, j) => cells[i][j])));
    const head = make('tr', {}, make('th', {textContent: 'thread'}),
        ...shown.map(row => make('th', {scope: 'col', textContent: String(row.tid)})));
    const lines = shown.map((row, i) => make('tr', {},
        make('th', {scope: 'row', className: 'text', textContent: `${row.tid} ${row.name}`}),
        ...shown.map((column, j) => {
          const cell = make('td', {textContent: cells[i][j] ? formatCount(cells[i][j]) : '.'});
          cell.style.background = `color-mix(in srgb, var(--read) ${Math.round(55 * Math.sqrt(cells[i][j] / most))}%, transparent)`;
          return cell;
        })));
    panel.append(make('h3', {textContent: title}), make('p', {className: 'note', textContent: note}),
        scrollBox(make('table', {className: 'matrix'},
            make('thead', {}, head), make('tbody', {}, ...lines))));
  };
  matrix('Sharing', 'Pages that both threads accessed, at any time. Where row and column are one thread: its private pages.',
         report.sharing.accessed);
  matrix('Contest', 'Pages that the thread of the row wrote and the thread of the column accessed. Where they are one thread: private pages that it wrote.',
         report.sharing.written);
  if (report.threads.length > shown.length)
    panel.append(make('p', {className: 'note', textContent: `The squares have the ${shown.length} threads with the most pages.`}));
  return panel;
}
