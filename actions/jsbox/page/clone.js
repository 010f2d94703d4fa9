// structuredClone (https://html.spec.whatwg.org/multipage/structured-data.html), for what a module can hold.
(function clone(scope) {
  'use strict';

  const { DOMException } = scope;
  const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);
  const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const refuse = (what) => {
    throw new DOMException(`${what} can't be cloned.`, 'DataCloneError');
  };

  function copy(value, seen) {
    if (typeof value === 'function' || typeof value === 'symbol') refuse(`A ${typeof value}`);
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    if (ArrayBuffer.isView(value)) return copyView(value, seen);
    const make = kinds[tagOf(value)];
    if (make === undefined) refuse(`A ${tagOf(value)}`);
    return make(value, seen);
  }

  const keep = (value, made, seen) => {
    seen.set(value, made);
    return made;
  };

  function copyMembers(value, made, seen) {
    keep(value, made, seen);
    for (const name of Object.keys(value)) {
      const member = copy(value[name], seen);
      Object.defineProperty(made, name, { value: member, writable: true, enumerable: true, configurable: true });
    }
    return made;
  }

  function copyView(value, seen) {
    const buffer = copy(value.buffer, seen);
    const Kind = scope[tagOf(value)];
    const size = Kind === DataView ? value.byteLength : value.length;
    return keep(value, new Kind(buffer, value.byteOffset, size), seen);
  }

  function copyMap(value, seen) {
    const made = keep(value, new Map(), seen);
    for (const [key, member] of Array.from(value)) made.set(copy(key, seen), copy(member, seen));
    return made;
  }

  function copySet(value, seen) {
    const made = keep(value, new Set(), seen);
    for (const member of Array.from(value)) made.add(copy(member, seen));
    return made;
  }

  function copyError(value, seen) {
    const Kind = Object.hasOwn(errors, value.name) ? errors[value.name] : Error;
    const made = keep(value, Object.create(Kind.prototype), seen);
    for (const name of ['message', 'stack', 'cause']) {
      if (Object.hasOwn(value, name)) {
        Object.defineProperty(made, name, { value: copy(value[name], seen), writable: true, configurable: true });
      }
    }
    return made;
  }

  const kinds = {
    __proto__: null,
    Object: (value, seen) => copyMembers(value, {}, seen),
    Array: (value, seen) => copyMembers(value, new Array(value.length), seen),
    Date: (value, seen) => keep(value, new Date(value.getTime()), seen),
    RegExp: (value, seen) => keep(value, new RegExp(value.source, value.flags), seen),
    Map: copyMap,
    Set: copySet,
    Error: copyError,
    ArrayBuffer: (value, seen) => keep(value, value.slice(0), seen),
    Number: (value, seen) => keep(value, Object(value.valueOf()), seen),
    String: (value, seen) => keep(value, Object(value.valueOf()), seen),
    Boolean: (value, seen) => keep(value, Object(value.valueOf()), seen),
    BigInt: (value, seen) => keep(value, Object(value.valueOf()), seen),
  };

  function structuredClone(value, options) {
    if (options?.transfer?.length > 0) refuse('What is to be transferred');
    return copy(value, new Map());
  }

  Object.defineProperty(scope, 'structuredClone', {
    value: structuredClone,
    writable: true,
    configurable: true,
    enumerable: false,
  });
})(globalThis);
