// The harness of genisys-plugin@1: it runs one tool of a plugin's module and tells its host how far it is.
//
// One file for two places. In Pawl's own sandbox it is evaluated in a fresh realm, leaves no global behind, and its
// value is the object that the host drives. In a page (a sandboxed iframe) it makes the global __genisys and listens
// to postMessage; each call then runs in a worker of its own, in which this same file is evaluated again.
//
//   __genisys.start(callId, tool, inputJson, stage)
//   __genisys.poll(callId)   -> {state: "running"} | {state: "fetch", request} | {state: "done", output, logs}
//                               | {state: "error", message, logs}
//   __genisys.resolve(callId, responseJson)
//
// Nothing here is a border: the host holds every limit again, on its own side. What is captured below keeps a plugin
// that changes built-ins from confusing its own answer.
(function genisys(scope) {
  'use strict';

  const LIMITS = {
    output: 100000, // bytes of UTF-8 JSON
    depth: 200, // nested lists and objects of an output
    logs: 200, // lines per call
    line: 2000, // UTF-16 units per line of the log
    shown: 500, // UTF-16 units of a value that a message quotes
    fetches: 50, // requests per call
    body: 1000000, // bytes of a request's body
    time: 10000, // milliseconds per call; here for the page, the server's sandbox has a clock of its own
  };

  // What a module finds: the language, and what of a page makes sense without one.
  const KEPT = (
    'AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean ' +
    'DOMException DataView Date DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array ' +
    'Float64Array Function Infinity Int16Array Int32Array Int8Array InternalError Iterator JSON Map Math NaN ' +
    'Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String SuppressedError Symbol ' +
    'SyntaxError TextDecoder TextEncoder TypeError URIError URL URLSearchParams Uint16Array Uint32Array ' +
    'Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet atob btoa clearInterval clearTimeout console crypto ' +
    'decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat ' +
    'parseInt queueMicrotask setInterval setTimeout structuredClone undefined unescape'
  ).split(' ');

  // ---- built-ins, as they are before the module can change them ----

  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const { apply } = Reflect;
  const { isArray } = Array;
  const { freeze, keys, getPrototypeOf, setPrototypeOf } = Object;
  const { parse, stringify } = JSON;
  const { isFinite } = Number;
  const slice = uncurry(String.prototype.slice);
  const indexOf = uncurry(String.prototype.indexOf);
  const charCodeAt = uncurry(String.prototype.charCodeAt);
  const replaceAll = uncurry(String.prototype.replaceAll);
  const isWellFormed = uncurry(String.prototype.isWellFormed);
  const tagOf = uncurry(Object.prototype.toString);
  const symbolText = uncurry(Symbol.prototype.toString);
  const paramsText = uncurry(scope.URLSearchParams.prototype.toString);
  const encode = scope.TextEncoder.prototype.encode.bind(new scope.TextEncoder());
  const { Promise, Error, TypeError, Object: Obj, Map, Uint8Array } = scope;

  // A list without a prototype: no setter that a module puts on Array.prototype is in the way.
  const list = () => setPrototypeOf([], null);
  const bare = (members) => setPrototypeOf(members, null);

  // Text of a string, cut so that no half of a surrogate pair is left.
  function cut(text, most) {
    if (text.length <= most) return text;
    const unit = charCodeAt(text, most - 2);
    return slice(text, 0, unit >= 0xd800 && unit <= 0xdbff ? most - 2 : most - 1) + '…';
  }

  const trimDot = (text) => (charCodeAt(text, text.length - 1) === 46 ? slice(text, 0, text.length - 1) : text);

  // ---- showing values: for the log and for messages; never fails, never long ----

  function show(value, most) {
    const budget = { left: most };
    try {
      return cut(typeof value === 'string' ? value : showPart(value, 0, budget), most);
    } catch {
      return '[a value that fails when it is looked at]';
    }
  }

  function showPart(value, depth, budget) {
    const text = typeof value === 'object' && value !== null ? showObject(value, depth, budget) : showPlain(value);
    budget.left -= text.length;
    return text;
  }

  function showPlain(value) {
    switch (typeof value) {
      case 'string':
        return stringify(value);
      case 'bigint':
        return `${value}n`;
      case 'symbol':
        return symbolText(value);
      case 'function':
        return '[function]';
      default:
        return `${value}`;
    }
  }

  function showObject(value, depth, budget) {
    if (isError(value)) return `${value.name}: ${value.message}`;
    if (depth > 4 || budget.left < 0) return isArray(value) ? '[…]' : '{…}';
    if (isArray(value)) return `[${showMembers(value, value.length, (i) => i, depth, budget)}]`;
    const tag = tagOf(value);
    if (tag === '[object Date]' || typeof value.toJSON === 'function') return showPlain(value.toJSON());
    const names = keys(value);
    const body = showMembers(value, names.length, (i) => names[i], depth, budget, true);
    return tag === '[object Object]' ? `{${body}}` : `${tag}${body === '' ? '' : ` {${body}}`}`;
  }

  function showMembers(value, length, nameAt, depth, budget, named) {
    let text = '';
    for (let i = 0; i < length; i++) {
      if (i > 0) text += ',';
      if (budget.left < 0 || i >= 100) return `${text}…`;
      const name = nameAt(i);
      text += (named ? `${stringify(name)}:` : '') + showPart(value[name], depth + 1, budget);
    }
    return text;
  }

  function isError(value) {
    return value instanceof Error || tagOf(value) === '[object Error]';
  }

  // ---- what went wrong ----

  // A refusal of the harness itself, with a reason that hosts know. A module can't make one.
  const REFUSAL = Symbol('refusal');

  function refuse(reason, message, more) {
    return bare({ [REFUSAL]: true, reason, message, ...more });
  }

  const isRefusal = (value) =>
    typeof value === 'object' && value !== null && getPrototypeOf(value) === null && value[REFUSAL] === true;

  // Says what a tool threw, and where: the first place in the module that the stack names.
  function describe(thrown, moduleName) {
    try {
      if (isRefusal(thrown)) return thrown;
      if (typeof thrown !== 'object' || thrown === null || !isError(thrown)) {
        return bare({ reason: 'threw', message: `threw ${showThrown(thrown)}, which is no Error` });
      }
      const name = show(thrown.name, 100);
      const message = show(thrown.message, LIMITS.shown);
      const stack = thrown.stack;
      return bare({
        reason: 'threw',
        name,
        message: `threw ${message === '' ? name : `${name}: ${message}`}`,
        ...place(typeof stack === 'string' ? stack : '', moduleName),
      });
    } catch {
      return bare({ reason: 'threw', message: 'threw a value that fails when it is looked at' });
    }
  }

  const showThrown = (thrown) =>
    typeof thrown === 'string' ? stringify(cut(thrown, LIMITS.shown)) : show(thrown, LIMITS.shown);

  // place finds "<module name>:<line>:<column>" in a stack.
  function place(stack, moduleName) {
    const at = indexOf(stack, `${moduleName}:`);
    if (at < 0) return {};
    const line = digits(stack, at + moduleName.length + 1);
    const column = digits(stack, line.end + 1);
    return line.value > 0 && line.value < 1e7 && column.value < 1e7 ? { line: line.value, column: column.value } : {};
  }

  function digits(text, start) {
    let value = 0;
    let end = start;
    for (; end < text.length && end < start + 9; end++) {
      const unit = charCodeAt(text, end);
      if (unit < 48 || unit > 57) break;
      value = value * 10 + unit - 48;
    }
    return { value, end };
  }

  // ---- the output: JSON, or a refusal that says where it is none ----

  // write gives the JSON of a value. JSON.stringify loses some values in silence; here they are refused, but for a member
  // that is undefined, which is left out.
  function write(value) {
    let bad = null;
    let depth = 0;
    let last = null; // the member before this one: its own members come next
    const open = list(); // the lists and objects that are being written, by depth
    // Called for each member, depth first: what nearly all are comes first.
    const check = function (name, member) {
      if (this === last) depth++;
      else while (depth > 0 && open[depth] !== this) depth--;
      open[depth] = this;
      last = member;
      if (depth > LIMITS.depth) {
        bad = { why: tooDeep };
        throw bad;
      }
      switch (typeof member) {
        case 'string':
        case 'boolean':
          return member;
        case 'number':
          if (isFinite(member)) return member;
          break;
        case 'object': {
          if (member === null) return member;
          const parent = getPrototypeOf(member);
          if (parent === ofObjects || parent === ofLists || parent === null || whyLost(member) === null) return member;
          break;
        }
        case 'undefined':
          if (!isArray(this)) return member;
          break;
      }
      bad = { holder: this, name, why: whyNoJSON(member) };
      throw bad;
    };
    let text;
    try {
      text = stringify(value, check);
    } catch (problem) {
      if (bad === null || problem !== bad) throw unreadable(value, problem);
      throw noJSON(bad.why, bad.why === tooDeep ? null : pathTo(value, sameMember(bad)));
    }
    if (text === undefined) throw noJSON(whyNoJSON(undefined), null);
    if (sizeOf(text) > LIMITS.output) {
      throw refuse('output', `returned more than ${LIMITS.output} bytes of JSON`);
    }
    if (indexOf(text, '\\u') >= 0) checkTexts(value);
    return text;
  }

  const tooDeep = `a value that is nested more than ${LIMITS.depth} deep`;

  // How long a text is, in bytes of UTF-8.
  let sizeOf = (text) => encode(text).length;

  const ofObjects = Obj.prototype;
  const ofLists = Array.prototype;

  // whyNoJSON says why a value has no JSON.
  function whyNoJSON(value) {
    switch (typeof value) {
      case 'number':
        return `${value}: JSON has no such number`;
      case 'object':
        return whyLost(value);
      case 'undefined':
        return 'undefined: return null, an object, a list, text, a number or a boolean';
      default:
        return `a ${typeof value}: JSON has none`;
    }
  }

  const lost = bare({
    '[object Map]': 'a Map: return Object.fromEntries(it)',
    '[object Set]': 'a Set: return Array.from(it)',
    '[object WeakMap]': 'a WeakMap: JSON has none',
    '[object WeakSet]': 'a WeakSet: JSON has none',
    '[object Promise]': 'a promise: await it',
    '[object RegExp]': 'a RegExp: return its source',
    '[object ArrayBuffer]': 'an ArrayBuffer: return text or a list',
  });

  // whyLost says why JSON.stringify would lose an object in silence, null where it would not.
  function whyLost(value) {
    return isError(value) ? 'an Error: return its message' : (lost[tagOf(value)] ?? null);
  }

  function noJSON(why, found) {
    const pointer = found ?? '';
    const where = pointer === '' ? '' : `, at ${cut(pointer, 200)},`;
    return refuse('output_invalid', `returned${where} ${why}`, { pointer: cut(pointer, 1000) });
  }

  // unreadable says why JSON.stringify itself failed: a cycle, a depth, or what a getter, toJSON or Proxy threw.
  function unreadable(value, problem) {
    const cycle = pathTo(value, (holder, name, open) => {
      for (let i = 0; i < open.length; i++) if (open[i] === holder[name]) return true;
      return false;
    });
    if (cycle !== null) return noJSON('a value that holds itself: JSON has no cycles', cycle);
    return refuse('output_invalid', `returned a value that can't be read: it ${describe(problem, '').message}`);
  }

  // checkTexts looks for text that databases refuse.
  function checkTexts(value) {
    const half = pathTo(value, (holder, name) => !isWellFormed(name) || isBadText(holder[name], isWellFormed, false));
    if (half !== null) throw noJSON('text with half a character (a lone surrogate)', half);
    const hasNull = (text) => indexOf(text, '\u0000') >= 0;
    const zero = pathTo(value, (holder, name) => hasNull(name) || isBadText(holder[name], hasNull, true));
    if (zero !== null) throw noJSON('text with the character U+0000', zero);
  }

  const isBadText = (value, test, bad) => typeof value === 'string' && test(value) === bad;
  const sameMember = (bad) => (holder, name) => holder === bad.holder && name === bad.name;

  // pathTo gives the JSON pointer of the first member that is wanted, null where none is.
  function pathTo(value, wanted) {
    const open = list();
    const search = (holder, name, depth) => {
      if (depth > LIMITS.depth) return null;
      if (wanted(holder, name, open)) return '';
      const member = holder[name];
      if (typeof member !== 'object' || member === null) return null;
      open[open.length] = member;
      const names = keys(member);
      for (let i = 0; i < names.length; i++) {
        const below = search(member, names[i], depth + 1);
        if (below !== null) return `/${replaceAll(replaceAll(names[i], '~', '~0'), '/', '~1')}${below}`;
      }
      open.length -= 1;
      return null;
    };
    try {
      return search({ '': value }, '', 0);
    } catch {
      return null;
    }
  }

  // ---- one call in this realm ----

  // realm gives the four steps of one call: load the module, start a tool, poll, resolve a request. changed is called
  // when polling would show something new.
  function realm(moduleName, changed) {
    const logs = list();
    const requests = list(); // {id, request, resolve, reject, handedOut}
    const failures = list(); // {error, id}: what ctx.fetch rejected with
    let dropped = 0;
    let fetches = 0;
    let tools = null;
    let answer = null;

    function log(...values) {
      if (logs.length >= LIMITS.logs) {
        dropped++;
        return;
      }
      let text = '';
      for (let i = 0; i < values.length && text.length <= LIMITS.line; i++) {
        text += (i > 0 ? ' ' : '') + show(values[i], LIMITS.line);
      }
      logs[logs.length] = cut(text, LIMITS.line);
    }

    function lines() {
      const kept = [];
      setPrototypeOf(kept, null);
      for (let i = 0; i < logs.length; i++) kept[i] = logs[i];
      if (dropped > 0) kept[LIMITS.logs - 1] = `… and ${dropped + 1} more lines: a call keeps ${LIMITS.logs}.`;
      return kept;
    }

    function fetch(url, options) {
      return new Promise((resolve, reject) => {
        const request = requestOf(url, options);
        if (++fetches > LIMITS.fetches)
          throw new Error(`ctx.fetch sends at most ${LIMITS.fetches} requests in one call.`);
        request.id = fetches;
        requests[requests.length] = { id: fetches, request, resolve, reject, handedOut: false };
        changed();
      });
    }

    function load(namespace, names) {
      const exported = namespace.default;
      if (typeof exported !== 'object' || exported === null) {
        throw refuse(
          'no_default',
          'The module has to have an object as its default export: export default { tools: { … } };',
        );
      }
      const given = exported.tools;
      if (names.length > 0 && (typeof given !== 'object' || given === null)) {
        throw refuse('no_tools', 'The default export of the module has no tools: export default { tools: { … } };');
      }
      const found = bare({});
      for (let i = 0; i < names.length; i++) {
        if (typeof given[names[i]] !== 'function') {
          throw refuse('tool_missing', `The module exports no function tools.${names[i]}, which the manifest names.`);
        }
        found[names[i]] = given[names[i]];
      }
      tools = bare({ given, found });
    }

    function start(tool, inputJson, stage) {
      const run = tools === null ? undefined : tools.found[tool];
      if (run === undefined) throw refuse('no_tool', `The plugin has no tool ${show(tool, 100)}.`);
      const ctx = freeze({ log, fetch, stage });
      const input = parse(inputJson);
      const finish = async () => {
        try {
          const text = write(await apply(run, tools.given, [input, ctx]));
          answer = { state: 'done', output: text };
        } catch (thrown) {
          answer = failed(tool, thrown);
        }
        if (requests.length > 0)
          log(`${requests.length} of the requests had no answer when the tool was done: await each ctx.fetch.`);
        changed();
      };
      finish();
    }

    function failed(tool, thrown) {
      const said = describe(thrown, moduleName);
      const at = said.line === undefined ? '' : ` (line ${said.line}, column ${said.column})`;
      said.message = `The tool ${tool} ${trimDot(said.message)}${at}.`;
      for (let i = 0; i < failures.length; i++) {
        if (failures[i].error === thrown) said.fetch = failures[i].id;
      }
      return { state: 'error', ...said };
    }

    // poll gives the state; the output of a tool that is done is text here.
    function poll() {
      if (answer !== null) return bare({ ...answer, logs: lines() });
      for (let i = 0; i < requests.length; i++) {
        if (!requests[i].handedOut) {
          requests[i].handedOut = true;
          return bare({ state: 'fetch', request: requests[i].request });
        }
      }
      return bare({ state: 'running' });
    }

    // resolve answers the request that the response names by id, else the oldest one that is under way.
    function resolve(responseJson) {
      const response = bare(parse(responseJson));
      const left = list();
      let one = null;
      for (let i = 0; i < requests.length; i++) {
        const it = requests[i];
        if (one === null && it.handedOut && (response.id === undefined || response.id === it.id)) one = it;
        else left[left.length] = it;
      }
      if (one === null) return;
      requests.length = 0;
      for (let i = 0; i < left.length; i++) requests[i] = left[i];
      settle(one, response);
    }

    function settle(one, response) {
      if (response.error === undefined || response.error === null) {
        one.resolve({ status: response.status, headers: response.headers, text: response.text });
        return;
      }
      const error = new Error(response.error.message);
      error.name = 'FetchError';
      error.kind = response.error.kind;
      error.reason = response.error.reason;
      failures[failures.length] = { error, id: one.id };
      one.reject(error);
    }

    return { log, lines, load, start, poll, resolve, describe: (thrown) => describe(thrown, moduleName) };
  }

  // ---- ctx.fetch: what it is asked ----

  function requestOf(url, options) {
    const address = textOf(url);
    if (address === null) throw new TypeError('The address of ctx.fetch is text or a URL.');
    const request = bare({ id: 0, url: address, method: 'GET', headers: bare({}), body: null });
    if (options === undefined || options === null) return request;
    if (typeof options !== 'object')
      throw new TypeError('The options of ctx.fetch are an object: {method, headers, body}.');
    const names = keys(options);
    for (let i = 0; i < names.length; i++) setOption(request, names[i], options[names[i]]);
    return request;
  }

  function setOption(request, name, value) {
    if (value === undefined) return;
    if (name === 'method' && typeof value === 'string') request.method = value;
    else if (name === 'headers') setHeaders(request, value);
    else if (name === 'body') setBody(request, value);
    else if (name === 'method') throw new TypeError('The method of ctx.fetch is text, for instance "POST".');
    else throw new TypeError(`ctx.fetch knows method, headers and body, not ${show(name, 100)}.`);
  }

  function setHeaders(request, value) {
    if (value === null) return;
    if (typeof value !== 'object') throw new TypeError('The headers of ctx.fetch are an object.');
    const pairs = isArray(value);
    const names = pairs ? value : keys(value);
    for (let i = 0; i < names.length; i++) {
      const name = pairs ? names[i][0] : names[i];
      const field = pairs ? names[i][1] : value[name];
      if (typeof field !== 'string' && typeof field !== 'number' && typeof field !== 'boolean') {
        throw new TypeError(`The header ${show(name, 100)} of ctx.fetch has to be text.`);
      }
      request.headers[`${name}`] = `${field}`;
    }
  }

  function setBody(request, value) {
    if (value === null) return;
    const text = typeof value === 'string' ? value : formText(value);
    if (text === null) throw new TypeError('The body of ctx.fetch is text: use JSON.stringify for an object.');
    if (text.length > LIMITS.body || (text.length > LIMITS.body / 3 && encode(text).length > LIMITS.body)) {
      throw new TypeError(`The body of ctx.fetch has at most ${LIMITS.body} bytes.`);
    }
    request.body = text;
    if (typeof value !== 'string' && !hasContentType(request.headers)) {
      request.headers['Content-Type'] = 'application/x-www-form-urlencoded;charset=UTF-8';
    }
  }

  const lower = uncurry(String.prototype.toLowerCase);

  function hasContentType(headers) {
    const names = keys(headers);
    for (let i = 0; i < names.length; i++) if (lower(names[i]) === 'content-type') return true;
    return false;
  }

  function formText(value) {
    try {
      return paramsText(value);
    } catch {
      return null;
    }
  }

  function textOf(value) {
    if (typeof value === 'string') return value;
    if (typeof value !== 'object' || value === null) return null;
    return typeof value.href === 'string' ? value.href : null;
  }

  // ---- who asks ----
  const { document, WorkerGlobalScope } = scope;
  if (typeof document === 'object') return page();
  if (typeof WorkerGlobalScope === 'function') return worker();
  return engine();

  // engine is Pawl's own sandbox: one call in this realm, everything crosses as text, nothing throws.
  function engine() {
    const one = realm('plugin.js', () => {});
    const safely = (step) => {
      try {
        return step();
      } catch (thrown) {
        return stringify(bare({ state: 'error', ...one.describe(thrown), logs: one.lines() }));
      }
    };
    let started = null;
    const ofCall = (callId) => {
      if (callId !== started) throw refuse('no_call', `There is no call ${show(callId, 100)}.`);
      return one;
    };
    installConsole(one.log);
    sizeOf = (text) => text.length; // the host counts the bytes, and is quicker
    return freeze({
      load: (namespace, names) => safely(() => one.load(namespace, parse(names))),
      start: (callId, tool, inputJson, stage) =>
        safely(() => {
          if (started !== null) throw refuse('no_call', 'A realm runs one call.');
          started = callId;
          one.start(tool, inputJson, stage);
        }),
      poll: (callId) => safely(() => stringify(ofCall(callId).poll())),
      resolve: (callId, responseJson) => safely(() => ofCall(callId).resolve(responseJson)),
      describe: (thrown) => safely(() => stringify(one.describe(thrown))),
      log: (text) => one.log(text),
      logs: () => safely(() => stringify(bare({ logs: one.lines() }))),
    });
  }

  function installConsole(log) {
    const console = {};
    for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace'])
      console[name] = (...values) => log(...values);
    Obj.defineProperty(scope, 'console', { value: console, writable: true, configurable: true, enumerable: false });
  }

  // worker runs one call in a page's worker: it pushes each new state, the page keeps them for poll.
  function worker() {
    const post = scope.postMessage.bind(scope);
    let one = null;
    const push = () => {
      for (;;) {
        const state = one.poll();
        if (state.state === 'running') return;
        post(stringify(state));
        if (state.state !== 'fetch') return;
      }
    };
    const begin = async ({ code, tool, inputJson, stage }) => {
      const url = scope.URL.createObjectURL(new scope.Blob([code], { type: 'text/javascript' }));
      one = realm(url, push);
      installConsole(one.log);
      strip();
      try {
        one.load(await import(url), [tool]);
      } catch (thrown) {
        const said = one.describe(thrown);
        if (!isRefusal(thrown)) said.message = `The module ${trimDot(said.message)} while it was loaded.`;
        return post(stringify(bare({ state: 'error', ...said, logs: one.lines() })));
      }
      one.start(tool, inputJson, stage);
    };
    // What nobody catches is a line of the log, as in Pawl's own sandbox.
    scope.addEventListener('error', (event) => {
      event.preventDefault();
      one?.log(`Uncaught: it ${one.describe(event.error).message}`);
    });
    scope.addEventListener('unhandledrejection', (event) => {
      event.preventDefault();
      one?.log(`A promise that nobody awaits was rejected: it ${one.describe(event.reason).message}`);
    });
    scope.addEventListener('message', ({ data }) => (one === null ? begin(data) : one.resolve(data)));
  }

  // strip leaves a worker what Pawl's own sandbox has, so that a module that runs here runs there.
  function strip() {
    const getRandomValues = scope.crypto.getRandomValues.bind(scope.crypto);
    const random = freeze({ getRandomValues, randomUUID: () => uuid(getRandomValues(new Uint8Array(16))) });
    for (let at = scope; at !== null && at !== Obj.prototype; at = getPrototypeOf(at)) {
      for (const name of Obj.getOwnPropertyNames(at)) {
        if (!KEPT.includes(name) && name !== 'constructor') Reflect.deleteProperty(at, name);
      }
    }
    Obj.defineProperty(scope, 'crypto', { value: random, writable: true, configurable: true, enumerable: false });
  }

  // uuid makes a random UUID of 16 bytes (RFC 9562, version 4); a sandboxed page has no randomUUID of its own.
  function uuid(bytes) {
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let text = '';
    for (let i = 0; i < 16; i++) {
      if (i === 4 || i === 6 || i === 8 || i === 10) text += '-';
      text += (bytes[i] < 16 ? '0' : '') + bytes[i].toString(16);
    }
    return text;
  }

  // page is the document of a sandboxed iframe: a worker for each call, ended when its time is over, so that polling
  // never waits.
  function page() {
    const calls = new Map();
    let code = null;
    const end = (call, state) => {
      call.worker.terminate();
      scope.clearTimeout(call.timer);
      call.last = state;
    };
    const heard = (call, state) => {
      if (state.state === 'fetch') call.requests.push(state);
      else end(call, state.state === 'done' ? { ...state, output: parse(state.output) } : state);
    };
    const failed = (message, reason) => ({ state: 'error', reason, message, logs: [] });
    const api = freeze({
      load(text) {
        code = text;
      },
      start(callId, tool, inputJson, stage) {
        if (code === null) throw new Error('No module is loaded: call __genisys.load(code) first.');
        if (calls.has(callId)) throw new Error(`There is a call ${callId} already.`);
        const source = new scope.Blob([`(${genisys})(globalThis)`], { type: 'text/javascript' });
        const worker = new scope.Worker(scope.URL.createObjectURL(source));
        const call = { worker, requests: [], last: null, timer: 0 };
        call.timer = scope.setTimeout(
          () =>
            end(call, failed(`The tool ${tool} ran for more than ${LIMITS.time / 1000} s and was stopped.`, 'time')),
          LIMITS.time,
        );
        worker.onmessage = ({ data }) => heard(call, parse(data));
        worker.onerror = (event) => end(call, failed(event.message || 'The worker of the module failed.', 'threw'));
        worker.postMessage({ code, tool, inputJson, stage });
        calls.set(callId, call);
      },
      poll(callId) {
        const call = calls.get(callId);
        if (call === undefined) return failed(`There is no call ${callId}.`, 'no_call');
        return call.last ?? call.requests.shift() ?? { state: 'running' };
      },
      resolve(callId, responseJson) {
        const call = calls.get(callId);
        if (call !== undefined && call.last === null) call.worker.postMessage(responseJson);
      },
    });
    Obj.defineProperty(scope, '__genisys', { value: api });
    scope.addEventListener('message', (event) => {
      if (event.source === scope.parent) answer(event, api);
    });
  }

  // answer does what a message asks and replies with the state of its call.
  function answer(event, api) {
    const { genisys: verb, callId, tool, inputJson, stage, responseJson, code } = event.data ?? {};
    let state;
    try {
      if (verb === 'load') api.load(code);
      else if (verb === 'start') api.start(callId, tool, inputJson, stage);
      else if (verb === 'resolve') api.resolve(callId, responseJson);
      else if (verb !== 'poll') return;
      state = verb === 'load' ? { state: 'loaded' } : api.poll(callId);
    } catch (error) {
      state = { state: 'error', message: error.message, logs: [] };
    }
    event.source.postMessage({ ...state, genisys: 'state', callId }, '*');
  }
})(globalThis);
