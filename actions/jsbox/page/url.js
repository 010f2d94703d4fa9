// URL (https://url.spec.whatwg.org/), with hosts in ASCII: a name in another script has to be written in its xn-- form.
(function url(scope) {
  'use strict';

  const inside = scope.__params; // what params.js gives to a URL alone
  delete scope.__params;
  const { Bad, refuse, sets, encode, readHost } = scope.__host;
  delete scope.__host;

  const { URLSearchParams } = scope;
  const ports = {
    __proto__: null,
    'http:': '80',
    'https:': '443',
    'ws:': '80',
    'wss:': '443',
    'ftp:': '21',
    'file:': '',
  };
  const special = (protocol) => ports[protocol] !== undefined;

  // ---- parsing ----

  function readAuthority(url, text) {
    const at = text.lastIndexOf('@');
    const [name, ...rest] = at < 0 ? [''] : text.slice(0, at).split(':');
    url.username = encode(name, sets.userinfo);
    url.password = encode(rest.join(':'), sets.userinfo);
    const place = text.slice(at + 1);
    const [, host, port] = /^(.*?)(?::([^:\]]*))?$/s.exec(place);
    if (at >= 0 && host === '') refuse('its host is empty');
    url.host =
      host === '' && (!special(url.protocol) || url.protocol === 'file:') ? '' : readHost(host, special(url.protocol));
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
    const url = {
      protocol: '',
      username: '',
      password: '',
      host: null,
      port: '',
      path: [],
      opaque: null,
      query: null,
      fragment: null,
    };
    const { front, query, fragment } = split(scheme === null ? text : text.slice(scheme[0].length));
    if (scheme !== null) url.protocol = scheme[0].toLowerCase();
    else if (base === null) refuse('it is relative and has no base');
    else url.protocol = base.protocol;
    const relative =
      scheme === null || (special(url.protocol) && base?.protocol === url.protocol && !/^[/\\]{2}/.test(front));
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
    Object.assign(url, {
      username: base.username,
      password: base.password,
      host: base.host,
      port: base.port,
      opaque: base.opaque,
    });
    if (front === '') {
      url.path = base.path;
      if (query === undefined) url.query = base.query;
    } else if ((isSpecial ? /^[/\\]/ : /^\//).test(front)) url.path = readPath(front.slice(1), [], isSpecial);
    else url.path = readPath(front, base.path.slice(0, -1), isSpecial);
  }

  // ---- writing ----

  const credentials = (u) =>
    u.username === '' && u.password === '' ? '' : `${u.username}${u.password === '' ? '' : `:${u.password}`}@`;
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
      this.#change((u) =>
        Object.assign(u, { host: readHost(host, special(u.protocol)), port: port ? readPort(u, port) : u.port }),
      );
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
      if (this.#url.host && (digits !== '' || `${value}` === ''))
        this.#change((u) => Object.assign(u, { port: readPort(u, digits) }));
    }

    get pathname() {
      return pathOf(this.#url);
    }

    set pathname(value) {
      if (this.#url.opaque !== null) return;
      const text = `${value}`
        .replace(/[\t\n\r]/g, '')
        .replaceAll('?', '%3F')
        .replaceAll('#', '%23');
      this.#change((u) => {
        const isSpecial = special(u.protocol);
        u.path =
          text === '' && !isSpecial ? [] : readPath(text.replace(isSpecial ? /^[/\\]/ : /^\//, ''), [], isSpecial);
      });
    }

    get search() {
      return this.#url.query ? `?${this.#url.query}` : '';
    }

    set search(value) {
      const text = `${value}`
        .replace(/[\t\n\r]/g, '')
        .replace(/^\??/, '?')
        .replaceAll('#', '%23');
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
