// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data of the document: JSON, and packed numbers.
'use strict';

const TIME_UNIT = 1e6; // units of packed times in a second

function documentData() {
  return JSON.parse(document.getElementById('data').textContent);
}

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64)
    return Uint8Array.fromBase64(text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; ++i)
    bytes[i] = characters.charCodeAt(i);
  return bytes;
}

/** The unpacked bytes of one blob. */
async function loadBlob(number) {
  const packed = bytesOfBase64(
      document.getElementById(`blob-${number}`).textContent);
  const stream = new Blob([packed]).stream().pipeThrough(
      new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads columns as tools/html/packed_bytes.h writes them. */
class ColumnReader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  varint() {
    let number = 0, scale = 1, byte;
    do {
      byte = this.bytes[this.at++];
      number += (byte & 0x7f) * scale;
      scale *= 128;
    } while (byte & 0x80);
    return number;
  }
  column(count, Type) {
    const column = new Type(count);
    for (let i = 0; i < count; ++i)
      column[i] = this.varint();
    return column;
  }
  rising(count) {
    const column = this.column(count, Float64Array);
    for (let i = 1; i < count; ++i)
      column[i] += column[i - 1];
    return column;
  }
  hash() {
    let text = '';
    for (let i = 7; i >= 0; --i)
      text += this.bytes[this.at + i].toString(16).padStart(2, '0');
    this.at += 8;
    return '0x' + text;
  }
}

/** The first index whose number is not below `number`. */
function lowerBound(sorted, number) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/** Which places in the source touched each page: numbers of data.sites.list. */
function readSites(pages, reader) {
  const sets = [{listed: [], others: 0}];
  for (let left = reader.varint(); left > 0; --left) {
    const count = reader.varint(), others = reader.varint();
    sets.push({listed: [...reader.column(count, Uint32Array)], others});
  }
  sets.push({listed: [], others: 1});
  const read = reader.column(pages.count, Uint32Array);
  const written = reader.column(pages.count, Uint32Array);
  pages.sitesOf = index => ({read: sets[read[index]], written: sets[written[index]]});
}

/** Pages that are listed one by one, and their checksums. */
async function loadPages(view) {
  const {listed, blob, checksums, checksums_blob, sites_blob} = view.pages;
  const load = number => loadBlob(view.firstBlob + number);
  let reader = new ColumnReader(await load(blob));
  const pages = {count: listed, granule: reader.rising(listed)};
  pages.first = reader.column(listed, Float64Array);
  pages.last = reader.column(listed, Float64Array);
  for (let i = 0; i < listed; ++i) {
    pages.first[i] /= TIME_UNIT;
    pages.last[i] = pages.first[i] + pages.last[i] / TIME_UNIT;
  }
  for (const name of ['periods', 'written', 'stable', 'unstable', 'changed'])
    pages[name] = reader.column(listed, Uint32Array);
  pages.mapping = reader.column(listed, Uint16Array);

  reader = new ColumnReader(await load(checksums_blob));
  pages.eventGranule = reader.rising(checksums);
  pages.eventTime = reader.column(checksums, Float64Array);
  const hashes = reader.at;
  /** [{time, hash}] of one page. */
  pages.eventsOf = granule => {
    const events = [];
    for (let i = lowerBound(pages.eventGranule, granule);
         i < checksums && pages.eventGranule[i] === granule; ++i) {
      reader.at = hashes + 8 * i;
      events.push({time: pages.eventTime[i] / TIME_UNIT, hash: reader.hash()});
    }
    return events;
  };
  if (sites_blob !== null)
    readSites(pages, new ColumnReader(await load(sites_blob)));
  /** The index of a page, or -1. */
  pages.indexOf = granule => {
    const i = lowerBound(pages.granule, granule);
    return i < listed && pages.granule[i] === granule ? i : -1;
  };
  return pages;
}
