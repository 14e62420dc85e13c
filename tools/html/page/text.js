// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts for people, and elements that hold them. Names from a trace only ever
// become text nodes.
'use strict';

function formatCount(number) {
  return Math.round(number).toLocaleString('en-US');
}

function plural(number, noun, several = noun + 's') {
  return `${formatCount(number)} ${number === 1 ? noun : several}`;
}

function formatBytes(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    ++unit;
  }
  return `${unit === 0 || bytes >= 100 ? Math.round(bytes) : +bytes.toPrecision(3)} ${units[unit]}`;
}

/** A time in seconds. `step` is the difference that must be seen. */
function formatTime(seconds, step = 0) {
  if (seconds === 0)
    return '0 s';
  const size = Math.abs(step || seconds);
  if (Math.abs(seconds) >= 60 && size >= 1) {
    const minutes = Math.floor(seconds / 60);
    const rest = Math.round(seconds - 60 * minutes);
    if (step >= 60 && rest === 0)
      return `${minutes} min`;
    return rest === 60 ? `${minutes + 1} min 00 s`
                       : `${minutes} min ${String(rest).padStart(2, '0')} s`;
  }
  const [scale, unit] = Math.abs(seconds) >= 1 ? [1, 's']
                        : Math.abs(seconds) >= 1e-3 ? [1e3, 'ms'] : [1e6, 'us'];
  const digits = step ? Math.max(0, Math.ceil(-Math.log10(step * scale) - 1e-9))
                      : scale === 1 ? 3 : 1;
  let text = (seconds * scale).toFixed(Math.min(digits, 6));
  if (!step && text.includes('.'))
    text = text.replace(/\.?0+$/, '');
  return `${text} ${unit}`;
}

function formatAddress(address) {
  return '0x' + address.toString(16);
}

/** What people call a mapping: of a path the last part. Shared memory without a
 * file has the name of a device. */
function shortName(name) {
  return name.startsWith('/') && !name.startsWith('/dev/zero')
    ? name.slice(name.lastIndexOf('/') + 1) : name;
}

function shortened(text, length) {
  return text.length > length ? text.slice(0, length) + '\u2026' : text;
}

/** An element with properties and children; children may be texts. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element)
      element[name] = value;
    else
      element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A box in which a wide table scrolls, with signs where it goes on. */
function scrollBox(table) {
  const box = make('div', {className: 'scroll', tabIndex: 0}, table);
  const [left, right] = [['left', '\u2039'], ['right', '\u203a']].map(([side, sign]) =>
      make('div', {className: `beyond ${side}`, hidden: true, title: `more columns to the ${side}`},
           make('span', {textContent: sign})));
  const update = () => {
    left.hidden = box.scrollLeft < 1;
    right.hidden = box.scrollLeft + box.clientWidth > box.scrollWidth - 1;
  };
  box.addEventListener('scroll', update);
  const observer = new ResizeObserver(update);
  observer.observe(box);
  observer.observe(table);
  return make('div', {className: 'wide-table'}, box, left, right);
}

function byId(id) {
  return document.getElementById(id);
}
