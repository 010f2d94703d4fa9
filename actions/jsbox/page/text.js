// TextEncoder and TextDecoder (https://encoding.spec.whatwg.org/), for UTF-8.
(function text(scope) {
  'use strict';

  const { encodeURIComponent, decodeURIComponent, escape, unescape, btoa, atob } = scope;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const fromBase64 = Uint8Array.fromBase64;
  const toBase64 = uncurry(Uint8Array.prototype.toBase64);
  const toWellFormed = uncurry(String.prototype.toWellFormed);
  const slice = uncurry(String.prototype.slice);
  const charCodeAt = uncurry(String.prototype.charCodeAt);
  const replaceAll = uncurry(String.prototype.replaceAll);
  const fromCharCode = String.fromCharCode;
  const subarray = uncurry(Uint8Array.prototype.subarray);
  const set = uncurry(Uint8Array.prototype.set);
  const { isView } = ArrayBuffer;

  const encode = (value) => fromBase64(btoa(unescape(encodeURIComponent(toWellFormed(value)))));

  class TextEncoder {
    get encoding() {
      return 'utf-8';
    }

    encode(value = '') {
      return encode(`${value}`);
    }

    encodeInto(value, target) {
      const source = toWellFormed(`${value}`);
      let read = 0;
      let written = 0;
      while (read < source.length) {
        const unit = charCodeAt(source, read);
        const units = unit >= 0xd800 && unit <= 0xdbff ? 2 : 1;
        const bytes = encode(slice(source, read, read + units));
        if (written + bytes.length > target.length) break;
        set(target, bytes, written);
        read += units;
        written += bytes.length;
      }
      return { read, written };
    }
  }

  // decodeLoosely puts U+FFFD where bytes are no UTF-8, one for each maximal part of a sequence.
  function decodeLoosely(bytes) {
    let result = '';
    for (let i = 0; i < bytes.length; ) {
      const { point, size } = readPoint(bytes, i);
      result += point > 0xffff ? fromCharCode(0xd7c0 + (point >> 10), 0xdc00 + (point & 0x3ff)) : fromCharCode(point);
      i += size;
    }
    return result;
  }

  function readPoint(bytes, at) {
    const first = bytes[at];
    if (first < 0x80) return { point: first, size: 1 };
    const more = first < 0xc2 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : 0;
    let point = first & (0x3f >> more);
    for (let i = 1; i <= more; i++) {
      const byte = bytes[at + i];
      if (byte === undefined || !follows(first, byte, i)) return { point: 0xfffd, size: i };
      point = (point << 6) | (byte & 0x3f);
    }
    return more === 0 ? { point: 0xfffd, size: 1 } : { point, size: more + 1 };
  }

  function follows(first, byte, i) {
    if (i > 1) return byte >= 0x80 && byte <= 0xbf;
    const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    return byte >= low && byte <= high;
  }

  // unfinished is how many bytes at the end begin a character that may go on in the next part.
  function unfinished(bytes) {
    for (let back = 1; back <= 3 && back <= bytes.length; back++) {
      const byte = bytes[bytes.length - back];
      if (byte < 0x80) return 0;
      if (byte >= 0xc2 && byte < 0xf5) return (byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4) > back ? back : 0;
    }
    return 0;
  }

  function bytesOf(input) {
    if (input === undefined) return new Uint8Array(0);
    if (isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    return new Uint8Array(input);
  }

  function join(a, b) {
    if (a.length === 0) return b;
    const both = new Uint8Array(a.length + b.length);
    set(both, a, 0);
    set(both, b, a.length);
    return both;
  }

  const labels = ['utf-8', 'utf8', 'unicode-1-1-utf-8', 'unicode11utf8', 'unicode20utf8', 'x-unicode20utf8'];
  const empty = new Uint8Array(0);

  class TextDecoder {
    #fatal;
    #keepsMark;
    #held = empty;
    #started = false;

    constructor(label = 'utf-8', options = {}) {
      if (!labels.includes(`${label}`.trim().toLowerCase()))
        throw new RangeError(`TextDecoder knows utf-8, not ${label}.`);
      this.#fatal = Boolean(options.fatal);
      this.#keepsMark = Boolean(options.ignoreBOM);
    }

    get encoding() {
      return 'utf-8';
    }

    get fatal() {
      return this.#fatal;
    }

    get ignoreBOM() {
      return this.#keepsMark;
    }

    decode(input, options = {}) {
      const all = join(this.#held, bytesOf(input));
      const held = options.stream ? unfinished(all) : 0;
      this.#held = held === 0 ? empty : new Uint8Array(subarray(all, all.length - held));
      let result = this.#decode(held === 0 ? all : subarray(all, 0, all.length - held));
      if (!this.#started && !this.#keepsMark && charCodeAt(result, 0) === 0xfeff) result = slice(result, 1);
      this.#started = options.stream ? this.#started || all.length > held : false;
      return result;
    }

    #decode(bytes) {
      try {
        return decodeURIComponent(replaceAll(escape(atob(toBase64(bytes))), '%u', '%25u'));
      } catch {
        if (this.#fatal) throw new TypeError('These bytes are no UTF-8.');
        return decodeLoosely(bytes);
      }
    }
  }

  for (const [name, value] of [
    ['TextEncoder', TextEncoder],
    ['TextDecoder', TextDecoder],
  ]) {
    Object.defineProperty(scope, name, { value, writable: true, configurable: true, enumerable: false });
  }
})(globalThis);
