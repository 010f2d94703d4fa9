// URL (https://url.spec.whatwg.org/), with hosts in ASCII: a name in another script has to be written in its xn-- form.
(function url(scope) {
  'use strict';

  const inside = scope.__params; // what params.js gives to a URL alone
  delete scope.__params;

  const { URLSearchParams } = scope;
  const ports = { __proto__: null, 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21', 'file:': '' };
  const special = (protocol) => ports[protocol] !== undefined;

  class Bad extends Error {}
  const refuse = (why) => {
    throw new Bad(why);
  };

  // ---- percent-encoding: the sets of the standard, each what is encoded beside controls and non-ASCII ----

  const sets = {
    fragment: / |"|<|>|`/,
    query: / |"|#|<|>/,
    specialQuery: / |"|#|<|>|'/,
    path: / |"|#|<|>|\?|\^|`|\{|\}/,
    userinfo: / |"|#|<|>|\?|\^|`|\{|\}|\/|:|;|=|@|\[|\\|\]|\|/,
    none: /(?!)/,
  };

  function encode(text, set) {
    let result = '';
    for (const c of text.toWellFormed()) {
      if (c > '~') result += encodeURIComponent(c);
      else if (c < ' ' || c === '\u007f' || set.test(c)) result += `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
      else result += c;
    }
    return result.replaceAll('\u007f', '%7F');
  }

  // ---- hosts ----

  function readHost(text, isSpecial) {
    if (text.startsWith('[')) return text.endsWith(']') ? `[${readIPv6(text.slice(1, -1))}]` : refuse('an unclosed [');
    if (!isSpecial) return /[\0\t\n\r #/<>?@[\\\]^|]/.test(text) ? refuse('its host') : encode(text, sets.none);
    const host = percentDecoded(text).toLowerCase();
    if (host === '') refuse('its host is empty');
    if (/[^\0-\x7f]/.test(host)) refuse('its host is not ASCII; write it in its xn-- form');
    if (/[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/.test(host)) refuse('its host');
    return endsInNumber(host) ? readIPv4(host) : host;
  }

  function percentDecoded(text) {
    if (!text.includes('%')) return text;
    try {
      return decodeURIComponent(text);
    } catch {
      return refuse('its host');
    }
  }

  function endsInNumber(host) {
    const parts = host.split('.');
    if (parts.at(-1) === '' && parts.length > 1) parts.pop();
    return /^(\d+|0x[0-9a-f]*)$/.test(parts.at(-1));
  }

  function readIPv4(host) {
    const parts = host.split('.');
    if (parts.at(-1) === '' && parts.length > 1) parts.pop();
    if (parts.length > 4) refuse('its host');
    const numbers = parts.map(readIPv4Part);
    const last = numbers.pop();
    if (numbers.some((n) => n > 255) || last >= 256 ** (4 - numbers.length)) refuse('its host');
    let address = last;
    for (const [i, n] of numbers.entries()) address += n * 256 ** (3 - i);
    return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
  }

  function readIPv4Part(part) {
    if (/^0x[0-9a-f]*$/.test(part)) return part === '0x' ? 0 : Number.parseInt(part, 16);
    if (/^0[0-7]*$/.test(part)) return Number.parseInt(part, 8);
    return /^[1-9]\d*$/.test(part) ? Number(part) : refuse('its host');
  }

  function readIPv6(text) {
    const withFour = text.replace(/(^|:)(\d+\.\d+\.\d+\.\d+)$/, (_, before, four) => {
      const numbers = four.split('.').map((n) => (/^(0|[1-9]\d{0,2})$/.test(n) && n < 256 ? Number(n) : refuse('its host')));
      return `${before}${(numbers[0] * 256 + numbers[1]).toString(16)}:${(numbers[2] * 256 + numbers[3]).toString(16)}`;
    });
    const halves = withFour.split('::');
    if (halves.length > 2) refuse('its host');
    const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
    const gap = tail === undefined ? 0 : 8 - head.length - tail.length;
    const all = tail === undefined ? head : [...head, ...new Array(Math.max(gap, 0)).fill('0'), ...tail];
    if (all.length !== 8 || (tail !== undefined && gap < 1) || all.some((part) => !/^[0-9a-fA-F]{1,4}$/.test(part))) refuse('its host');
    return writeIPv6(all.map((part) => Number.parseInt(part, 16)));
  }

  function writeIPv6(pieces) {
    let best = { at: -1, size: 1 };
    for (let i = 0; i < 8; i++) {
      let size = 0;
      while (i + size < 8 && pieces[i + size] === 0) size++;
      if (size > best.size) best = { at: i, size };
    }
    const text = (part) => part.map((n) => n.toString(16)).join(':');
    return best.at < 0 ? text(pieces) : `${text(pieces.slice(0, best.at))}::${text(pieces.slice(best.at + best.size))}`;
  }

  // ---- parsing ----

  function readAuthority(url, text) {
    const at = text.lastIndexOf('@');
    const [name, ...rest] = at < 0 ? [''] : text.slice(0, at).split(':');
    url.username = encode(name, sets.userinfo);
    url.password = encode(rest.join(':'), sets.userinfo);
    const place = text.slice(at + 1);
    const [, host, port] = /^(.*?)(?::([^:\]]*))?$/s.exec(place);
    if (at >= 0 && host === '') refuse('its host is empty');
    url.host = host === '' && (!special(url.protocol) || url.protocol === 'file:') ? '' : readHost(host, special(url.protocol));
    if (url.protocol === 'file:' && url.host === 'localhost') url.host = '';
    url.port = readPort(url, port ?? '');
  }

  function readPort(url, text) {
    if (!/^\d*$/.test(text) || Number(text) > 65535) refuse('its port');
    const port = text === '' ? '' : `${Number(text)}`;
    return port === ports[url.protocol] ? '' : port;
  }

  // readPath resolves dots; before is the path that a relative one starts from.
  function readPath(text, before, isSpecial) {
    const parts = [...before];
    const given = text.split(isSpecial ? /[/\\]/ : '/');
    for (const [i, part] of given.entries()) {
      const last = i === given.length - 1;
      const plain = part.replace(/%2e/gi, '.');
      if (plain === '..') {
        parts.pop();
        if (last) parts.push('');
      } else if (plain !== '.') parts.push(encode(part, sets.path));
      else if (last) parts.push('');
    }
    return parts;
  }

  function split(text) {
    const [, front, query, fragment] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(text);
    return { front, query, fragment };
  }

  const trimmed = (text) => text.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');

  function parse(input, base) {
    const text = trimmed(input);
    const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text);
    const url = { protocol: '', username: '', password: '', host: null, port: '', path: [], opaque: null, query: null, fragment: null };
    const { front, query, fragment } = split(scheme === null ? text : text.slice(scheme[0].length));
    if (scheme !== null) url.protocol = scheme[0].toLowerCase();
    else if (base === null) refuse('it is relative and has no base');
    else url.protocol = base.protocol;
    const relative = scheme === null || (special(url.protocol) && base?.protocol === url.protocol && !/^[/\\]{2}/.test(front));
    if (relative && base.opaque !== null) {
      if (front !== '' || query !== undefined || fragment === undefined) refuse('its base has no path');
    }
    if (relative) readRelative(url, front, query, base);
    else readAbsolute(url, front);
    if (query !== undefined) url.query = readQuery(url, query);
    if (fragment !== undefined) url.fragment = readFragment(fragment);
    return url;
  }

  const readQuery = (url, text) => {
    return encode(text.slice(1), special(url.protocol) ? sets.specialQuery : sets.query);
  };
  const readFragment = (text) => encode(text.slice(1), sets.fragment);

  function readAbsolute(url, front) {
    const isSpecial = special(url.protocol);
    const isFile = url.protocol === 'file:';
    const start = (isFile ? /^([/\\]{2})?/ : isSpecial ? /^[/\\]*/ : /^(\/\/)?/).exec(front)[0];
    if (!isSpecial && start === '' && !front.startsWith('/')) {
      url.opaque = encode(front, sets.none);
    } else if (start === '' && (!isSpecial || isFile)) {
      url.host = isFile ? '' : null;
      url.path = readPath(front.replace(/^[/\\]/, ''), [], isSpecial);
    } else {
      readAuthorityAndPath(url, front.slice(start.length));
    }
  }

  function readAuthorityAndPath(url, text) {
    const isSpecial = special(url.protocol);
    const end = text.search(isSpecial ? /[/\\]/ : /\//);
    readAuthority(url, end < 0 ? text : text.slice(0, end));
    if (end >= 0) url.path = readPath(text.slice(end + 1), [], isSpecial);
    else if (isSpecial) url.path = [''];
  }

  function readRelative(url, front, query, base) {
    const isSpecial = special(url.protocol);
    if ((isSpecial ? /^[/\\]{2}/ : /^\/\//).test(front)) {
      readAuthorityAndPath(url, front.replace(isSpecial ? /^[/\\]+/ : /^\/\//, ''));
      return;
    }
    Object.assign(url, { username: base.username, password: base.password, host: base.host, port: base.port, opaque: base.opaque });
    if (front === '') {
      url.path = base.path;
      if (query === undefined) url.query = base.query;
    } else if ((isSpecial ? /^[/\\]/ : /^\//).test(front)) url.path = readPath(front.slice(1), [], isSpecial);
    else url.path = readPath(front, base.path.slice(0, -1), isSpecial);
  }

  // ---- writing ----

  const credentials = (u) => (u.username === '' && u.password === '' ? '' : `${u.username}${u.password === '' ? '' : `:${u.password}`}@`);
  const hostAndPort = (u) => (u.host ?? '') + (u.port === '' ? '' : `:${u.port}`);
  const pathOf = (u) => u.opaque ?? (u.path.length === 0 ? '' : `/${u.path.join('/')}`);

  function write(u) {
    const path = pathOf(u);
    const authority = u.host === null ? (path.startsWith('//') ? '/.' : '') : `//${credentials(u)}${hostAndPort(u)}`;
    const query = u.query === null ? '' : `?${u.query}`;
    return `${u.protocol}${authority}${path}${query}${u.fragment === null ? '' : `#${u.fragment}`}`;
  }

  class URL {
    #url;
    #params;

    constructor(address, base) {
      try {
        this.#url = parse(`${address}`, base === undefined ? null : parse(`${base}`, null));
      } catch (error) {
        if (!(error instanceof Bad)) throw error;
        throw new TypeError(`Invalid URL ${JSON.stringify(`${address}`.slice(0, 200))}: ${error.message}.`);
      }
      this.#params = new URLSearchParams(this.#url.query ?? '');
      inside(this.#params).take(this.#url.query ?? '');
      inside(this.#params).follow((text) => {
        this.#url.query = text === '' ? null : text;
      });
    }

    static canParse(address, base) {
      return URL.parse(address, base) !== null;
    }

    static parse(address, base) {
      try {
        return new URL(address, base);
      } catch {
        return null;
      }
    }

    // A part that can't be read leaves the URL as it is, as the standard has it.
    #change(change) {
      const next = { ...this.#url };
      try {
        change(next);
      } catch (error) {
        if (error instanceof Bad) return;
        throw error;
      }
      this.#url = next;
    }

    get href() {
      return write(this.#url);
    }

    set href(value) {
      const next = new URL(value);
      this.#url = next.#url;
      inside(this.#params).take(this.#url.query ?? '');
    }

    get origin() {
      const { protocol } = this.#url;
      return special(protocol) && protocol !== 'file:' ? `${protocol}//${hostAndPort(this.#url)}` : 'null';
    }

    get protocol() {
      return this.#url.protocol;
    }

    set protocol(value) {
      const found = /^[a-zA-Z][a-zA-Z0-9+.-]*/.exec(`${value}`);
      if (found === null) return;
      const protocol = `${found[0].toLowerCase()}:`;
      if (special(protocol) !== special(this.#url.protocol)) return;
      this.#change((u) => Object.assign(u, { protocol, port: u.port === ports[protocol] ? '' : u.port }));
    }

    get username() {
      return this.#url.username;
    }

    set username(value) {
      if (this.#url.host) this.#change((u) => Object.assign(u, { username: encode(`${value}`, sets.userinfo) }));
    }

    get password() {
      return this.#url.password;
    }

    set password(value) {
      if (this.#url.host) this.#change((u) => Object.assign(u, { password: encode(`${value}`, sets.userinfo) }));
    }

    get host() {
      return hostAndPort(this.#url);
    }

    set host(value) {
      if (this.#url.opaque !== null) return;
      const [, host, port] = /^(\[[^\]]*\]|[^:/?#\\]*)(?::(\d*))?/.exec(`${value}`);
      this.#change((u) => Object.assign(u, { host: readHost(host, special(u.protocol)), port: port ? readPort(u, port) : u.port }));
    }

    get hostname() {
      return this.#url.host ?? '';
    }

    set hostname(value) {
      if (this.#url.opaque !== null) return;
      const [host, port] = /^(?:\[[^\]]*\]|[^:/?#\\]*)(:)?/.exec(`${value}`);
      if (port !== undefined) return;
      this.#change((u) => Object.assign(u, { host: readHost(host, special(u.protocol)) }));
    }

    get port() {
      return this.#url.port;
    }

    set port(value) {
      const [digits] = /^\d*/.exec(`${value}`);
      if (this.#url.host && (digits !== '' || `${value}` === '')) this.#change((u) => Object.assign(u, { port: readPort(u, digits) }));
    }

    get pathname() {
      return pathOf(this.#url);
    }

    set pathname(value) {
      if (this.#url.opaque !== null) return;
      const text = `${value}`.replace(/[\t\n\r]/g, '').replaceAll('?', '%3F').replaceAll('#', '%23');
      this.#change((u) => {
        const isSpecial = special(u.protocol);
        u.path = text === '' && !isSpecial ? [] : readPath(text.replace(isSpecial ? /^[/\\]/ : /^\//, ''), [], isSpecial);
      });
    }

    get search() {
      return this.#url.query ? `?${this.#url.query}` : '';
    }

    set search(value) {
      const text = `${value}`.replace(/[\t\n\r]/g, '').replace(/^\??/, '?').replaceAll('#', '%23');
      this.#change((u) => Object.assign(u, { query: `${value}` === '' ? null : readQuery(u, text) }));
      inside(this.#params).take(this.#url.query ?? '');
    }

    get searchParams() {
      return this.#params;
    }

    get hash() {
      return this.#url.fragment ? `#${this.#url.fragment}` : '';
    }

    set hash(value) {
      const text = `${value}`.replace(/[\t\n\r]/g, '').replace(/^#?/, '#');
      this.#change((u) => Object.assign(u, { fragment: `${value}` === '' ? null : readFragment(text) }));
    }

    toString() {
      return this.href;
    }

    toJSON() {
      return this.href;
    }
  }

  Object.defineProperty(URL.prototype, Symbol.toStringTag, { value: 'URL', configurable: true });
  Object.defineProperty(scope, 'URL', { value: URL, writable: true, configurable: true, enumerable: false });
})(globalThis);
