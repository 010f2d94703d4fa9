// What a browser's page has and the language has not: randomness and timers. And what the language has and a sandbox
// should not: a precise clock, shared memory, a hook into stacks. Its value is what the host drives.
(function base(scope) {
  'use strict';

  const random = scope.__random; // random(n) gives n bytes of the host's randomness
  delete scope.__random;

  const define = (name, value) =>
    Object.defineProperty(scope, name, { value, writable: true, configurable: true, enumerable: false });

  for (const name of ['performance', 'SharedArrayBuffer', 'Atomics']) delete scope[name];
  for (const name of ['prepareStackTrace', 'captureStackTrace']) delete Error[name];

  // ---- Math.random: xoshiro128**, seeded at its first use in a call, so that no two calls share numbers ----

  const { imul } = Math;
  const words = (bytes) => new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 2);
  const rotate = (x, k) => (x << k) | (x >>> (32 - k));
  let seed = null;

  function next() {
    if (seed === null) seed = words(random(16));
    const result = imul(rotate(imul(seed[1], 5), 7), 9) >>> 0;
    const t = seed[1] << 9;
    seed[2] ^= seed[0];
    seed[3] ^= seed[1];
    seed[1] ^= seed[2];
    seed[0] ^= seed[3];
    seed[2] ^= t;
    seed[3] = rotate(seed[3], 11);
    return result;
  }

  Object.defineProperty(Math, 'random', {
    value: { random: () => (next() >>> 5) * 2 ** -27 + (next() >>> 6) * 2 ** -53 }.random,
    writable: true,
    configurable: true,
  });

  // ---- crypto.getRandomValues, crypto.randomUUID ----

  const { DOMException } = scope;
  const setBytes = Function.prototype.call.bind(Uint8Array.prototype.set);
  const { isView } = ArrayBuffer;
  const integers = /^\[object (Int|Uint|BigInt|BigUint)\d+(Clamped)?Array\]$/;
  const tagOf = Function.prototype.call.bind(Object.prototype.toString);
  const matches = Function.prototype.call.bind(RegExp.prototype.test);

  function getRandomValues(view) {
    if (!isView(view) || !matches(integers, tagOf(view))) {
      throw new DOMException('getRandomValues fills a typed array of integers.', 'TypeMismatchError');
    }
    if (view.byteLength > 65536)
      throw new DOMException('getRandomValues gives at most 65536 bytes.', 'QuotaExceededError');
    setBytes(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), random(view.byteLength));
    return view;
  }

  function randomUUID() {
    const bytes = random(16);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let text = '';
    for (let i = 0; i < 16; i++) {
      if (i === 4 || i === 6 || i === 8 || i === 10) text += '-';
      text += (bytes[i] < 16 ? '0' : '') + bytes[i].toString(16);
    }
    return text;
  }

  define('crypto', Object.freeze({ getRandomValues, randomUUID }));

  // ---- timers ----

  const { now } = Date;
  const { apply } = Reflect;
  const most = 1000; // timers that wait at once
  const timers = Object.create(null); // id -> {at, every, run, values}
  let waiting = 0;
  let last = 0;

  function add(run, delay, values, repeats) {
    if (typeof run !== 'function') throw new TypeError('A timer runs a function.');
    if (waiting >= most) throw new RangeError(`At most ${most} timers wait at once.`);
    const wait = delay > 1 ? Math.min(Number(delay), 2 ** 31 - 1) : 1;
    waiting++;
    timers[++last] = { at: now() + wait, every: repeats ? Math.max(wait, 4) : 0, run, values };
    return last;
  }

  function remove(id) {
    if (timers[id] === undefined) return;
    delete timers[id];
    waiting--;
  }

  define('setTimeout', (run, delay, ...values) => add(run, delay, values, false));
  define('setInterval', (run, delay, ...values) => add(run, delay, values, true));
  define('clearTimeout', (id) => remove(id));
  define('clearInterval', (id) => remove(id));

  function first() {
    let id = 0;
    for (const name in timers) if (id === 0 || timers[name].at < timers[id].at) id = name;
    return id;
  }

  return Object.freeze({
    // due is how many milliseconds are left until the next timer, -1 where none waits.
    due() {
      const id = first();
      return id === 0 ? -1 : Math.max(0, timers[id].at - now());
    },
    // tick runs the next timer, if its time has come.
    tick() {
      const id = first();
      if (id === 0 || timers[id].at > now()) return;
      const timer = timers[id];
      if (timer.every > 0) timer.at = now() + timer.every;
      else remove(id);
      apply(timer.run, undefined, timer.values);
    },
  });
})(globalThis);
