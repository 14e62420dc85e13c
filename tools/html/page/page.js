// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the parts of the page together.
'use strict';

class Page {
  constructor(data) {
    this.data = data;
    data.views = data.views.map(({view, first_blob}) => ({...view, firstBlob: first_blob}));
    this.theme = new Theme(data.kinds);
    this.viewport = new Viewport();
    this.heatmap = new Heatmap(byId('heatmap'), this.viewport, this.theme);
    this.curves = new Curves(byId('curves'), byId('curves-legend'), this.viewport, this.theme);
    this.curves.onSteps = together => this.stepText(together);
    this.details = new Details(byId('details'), this.theme);
    this.heatmap.onPage = granule => this.showPage(granule);
    this.details.sites = data.sites;
    this.details.onSite = number => {
      this.chooseTab('sites');
      this.sitesPanel.show(number);
    };
    this.heatmap.onCursor = cursor => {
      this.read(cursor);
      this.curves.setCursor(cursor);
    };
    this.details.onClose = () => {
      this.heatmap.selected = null;
      this.heatmap.redraw();
    };
    this.viewport.listeners.push(window => this.followWindow(window));
    this.theme.listeners.push(() => this.legend());
    this.listen();
  }

  async start() {
    const {data} = this;
    document.title = data.title;
    byId('made-by').textContent = `Made by pagetide ${data.version}. This file needs no network.`;
    for (const view of data.views)
      this.prepare(view);
    const several = data.views.length > 1;
    byId('process-label').hidden = !several;
    if (several)
      byId('process').append(...data.views.map((view, i) => make('option', {
        value: String(i), textContent: `${view.pid} ${shortened(view.command, 48) || shortName(view.program) || '(unknown)'}`})));
    this.makeTabs();
    await this.showView(0);
  }

  /** Adds to a view what the data say in another form. */
  prepare(view) {
    view.axis = new AddressAxis(view.bands);
    view.binStarts = view.bins.start_us.map(us => us / TIME_UNIT);
    view.binEnds = view.binStarts.map((start, i) => start + view.bins.us[i] / TIME_UNIT);
    const {reads_only: onlyReads, writes_only: onlyWrites} = this.data;
    const both = view.layout === 'rw';
    const written = view.layout === 'write' || onlyWrites;
    view.told = {
      reads: both && !onlyReads && !onlyWrites,
      word: onlyReads ? 'read' : written ? 'written' : 'accessed',
    };
    view.told.kinds = view.told.reads ? KINDS : [written ? 'written' : 'read'];
  }

  //--- Choosing what is shown -----------------------------------------------

  async showView(number) {
    const view = this.data.views[number];
    this.view = view;
    this.number = number;
    byId('process').value = String(number);
    const verb = view.told.word === 'written' ? 'wrote' : view.told.word;
    byId('heading').textContent = `Which pages ${shortName(view.program) || `process ${view.pid}`} ${verb}, and when`;
    this.facts(view);
    this.details.close();
    if (!view.layersLoaded) {
      view.layersLoaded = await Promise.all(view.layers.map(
          async layer => new Layer(view, layer, await loadBlob(view.firstBlob + layer.blob))));
      view.loaded = await loadPages(view);
    }
    if (this.view !== view)
      return; // another one was chosen meanwhile
    this.fillChoices(view);
    this.viewport.setBounds(view.binStarts[0] ?? 0, view.binEnds.at(-1) ?? 1);
    this.chooseLayer(0);
    this.chooseCurves();
    this.pagesTable = pagesTable(view, view.loaded, this.viewport, granule => this.showPage(granule, true));
    this.panels.pages.replaceChildren(
        ...this.scope('Of the process that is shown above.'), this.pagesTable.element);
    document.documentElement.dataset.ready = String(number);
  }
  facts(view) {
    const period = view.period_ns ? ` of ${formatTime(view.period_ns / 1e9)}` : '';
    byId('facts').textContent = [
      shortened(view.command, 160), this.data.process_count > 1 ? `process ${view.pid}, one of ${formatCount(this.data.process_count)} of the run` : `process ${view.pid}`, `${plural(view.periods, 'period')}${period}`,
      `${plural(view.pages.count, 'page')} of ${formatBytes(view.granule_bytes)}`,
      `${formatBytes(view.pages.count * view.granule_bytes)} in all`, view.file].filter(Boolean).join(' \u00b7 ');
    const notices = [];
    if (this.data.selected)
      notices.push(`Selected: ${this.data.selected}.`);
    if (view.verdict !== 'complete')
      notices.push(view.verdict);
    if (view.pages.is_lower_bound)
      notices.push('Memory did not suffice for all pages: some are missing.');
    byId('notices').textContent = notices.join(' ');
  }
  fillChoices(view) {
    const threads = view.layersLoaded;
    byId('thread-label').hidden = threads.length < 2;
    byId('thread').replaceChildren(...threads.map((layer, i) => make('option', {
      value: String(i),
      textContent: i === 0 ? `all ${view.thread_count}` : layer.tid ? `${layer.tid} ${layer.name}` : '0 without own sets'})));
    const kinds = view.told.reads
        ? [['all', 'reads and writes'], ['read', 'reads'], ['written', 'writes'], ['both', 'both at once']] : [];
    byId('kind-label').hidden = kinds.length === 0;
    byId('kind').replaceChildren(...kinds.map(([value, textContent]) => make('option', {value, textContent})));
    this.heatmap.kind = 'all';
    const curves = [['sizes', 'size of each period'], ['growth', 'new pages, and all so far']];
    if (this.data.views.length > 1)
      curves.push(['run', 'size of each period, all processes together']);
    const choice = make('select', {id: 'curve'}, ...curves.map(([value, textContent]) => make('option', {value, textContent})));
    choice.addEventListener('change', () => this.chooseCurves());
    byId('curves-note').replaceChildren(make('label', {}, 'Curve ', choice),
        make('span', {id: 'curve-step'}));
  }
  chooseLayer(number) {
    const {view} = this;
    this.layer = view.layersLoaded[number];
    byId('thread').value = String(number);
    this.heatmap.setView(view, this.layer);
    this.legend();
    this.resolution();
    if (this.details.isOpen())
      this.showPage(this.heatmap.selected);
  }
  chooseCurves() {
    const {view, data} = this;
    const choice = byId('curve').value;
    this.curves.show(choice === 'run' ? runCurves(data.wss, view.granule_bytes, view.told,
                    {start: view.binStarts[0] ?? 0, end: view.binEnds.at(-1) ?? 0})
        : choice === 'growth' ? growthCurves(view) : sizeCurves(view, view.told));
  }
  /** Says what a step of the curves is. So many of their figures are joined. */
  stepText(together) {
    const {view, data} = this;
    const choice = byId('curve').value, periods = together * view.layers[0].periods_per_bin;
    byId('curve-step').textContent = ' ' + (choice === 'run'
        ? `Each step is the sum of the largest periods in ${formatTime(together * data.wss.stretch_ns / 1e9)}.`
        : periods === 1 ? 'Each step is a period.'
        : choice === 'growth' ? `Each step has ${plural(periods, 'period')}.`
        : `Each step is the largest of ${plural(periods, 'period')}.`) +
        (choice === 'run' ? ' This is the whole run; the blue bar is when this process was recorded.'
            : ' Drag over a time to zoom into it, here and in the heatmap.');
  }

  //--- Texts that follow ----------------------------------------------------

  legend() {
    if (!this.view || !this.layer)
      return;
    const {told} = this.view, {kinds} = told;
    const swatch = (kind, level) => {
      const canvas = make('canvas', {width: 26, height: 14});
      const context = canvas.getContext('2d');
      const image = context.createImageData(26, 14);
      const pixels = new Uint32Array(image.data.buffer);
      const palette = this.theme.palette('all', this.heatmap.hatching);
      for (let i = 0; i < pixels.length; ++i) {
        const cell = {read: level, written: level << 4, both: level << 4 | level}[kind];
        const lines = this.heatmap.hatching ? Theme.linesAt(i % 26, Math.floor(i / 26), 1) : 0;
        pixels[i] = palette[lines << 8 | cell];
      }
      context.putImageData(image, 0, 0);
      return canvas;
    };
    const entries = kinds.map(kind => make('span', {}, swatch(kind, FULL_LEVEL), this.theme.name(kind, told)));
    entries.push(make('span', {}, swatch(kinds[0], 15), swatch(kinds[0], 12), swatch(kinds[0], 8), swatch(kinds[0], 1),
                      'paler: in fewer of the pages and periods that one dot stands for'));
    entries.push(make('span', {textContent: 'dashed: addresses between are not used and left out; heights of different mappings do not compare'}));
    byId('legend').replaceChildren(...entries);
  }
  resolution() {
    const {periodsPerBin, granulesPerRow} = this.layer;
    const {view} = this, {granule_bytes} = view;
    const finest = this.view.layers[0];
    const exact = periodsPerBin === 1 && granulesPerRow === 1;
    let text = exact ? 'Resolution: every page in every period.'
        : `Resolution: this file has cells of ${plural(granulesPerRow, 'page')} (${formatBytes(granulesPerRow * granule_bytes)}) in ${plural(periodsPerBin, 'period')}.`;
    if (!exact && this.data.views.length > 1)
      text += ` ${plural(this.data.views.length, 'process', 'processes')} share the ${formatCount(this.data.max_bytes / 1e6)} MB that this file may have. For finer cells, make a file of one process: pagetide html --only ${view.file}.`;
    if (this.layer.tid !== null && this.layer.shift > 0)
      text += ` For all threads together they have ${plural(finest.granules_per_row, 'page')} in ${plural(finest.periods_per_bin, 'period')}.`;
    if (this.view.layersLoaded.length > 1 && this.view.thread_count > this.view.layersLoaded.length - 1)
      text += ` The ${this.view.layersLoaded.length - 1} threads with the most accesses can be chosen, of ${this.view.thread_count}.`;
    text += ' Accesses that are only possible, or carried over from an earlier period, are not shown.';
    byId('resolution').textContent = text;
  }
  followWindow({start, end, low, high}) {
    if (!this.view?.bands.length)
      return;
    const {axis, granule_bytes} = this.view;
    const step = (end - start) / 100;
    byId('window').textContent = this.viewport.isAll() ? 'All of it'
        : `${formatTime(start, step)} to ${formatTime(end, step)}, ` +
          `${formatAddress(axis.granuleAt(low + EDGE) * granule_bytes)} to ${formatAddress((axis.granuleAt(high - EDGE) + 1) * granule_bytes - 1)}`;
    byId('back').disabled = this.viewport.history.length === 0;
    byId('reset').disabled = this.viewport.isAll();
    byId('heatmap').setAttribute('aria-label', `Pages over time. Shown: ${byId('window').textContent}`);
    clearTimeout(this.following);
    this.following = setTimeout(() => this.pagesTable?.followIfAsked(), 150);
  }
  /** Says what is at the cross. */
  read(cursor) {
    const readout = byId('readout');
    if (!cursor || !this.view?.bands.length) {
      readout.textContent = '\u00a0';
      return;
    }
    const {granule, cell} = this.heatmap.cellAt(cursor.time, cursor.place);
    const band = this.view.bands[this.view.axis.bandOf(granule)];
    const shown = shownOf(cell, 'all');
    const {granulesPerRow, periodsPerBin} = this.layer;
    const exact = granulesPerRow === 1 && periodsPerBin === 1;
    const share = level => {
      const part = 2 ** (level - FULL_LEVEL);
      return exact || level === FULL_LEVEL ? '' : ` (about ${part >= 0.01 ? `${Math.round(part * 100)}` : part.toPrecision(1) * 100} % of the cell)`;
    };
    readout.textContent = `${formatTime(cursor.time, (this.viewport.window.end - this.viewport.window.start) / 1000)} \u00b7 ` +
        `${formatAddress(granule * this.view.granule_bytes)} \u00b7 ${band.label}: ` +
        (shown ? this.theme.name(shown[0], this.view.told) + share(shown[1]) : `not ${this.view.told.word}`);
  }

  //--- Pages and searching --------------------------------------------------

  /** Shows what happened to a page. `follow` moves the heatmap to it. */
  showPage(granule, follow = false) {
    const {view} = this;
    if (granule === null || view.axis.bandOf(granule) < 0)
      return;
    this.heatmap.selected = granule;
    this.details.show(view, view.layersLoaded, granule, this.layer);
    const place = view.axis.placeOf(granule, 0.5);
    const {low, high} = this.viewport.window;
    if (follow && (place < low || place > high))
      this.viewport.show({low: place - (high - low) / 2, high: place + (high - low) / 2});
    this.heatmap.redraw();
    if (follow)
      this.details.section.scrollIntoView({block: 'nearest'});
  }
  /** Shows the bands whose mappings the function accepts. Returns their count. */
  showBands(accepts) {
    const {axis} = this.view;
    const bands = axis.bands.filter(accepts);
    if (bands.length)
      this.viewport.show({low: bands[0].from, high: bands.at(-1).to});
    return bands.length;
  }
  search(words) {
    const {view} = this;
    const found = byId('found');
    const text = words.trim();
    found.textContent = '';
    if (!text) {
      this.viewport.reset();
      return;
    }
    if (/^0x[0-9a-f]+$/i.test(text)) {
      const granule = Math.floor(Number(text) / view.granule_bytes);
      if (view.axis.bandOf(granule) < 0) {
        found.textContent = `${text} is in no memory that was accessed.`;
        return;
      }
      const place = view.axis.placeOf(granule, 0.5);
      const reach = Math.max(16 * (view.axis.placeOf(granule, 1) - view.axis.placeOf(granule)), 1e-6);
      this.viewport.show({low: place - reach, high: place + reach});
      this.showPage(granule);
      found.textContent = `Shown: the surroundings of ${text}.`;
      return;
    }
    const lower = text.toLowerCase();
    const thread = view.layersLoaded.findIndex(layer => layer.tid !== null &&
        (String(layer.tid) === text || layer.name.toLowerCase() === lower));
    const count = this.showBands(band => band.label.toLowerCase().includes(lower));
    if (count) {
      found.textContent = `Shown: ${plural(count, 'band')} of addresses whose mapping contains \u201c${text}\u201d.`;
    } else if (thread >= 0) {
      this.chooseLayer(thread);
      found.textContent = `Shown: thread ${text}.`;
    } else {
      found.textContent = `Nothing is called \u201c${text}\u201d here: no mapping, no thread.`;
    }
  }

  /** Says what a table is of: the head of the page names one process. */
  scope(text) {
    return this.data.process_count > 1 ? [make('p', {className: 'scope', textContent: text})] : [];
  }

  //--- Tabs -----------------------------------------------------------------

  makeTabs() {
    const {data} = this;
    const bytes = data.processes.granule_bytes;
    this.panels = {pages: make('div')};
    const titles = {pages: 'Pages', mappings: 'Mappings', threads: 'Threads', sites: 'Sites', processes: 'Processes'};
    this.panels.mappings = make('div', {}, mappingsTable(data.mappings, bytes, data.views[0]?.told ?? {word: 'accessed'}, name => {
      if (!this.showBands(band => band.label === name))
        byId('found').textContent = `${name} has no band of its own in this process.`;
      else
        byId('heatmap').scrollIntoView({block: 'nearest'});
    }).element);
    if (data.threads)
      this.panels.threads = threadsPanel(data, this.theme, row => this.showThread(row));
    if (data.sites) {
      this.sitesPanel = new SitesPanel(data);
      this.panels.sites = make('div', {}, this.sitesPanel.element);
    }
    this.panels.processes = make('div', {}, processesTable(data, number => this.showView(number)).element);
    const shared = sharedMemoryTable(data);
    if (shared)
      this.panels.processes.append(shared.element);
    for (const [name, panel] of Object.entries(this.panels))
      if (name !== 'pages')
        panel.prepend(...this.scope(`Of the whole run: all ${formatCount(data.process_count)} processes.`));
    const names = Object.keys(titles).filter(name => name in this.panels);
    const tabs = names.map(name => {
      const panel = this.panels[name];
      panel.id = `panel-${name}`;
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-labelledby', `tab-${name}`);
      const tab = make('button', {type: 'button', id: `tab-${name}`, role: 'tab', textContent: titles[name]});
      tab.setAttribute('aria-controls', panel.id);
      tab.addEventListener('click', () => choose(name));
      return tab;
    });
    const choose = this.chooseTab = chosen => names.forEach((name, i) => {
      tabs[i].setAttribute('aria-selected', String(name === chosen));
      tabs[i].tabIndex = name === chosen ? 0 : -1;
      this.panels[name].hidden = name !== chosen;
    });
    byId('tabs').append(...tabs);
    byId('tabs').addEventListener('keydown', event => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step)
        return;
      const next = (tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length;
      choose(names[next]);
      tabs[next].focus();
    });
    byId('panels').append(...names.map(name => this.panels[name]));
    choose('pages');
  }
  async showThread({pid, tid}) {
    const number = this.data.views.findIndex(view => view.pid === pid);
    if (number >= 0 && number !== this.number)
      await this.showView(number);
    const layer = this.view.layersLoaded.findIndex(each => each.tid === tid);
    if (number < 0 || layer < 0) {
      byId('found').textContent = `Thread ${tid} has no heatmap of its own in this file.`;
      return;
    }
    this.chooseLayer(layer);
    byId('heatmap').scrollIntoView({block: 'nearest'});
  }

  //--- Controls -------------------------------------------------------------

  listen() {
    byId('controls').addEventListener('submit', event => event.preventDefault());
    byId('process').addEventListener('change', event => this.showView(Number(event.target.value)));
    byId('thread').addEventListener('change', event => this.chooseLayer(Number(event.target.value)));
    byId('kind').addEventListener('change', event => {
      this.heatmap.kind = event.target.value;
      this.heatmap.redraw();
    });
    byId('hatching').addEventListener('change', event => {
      this.heatmap.hatching = event.target.checked;
      this.heatmap.redraw();
      this.legend();
    });
    byId('theme').addEventListener('change', event => this.theme.choose(event.target.value));
    byId('search').addEventListener('keydown', event => {
      if (event.key === 'Enter')
        this.search(event.target.value);
    });
    byId('zoom-in').addEventListener('click', () => this.heatmap.zoomAtCursor(0.5));
    byId('zoom-out').addEventListener('click', () => this.heatmap.zoomAtCursor(2));
    byId('back').addEventListener('click', () => this.viewport.back());
    byId('reset').addEventListener('click', () => this.viewport.reset());
    document.addEventListener('keydown', event => {
      if (event.key !== 'Escape' || event.target.matches?.('input[type=search], select'))
        return;
      if (this.details.isOpen())
        this.details.close();
      else
        this.viewport.reset();
    });
  }
}

const page = new Page(documentData());
page.start().catch(problem => {
  byId('heading').textContent = 'The trace cannot be shown';
  byId('notices').textContent = `${problem}. This page needs a browser of 2023 or later.`;
  throw problem;
});
