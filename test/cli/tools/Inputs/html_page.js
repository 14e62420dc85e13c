// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses pages of `pagetide html` as people do, in a headless Chromium.
//
// usage: node html_page.js DIRECTORY-OF-playwright-core CHROMIUM WORK-DIRECTORY
//                          [FILE]
//
// The work directory has the pages that html_page.test makes; with FILE, a large
// one. Exit status 1 and a message if a page does not do what it should.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');

const [library, executablePath, directory, largeFile] = process.argv.slice(2);
const {chromium} = require(library);

/** What is on the screen of the heatmap, and what the curves show. */
const pixels = tab => tab.evaluate(() => document.getElementById('heatmap').toDataURL());
const text = (tab, selector) => tab.textContent(selector);
const settle = tab => tab.evaluate(() => new Promise(
    done => requestAnimationFrame(() => requestAnimationFrame(done))));
const curveRange = tab => tab.evaluate(() => {
  const {start, end} = page.curves.times();
  return [start, end];
});

/** Does something that must change the picture, or must not. */
async function changes(tab, act, what, expected = true) {
  await settle(tab);
  const before = await pixels(tab);
  await act();
  await settle(tab);
  assert.equal(await pixels(tab) !== before, expected, what);
}

async function open(browser, name, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const tab = await context.newPage();
  tab.problems = [];
  tab.on('console', message => tab.problems.push(message.text()));
  tab.on('pageerror', error => tab.problems.push(String(error.stack)));
  tab.on('request', request => {
    if (!/^(file|data|blob):/.test(request.url()))
      tab.problems.push(`asks the network: ${request.url()}`);
  });
  await tab.goto('file://' + path.join(directory, name));
  await tab.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  await settle(tab);
  return tab;
}

async function close(tab, what) {
  assert.deepEqual(tab.problems, [], what);
  await tab.context().close();
}

/** Two threads and one without a set of its own, checksums, several mappings. */
async function exploring(browser) {
  const tab = await open(browser, 'long.html');
  assert.match(await tab.title(), /long-run: pages over time/);
  assert.match(await text(tab, '#facts'), /200 periods of 10 ms.*6,000 pages of 4 KiB/);
  assert.match(await text(tab, '#resolution'), /every page in every period/);
  assert.equal(await text(tab, '#window'), 'All of it');
  const box = await tab.locator('#heatmap').boundingBox();
  const at = (right, down) => [box.x + 160 + (box.width - 200) * right, box.y + 5 + (box.height - 50) * down];

  // Zoom by a box: the curves follow, and Back returns.
  const whole = await curveRange(tab);
  await changes(tab, async () => {
    await tab.mouse.move(...at(0.25, 0.2));
    await tab.mouse.down();
    await tab.mouse.move(...at(0.4, 0.5), {steps: 3});
    await tab.mouse.move(...at(0.5, 0.8));
    await tab.mouse.up();
  }, 'a box zooms');
  const [start, end] = await curveRange(tab);
  assert(Math.abs(start - 0.5) < 0.1 && Math.abs(end - 1) < 0.1, `curves follow the box: ${start} ${end}`);
  assert.match(await text(tab, '#window'), /ms to .*0x/);
  await changes(tab, () => tab.click('#back'), 'Back');
  assert.deepEqual(await curveRange(tab), whole, 'Back shows all');

  // The curves reach to the end of the last period.
  const lastStep = await tab.evaluate(() => page.curves.steps.at(-1));
  assert(Math.abs(lastStep.end - 2) < 1e-6 && lastStep.values[0] > 0, `the curve ends with the last period: ${lastStep}`);

  // A curve is drawn where its values are, and the legend says those at the pointer.
  const curve = await tab.evaluate(() => {
    const {canvas, theme, steps, most} = page.curves, {left, top, width, height} = page.curves.plot();
    const at = steps.findIndex(step => step.start >= 1), [accessed, , written] = steps[at].values;
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const x = Math.round(left + width * (steps[at].start + steps[at].end) / 2 / 2);
    const rows = [...Array(height).keys()].map(y => top + y).filter(y => {
      const pixel = 4 * (y * canvas.width + x);
      return theme.bytes('paper').some((byte, i) => Math.abs(byte - data[pixel + i]) > 90);
    });
    const inked = value => rows.some(y => Math.abs(y - (top + height * (1 - value / most))) <= 2);
    const x0 = canvas.getBoundingClientRect().x;
    return {found: inked(accessed), x: x0 + x, accessed, written};
  });
  assert(curve.found, `the curve is at ${JSON.stringify(curve)}`);
  await tab.mouse.move(curve.x, at(0, 0.5)[1]);
  await settle(tab);
  const legend = await text(tab, '#curves-legend');
  assert(legend.includes(`accessed${curve.accessed.toLocaleString('en-US')} (`) &&
         legend.includes(`written${curve.written.toLocaleString('en-US')} (`), `${legend} at ${JSON.stringify(curve)}`);

  // The wheel, and the keys.
  await tab.mouse.move(...at(0.5, 0.5));
  await changes(tab, () => tab.mouse.wheel(0, -200), 'the wheel zooms');
  await tab.mouse.move(0, 0);
  await tab.focus('#heatmap');
  await changes(tab, () => tab.keyboard.press('+'), '+ zooms in');
  await changes(tab, () => tab.keyboard.press('-'), '- zooms out');
  await changes(tab, () => tab.keyboard.press('ArrowUp'), 'an arrow moves the cross');
  assert.match(await text(tab, '#readout'), /0x[0-9a-f]+.*: /);
  await tab.keyboard.press('Enter');
  assert(await tab.isVisible('#details'), 'Enter shows the page');
  await tab.keyboard.press('Escape');
  assert(!await tab.isVisible('#details'), 'Escape closes it');
  await changes(tab, () => tab.keyboard.press('Escape'), 'Escape shows all');
  assert.equal(await text(tab, '#window'), 'All of it');

  // A brush over the curves moves the heatmap.
  await tab.locator('#curves').scrollIntoViewIfNeeded();
  const over = await tab.evaluate(() => {
    const {x, y} = page.curves.canvas.getBoundingClientRect(), {left, top, width} = page.curves.plot();
    return {x: x + left, y: y + top, width};
  });
  await changes(tab, async () => {
    await tab.mouse.move(over.x + over.width * 0.5, over.y + 50);
    await tab.mouse.down();
    await tab.mouse.move(over.x + over.width * 0.75, over.y + 60, {steps: 4});
    await tab.mouse.up();
  }, 'a brush over the curves zooms the heatmap');
  const brushed = await tab.evaluate(() => page.viewport.window);
  assert(Math.abs(brushed.start - 1) < 0.05 && Math.abs(brushed.end - 1.5) < 0.05, 'to the brushed time');
  assert(brushed.low === 0 && brushed.high === 1, 'and leaves the addresses');
  await tab.click('#reset');

  // What is shown: kinds, threads, hatching, colours, curves.
  await changes(tab, () => tab.selectOption('#kind', 'written'), 'only writes');
  await tab.selectOption('#kind', 'all');
  await changes(tab, () => tab.selectOption('#thread', '1'), 'one thread');
  assert.equal(await tab.locator('#thread option').count(), 5);
  await tab.selectOption('#thread', '0');
  await changes(tab, () => tab.check('#hatching'), 'hatching');
  await changes(tab, () => tab.selectOption('#theme', 'dark'), 'dark');
  await tab.selectOption('#curve', 'growth');
  assert.match(await text(tab, '#curves-legend'), /all pages so far/);

  // Search: an address, a mapping, nothing.
  await tab.fill('#search', '0x555555601000');
  await changes(tab, () => tab.press('#search', 'Enter'), 'search for an address');
  assert.match(await text(tab, '#details-heading'), /^Page 0x555555601000 in \[heap\]$/);
  await tab.fill('#search', 'lib7.so');
  await changes(tab, () => tab.press('#search', 'Enter'), 'search for a mapping');
  assert.match(await text(tab, '#found'), /1 band of addresses/);
  await tab.fill('#search', 'no such thing');
  await changes(tab, () => tab.press('#search', 'Enter'), 'a search without result', false);
  assert.match(await text(tab, '#found'), /Nothing is called/);
  await tab.click('#reset');

  // The table of pages filters and sorts; a click shows the page.
  const rows = () => tab.locator('#panel-pages tbody tr').count();
  const count = () => text(tab, '#panel-pages [role=status]');
  const filter = '#panel-pages input[type=search]';
  assert.equal(await count(), '6,000 rows');
  await tab.fill(filter, 'lib7.so');
  assert.equal(await count(), '64 of 6,000 rows');
  assert.equal(await rows(), 25);
  await tab.fill(filter, 'heap written>=200');
  assert.match(await count(), /^\d+ of 6,000 rows$/);
  const written = await tab.locator('#panel-pages tbody td:nth-child(4)').allTextContents();
  assert(written.length > 0 && written.every(number => Number(number) >= 200), 'a filter by number');
  await tab.fill(filter, '');
  const first = () => tab.locator('#panel-pages tbody tr td:nth-child(4)').first().textContent();
  await tab.click('#panel-pages th:nth-child(4) button');
  assert.equal(await first(), '200', 'the most first');
  await tab.click('#panel-pages th:nth-child(4) button');
  assert(Number(await first()) < 10, 'the least first');
  await tab.fill('#search', 'lib7.so');
  await tab.press('#search', 'Enter');
  await tab.check('#in-view');
  assert.equal(await count(), '64 of 6,000 rows');
  await tab.uncheck('#in-view');
  await tab.fill(filter, '0x555555600000');
  await tab.click('#panel-pages tbody button');
  assert.match(await text(tab, '#details-heading'), /^Page 0x555555600000 in \[heap\]$/);
  const details = await text(tab, '#details-body');
  assert.match(details, /This page was accessed in 200 of 200 periods, written in 200/);
  assert.match(details, /0 s to 2 s: both/);
  assert.match(details, /200 checksums, of which \d+ differ/);
  assert.match(details, /0x[0-9a-f]{16} first/);
  assert.match(details, /100 worker 0: .*both/);
  assert(await tab.evaluate(() => {
    const {width, height} = page.details.strip;
    return page.details.strip.getContext('2d').getImageData(0, 0, width, height).data.some(byte => byte);
  }), 'the history is drawn');

  // The other tables.
  await tab.click('#tab-mappings');
  assert(!await tab.isVisible('#panel-pages') && await tab.isVisible('#panel-mappings'));
  await changes(tab, () => tab.click('#panel-mappings tbody button'), 'a mapping is shown');
  await tab.focus('#tab-mappings');
  await tab.keyboard.press('ArrowRight');
  assert.equal(await tab.locator('#panel-threads table.matrix').count(), 2);
  assert.equal(await tab.locator('#panel-threads table.matrix').first().locator('tbody tr').count(), 4);
  await changes(tab, () => tab.click('#panel-threads tbody button >> nth=0'), 'a thread is shown');
  await tab.click('#tab-processes');
  assert.match(await text(tab, '#panel-processes tbody'), /long-run.*4242/);
  await close(tab, 'exploring');
}

/** Places in the source: of the run, and of a page. */
async function sites(browser) {
  const tab = await open(browser, 'sites.html');
  await tab.click('#tab-sites');
  const rows = tab.locator('#panel-sites table').first().locator('tbody tr');
  assert.equal(await rows.count(), 5);
  assert.match(await rows.nth(1).textContent(), /^sort::fill \(sort\.cpp:12:7\), in main \(main\.cpp:40:3\)66223$/);
  const hits = () => tab.locator('#source .hit .code').allTextContents();
  assert.deepEqual(await hits(), ['  fill(); // <b>line 12</b>'], 'the first place with a line is shown');
  const source = await text(tab, '#source');
  assert.match(source, /inlined in \/src\/main\.cpp:40The line is not shown: .*cannot be read/);
  await rows.filter({hasText: 'or main'}).locator('button').click();
  assert.match(await text(tab, '#source'), /or else \/src\/main\.cpp:60/);
  await rows.filter({hasText: 'libz'}).locator('button').click();
  assert.match(await text(tab, '#source'), /Its line in the source is not known/);
  await tab.fill('#panel-sites input[type=search]', 'written>0 shared=2');
  assert.equal(await rows.count(), 2);

  // A page names the places that touched it, and leads to them.
  await tab.click('#tab-pages');
  await tab.fill('#search', '0x555555602000');
  await tab.press('#search', 'Enter');
  const details = await text(tab, '#details-body');
  assert.match(details, /Read from, in the course of the run:plainWritten from, in the course of the run:plainsort::fill /);
  await tab.locator('#details-body button', {hasText: 'sort::fill'}).click();
  assert(await tab.isVisible('#panel-sites'), 'a click on a place opens the table');
  assert.deepEqual(await hits(), ['  fill(); // <b>line 12</b>']);
  assert.equal(await tab.locator('#source b').count(), 0, 'source stays text');
  await close(tab, 'sites');

  // Layout access does not tell who wrote.
  const access = await open(browser, 'sites-access.html');
  await access.fill('#search', '0x555555602000');
  await access.press('#search', 'Enter');
  assert.match(await text(access, '#details-body'), /Accessed from, in the course of the run:/);
  await close(access, 'sites under layout access');
}

/** Only reads or only writes are called what they are. */
async function selections(browser) {
  for (const [name, word, other] of [['reads', 'read', 'written'], ['writes', 'written', 'read']]) {
    const tab = await open(browser, `${name}.html`);
    assert.match(await text(tab, '#notices'), new RegExp(`Selected: ${name}`));
    assert.equal(await text(tab, '#curves-legend'), word);
    assert(!await tab.isVisible('#kind'), 'there is one kind only');
    assert.match(await text(tab, '#legend'), new RegExp(`^${word}paler`));
    assert.doesNotMatch(await text(tab, '#legend'), new RegExp(other));
    assert.match(await text(tab, '#heading'), new RegExp(`^Which pages .* ${word === 'read' ? 'read' : 'wrote'}, and when$`));
    await tab.click('#tab-mappings');
    const heads = await tab.locator('#panel-mappings th').allTextContents();
    assert(!heads.includes('Written') && !heads.includes('Read'), heads.join());
    await tab.click('#panel-pages a, #tab-pages');
    assert(!(await tab.locator('#panel-pages th').allTextContents()).includes('Written'));
    await close(tab, name);
  }
}

/** A run of many processes: each is chosen by its name, and the whole by a curve. */
async function processes(browser) {
  const tab = await open(browser, 'many.html');
  assert.match(await tab.title(), /sorter and 149 more/);
  assert.equal(await tab.locator('#process option').count(), 150);
  await tab.click('#tab-processes');
  assert.match(await text(tab, '#panel-processes [role=status]'), /^150 rows$/);
  const second = await tab.locator('#process option').nth(1).textContent();
  await tab.selectOption('#process', '1');
  await tab.waitForFunction(() => document.documentElement.dataset.ready === '1');
  const facts = await text(tab, '#facts');
  const [pid, ...command] = second.split(' ');
  assert(facts.includes(`process ${pid}, one of 150 `), second);
  assert(facts.startsWith(command.join(' ').replace('\u2026', '')) && command.length > 1, `${second}: ${facts}`);
  await tab.click('#panel-processes tbody button >> nth=2');
  await tab.waitForFunction(() => document.documentElement.dataset.ready === '2');
  await tab.selectOption('#curve', 'run');
  await settle(tab);
  assert.match(await text(tab, '#curve-step'), /sum of the largest periods.*whole run/);
  const [from, to] = await curveRange(tab);
  assert(from === 0 && to > 1.5, `the whole run, not only the process: ${from} ${to}`);
  const bar = () => tab.evaluate(() => {
    // The blue bar below the curves: its first and last pixel, as shares of the plot.
    const {canvas, theme} = page.curves, {left, top, width, height} = page.curves.plot();
    const {data} = canvas.getContext('2d').getImageData(Math.round(left), top + height - 3, Math.floor(width), 1);
    const [red, green, blue] = theme.bytes('focus');
    const on = [...Array(Math.floor(width)).keys()].filter(x =>
        data[4 * x] === red && data[4 * x + 1] === green && data[4 * x + 2] === blue);
    return [on[0] / width * page.curves.times().end, on.length];
  });
  const [begin, pixelCount] = await bar();
  assert(Math.abs(begin - 0.02) < 0.01 && pixelCount > 5, `the bar is where process 3 ran: ${begin} ${pixelCount}`);
  await tab.fill('#panel-processes input[type=search]', '4250');
  assert.match(await text(tab, '#panel-processes [role=status]'), /^1 of 150 rows$/);
  await close(tab, 'processes');
}

/** Names that are markup or script stay text. */
async function markup(browser) {
  const tab = await open(browser, 'markup.html');
  assert.match(await tab.title(), /<img src=q onerror=window.harmed=2>/);
  assert.match(await text(tab, '#heading'), /<img src=q onerror=window.harmed=2>/);
  assert.match(await text(tab, '#panel-mappings'), /<\/script><script>window.harmed=1<\/script>/);
  assert.match(await text(tab, '#panel-mappings'), /__proto__/);
  assert.match(await text(tab, '#panel-threads'), /<svg onload=window.harmed=3>/);
  await tab.fill('#search', '0x10000000');
  await tab.press('#search', 'Enter');
  assert.match(await text(tab, '#details-heading'), /<\/script>/);
  assert.equal(await tab.evaluate(() => window.harmed), undefined);
  assert.equal(await tab.locator('img, svg, iframe').count(), 0);
  await close(tab, 'markup');

  // Even if a name became script, the policy keeps it from running.
  const other = await open(browser, 'markup.html');
  await other.evaluate(() => {
    document.body.insertAdjacentHTML('beforeend', '<img src=q onerror="window.harmed=4">');
    const script = document.createElement('script');
    script.textContent = 'window.harmed = 5';
    document.body.append(script);
    return fetch('https://localhost/').catch(() => {});
  });
  await settle(other);
  assert.equal(await other.evaluate(() => window.harmed), undefined);
  assert(other.problems.length >= 3 && other.problems.every(problem => /Content Security Policy/.test(problem)),
         'the policy refuses scripts, images and network');
  await other.context().close();
}

/**
 * What decides how long a page takes to open, and how smooth it is then: bytes,
 * cells, rows and elements. They are bounded, whatever the trace has.
 */
async function large(browser, name) {
  const {size} = fs.statSync(path.join(directory, name));
  assert(size <= 20e6, `the file has ${size} bytes`);
  const tab = await open(browser, name);
  assert.match(await text(tab, '#facts'), /60,000 periods of 10 ms.*1,000,000 pages of 4 KiB/);
  assert.match(await text(tab, '#resolution'), /cells of \d+ pages .* in \d+ periods/);
  const count = () => tab.evaluate(() => {
    const layers = page.view.layersLoaded, bytes = grid => grid.bytes.length;
    const all = layers.map(layer => [...layer.grids.values()].map(bytes));
    return {
      cells: all.map(([finest]) => finest), // as they are in the file
      coarser: all.map(grids => grids.slice(1).reduce((sum, each) => sum + each, 0)),
      listed: page.view.loaded.count, checksums: page.view.loaded.eventTime.length,
      steps: page.curves.steps.length,
      elements: document.querySelectorAll('*').length,
      json: document.getElementById('data').textContent.length,
    };
  });
  const opened = await count();
  const [all, ...threads] = opened.cells;
  assert(all <= 16 << 20, `cells of all threads: ${all}`);
  assert(threads.length === 4 && threads.reduce((a, b) => a + b) <= 8 << 20, `cells of threads: ${threads}`);
  assert(opened.listed <= 180e3 && opened.checksums <= 120e3, JSON.stringify(opened));
  // Opening makes coarser grids of what is shown only, each half of the next.
  assert(opened.coarser[0] <= 2 * all, `cells made at opening: ${opened.coarser}`);
  assert.deepEqual(opened.coarser.slice(1), [0, 0, 0, 0], 'none of threads');
  assert(opened.steps <= 600 && opened.elements <= 1500, JSON.stringify(opened));
  assert(opened.json <= 2e6, `the JSON has ${opened.json} characters`);

  // Drawing goes through pixels, and makes nothing that was made before.
  await tab.focus('#heatmap');
  // The page may draw only the last of several steps, so each is waited for.
  const zoom = async key => {
    for (let i = 0; i < 12; ++i) {
      await tab.keyboard.press(key);
      await settle(tab);
    }
  };
  await zoom('+');
  await zoom('-');
  const before = await count();
  await zoom('+');
  const after = await count();
  assert.deepEqual(after.coarser, before.coarser, 'grids are made once');
  assert(after.coarser[0] <= 4 * all && after.steps <= 600 && after.elements <= 1500, JSON.stringify(after));
  await close(tab, name);
}

/** The texts left of the heatmap, as they are drawn. */
const drawnTexts = tab => tab.evaluate(() => {
  const texts = [], {prototype} = CanvasRenderingContext2D, draw = prototype.fillText;
  prototype.fillText = function(text, ...at) {
    texts.push(text);
    draw.call(this, text, ...at);
  };
  page.heatmap.draw();
  prototype.fillText = draw;
  return texts;
});

/** A mapping of one page says so, and where it is. */
async function bands(browser) {
  const tab = await open(browser, 'threads.html');
  const single = await tab.evaluate(() => page.view.bands.filter(band => band.end - band.first === 1)
      .map(band => `0x${(band.first * page.view.granule_bytes).toString(16)}, 1 page`));
  assert(single.length > 0, 'the trace has a mapping of one page');
  const texts = await drawnTexts(tab);
  for (const place of single)
    assert(texts.includes(place), `${place} in ${texts.join(' | ')}`);
  await close(tab, 'bands');
  // A narrow screen has no room for addresses there; the readout has them.
  const narrow = await open(browser, 'threads.html', {viewport: {width: 400, height: 800}});
  assert((await drawnTexts(narrow)).includes('1 page'));
  await close(narrow, 'bands of a narrow page');
}

/**
 * Nothing is wider than the screen, and dark follows the system. A table that is
 * wider scrolls in its own box, with a sign at each edge beyond which it goes on.
 */
async function narrow(browser) {
  let wideTables = 0;
  for (const width of [400, 1280])
    for (const colorScheme of ['light', 'dark'])
      for (const name of ['threads', 'sites', 'long']) {
        const tab = await open(browser, `${name}.html`, {viewport: {width, height: 800}, colorScheme});
        const what = `${name} ${width} ${colorScheme}`;
        assert.equal(await tab.evaluate(() => document.documentElement.dataset.theme), colorScheme);
        for (const button of await tab.locator('#tabs button').all()) {
          await button.click();
          await settle(tab);
          const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
          assert(wide <= width, `the page is ${wide} pixels wide: ${what}`);
          for (const frame of await tab.locator('.wide-table:visible').all()) {
            const [box, left, right] = ['.scroll', '.beyond.left', '.beyond.right'].map(part => frame.locator(part));
            const beyond = await box.evaluate(element => element.scrollWidth - element.clientWidth);
            const signs = async () => [await left.isVisible(), await right.isVisible()];
            assert.deepEqual(await signs(), [false, beyond > 0], `${what}: ${beyond} beyond`);
            if (beyond <= 1)
              continue;
            ++wideTables;
            // The sign is on the screen, above the table.
            const seen = await right.evaluate(element => {
              element.scrollIntoView({block: 'center'});
              element.style.pointerEvents = 'auto';
              const {left, right, top, bottom} = element.firstChild.getBoundingClientRect();
              const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
              return {covers: element.contains(at), at: at?.outerHTML.slice(0, 100), left, right, top, bottom};
            });
            assert(seen.covers && seen.right <= width, `${what}: the sign is not seen: ${JSON.stringify(seen)}`);
            const scrollTo = async x => {
              await box.evaluate((element, x) => element.scrollLeft = x, x);
              await settle(tab);
            };
            await scrollTo(beyond / 2);
            assert.deepEqual(await signs(), [true, true], what);
            await scrollTo(beyond);
            assert.deepEqual(await signs(), [true, false], what);
          }
        }
        assert.equal(await tab.locator('table:visible').count(),
                     await tab.locator('.wide-table > .scroll > table:visible').count(), 'no table is outside of a box');
        if (name === 'threads')
          await tab.screenshot({path: path.join(directory, `${width}-${colorScheme}.png`), fullPage: true});
        await close(tab, what);
      }
  assert(wideTables > 0, 'some table is wider than 400 pixels');
}

(async () => {
  // Chromium's own sandbox cannot be had by root in a container.
  const browser = await chromium.launch({executablePath, args: ['--no-sandbox']});
  try {
    if (largeFile) {
      await large(browser, largeFile);
      return;
    }
    await exploring(browser);
    await sites(browser);
    await selections(browser);
    await processes(browser);
    await markup(browser);
    await bands(browser);
    await narrow(browser);
  } finally {
    await browser.close();
  }
})().catch(problem => {
  console.error(problem);
  process.exit(1);
});
