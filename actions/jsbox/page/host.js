// The hosts of URLs (https://url.spec.whatwg.org/#host-parsing), and how texts are percent-encoded.
(function host(scope) {
  'use strict';

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
      else if (c < ' ' || c === '\u007f' || set.test(c))
        result += `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
      else result += c;
    }
    return result.replaceAll('\u007f', '%7F');
  }

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
      const numbers = four
        .split('.')
        .map((n) => (/^(0|[1-9]\d{0,2})$/.test(n) && n < 256 ? Number(n) : refuse('its host')));
      return `${before}${(numbers[0] * 256 + numbers[1]).toString(16)}:${(numbers[2] * 256 + numbers[3]).toString(16)}`;
    });
    const halves = withFour.split('::');
    if (halves.length > 2) refuse('its host');
    const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
    const gap = tail === undefined ? 0 : 8 - head.length - tail.length;
    const all = tail === undefined ? head : [...head, ...new Array(Math.max(gap, 0)).fill('0'), ...tail];
    if (all.length !== 8 || (tail !== undefined && gap < 1) || all.some((part) => !/^[0-9a-fA-F]{1,4}$/.test(part)))
      refuse('its host');
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

  scope.__host = { Bad, refuse, sets, encode, readHost }; // for url.js, which takes it away
})(globalThis);
