// URLSearchParams (https://url.spec.whatwg.org/#interface-urlsearchparams).
(function params(scope) {
  'use strict';

  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const own = Symbol('own'); // how a URL reads and follows its parameters; deleted from the class below

  const escapes = { '%20': '+', '!': '%21', "'": '%27', '(': '%28', ')': '%29', '~': '%7E' };
  const encode = (text) => encodeURIComponent(text.toWellFormed()).replace(/%20|[!'()~]/g, (found) => escapes[found]);

  function decode(text) {
    const plain = text.replaceAll('+', ' ');
    if (!plain.includes('%')) return plain;
    const bytes = encoder.encode(plain);
    const decoded = new Uint8Array(bytes.length);
    let n = 0;
    for (let i = 0; i < bytes.length; i++, n++) {
      const code = bytes[i] === 37 ? Number.parseInt(hexPair(bytes, i + 1), 16) : Number.NaN;
      decoded[n] = Number.isNaN(code) ? bytes[i] : code;
      if (!Number.isNaN(code)) i += 2;
    }
    return decoder.decode(decoded.subarray(0, n));
  }

  function hexPair(bytes, at) {
    const pair = String.fromCharCode(bytes[at], bytes[at + 1]);
    return /^[0-9a-fA-F]{2}$/.test(pair) ? pair : '';
  }

  function read(text) {
    const pairs = [];
    for (const part of text.split('&')) {
      if (part === '') continue;
      const at = part.indexOf('=');
      pairs.push(at < 0 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + 1))]);
    }
    return pairs;
  }

  const textOf = (value) => `${value}`.toWellFormed();

  function pairsOf(init) {
    if (init === undefined || init === null) return [];
    if (typeof init !== 'object') return read(textOf(init).replace(/^\?/, ''));
    if (typeof init[Symbol.iterator] !== 'function')
      return Object.keys(init).map((name) => [textOf(name), textOf(init[name])]);
    return Array.from(init, (pair) => {
      const [name, value, ...more] = pair;
      if (more.length > 0 || value === undefined)
        throw new TypeError('Each part of a URLSearchParams is a name and a value.');
      return [textOf(name), textOf(value)];
    });
  }

  class URLSearchParams {
    #pairs;
    #follow = null;

    constructor(init) {
      this.#pairs = pairsOf(init);
    }

    static [own](params) {
      return {
        follow: (changed) => {
          params.#follow = changed;
        },
        take: (text) => {
          params.#pairs = read(text);
        },
      };
    }

    #changed() {
      if (this.#follow !== null) this.#follow(this.toString());
    }

    get size() {
      return this.#pairs.length;
    }

    append(name, value) {
      this.#pairs.push([textOf(name), textOf(value)]);
      this.#changed();
    }

    delete(name, value) {
      const wanted = value === undefined ? null : textOf(value);
      const key = textOf(name);
      this.#pairs = this.#pairs.filter(([n, v]) => n !== key || (wanted !== null && v !== wanted));
      this.#changed();
    }

    get(name) {
      const found = this.#pairs.find(([n]) => n === textOf(name));
      return found === undefined ? null : found[1];
    }

    getAll(name) {
      return this.#pairs.filter(([n]) => n === textOf(name)).map(([, v]) => v);
    }

    has(name, value) {
      return this.#pairs.some(([n, v]) => n === textOf(name) && (value === undefined || v === textOf(value)));
    }

    set(name, value) {
      const key = textOf(name);
      const at = this.#pairs.findIndex(([n]) => n === key);
      if (at < 0) this.#pairs.push([key, textOf(value)]);
      else {
        this.#pairs[at] = [key, textOf(value)];
        this.#pairs = this.#pairs.filter(([n], i) => n !== key || i <= at);
      }
      this.#changed();
    }

    sort() {
      this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#changed();
    }

    forEach(callback, self) {
      for (const [name, value] of this) callback.call(self, value, name, this);
    }

    *entries() {
      for (let i = 0; i < this.#pairs.length; i++) yield [...this.#pairs[i]];
    }

    *keys() {
      for (const [name] of this.entries()) yield name;
    }

    *values() {
      for (const [, value] of this.entries()) yield value;
    }

    [Symbol.iterator]() {
      return this.entries();
    }

    toString() {
      return this.#pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
    }
  }

  Object.defineProperty(URLSearchParams.prototype, Symbol.toStringTag, {
    value: 'URLSearchParams',
    configurable: true,
  });
  Object.defineProperty(scope, 'URLSearchParams', {
    value: URLSearchParams,
    writable: true,
    configurable: true,
    enumerable: false,
  });
  scope.__params = URLSearchParams[own]; // for url.js, which takes it away
  delete URLSearchParams[own];
})(globalThis);
