/**
 * The text of a JSON value (RFC 8259) as somebody gave it. It is shown and sent on as it is: a number that was read
 * into JavaScript could lose digits.
 */
export type JSONText = string & { readonly isJSONText: unique symbol };

/** Where the string that starts at its opening quote ends: the place behind the closing one. */
function endOfString(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let escapes = 0;
    while (text[at - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
}

function behindSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \n\r\t'.includes(text[at] ?? '')) at++;
  return at;
}

/** Where the value that starts here ends. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const c = text[at] ?? '';
    if (c === '"') {
      at = endOfString(text, at);
    } else if (c === '{' || c === '[') {
      depth++;
      at++;
    } else if (c === '}' || c === ']') {
      if (depth === 0) return at;
      depth--;
      at++;
    } else if (depth === 0) {
      return endOfWord(text, at);
    } else {
      at++;
      continue;
    }
    if (depth === 0) return at;
  }
  return at;
}

/** Where a number, true, false or null ends. */
function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && !',}] \n\r\t'.includes(text[at] ?? '')) at++;
  return at;
}

/** Rewrites the text of each value that stands under one of the names; what it holds is not looked at again. */
function rewriteMembers(text: string, names: ReadonlySet<string>, rewrite: (value: string) => string): string {
  const parts: string[] = [];
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    if (text[at] !== '"') {
      at++;
      continue;
    }
    const end = endOfString(text, at);
    const colon = behindSpace(text, end);
    const isNamed = text[colon] === ':' && names.has(text.slice(at + 1, end - 1));
    at = end;
    if (isNamed) {
      const start = behindSpace(text, colon + 1);
      at = endOfValue(text, start);
      parts.push(text.slice(copied, start), rewrite(text.slice(start, at)));
      copied = at;
    }
  }
  parts.push(text.slice(copied));
  return parts.join('');
}

/** Replaces the values under the names by strings that hold their text. */
export function keepExact(text: string, names: ReadonlySet<string>): string {
  return rewriteMembers(text, names, JSON.stringify);
}

/** Reads JSON; values under the names come as JSONText. Throws a SyntaxError for what is no JSON. */
export function parseExact(text: string, names: ReadonlySet<string>): unknown {
  return JSON.parse(keepExact(text, names));
}

/** Writes JSON; texts under the names are put in as the values that they hold. */
export function writeExact(value: unknown, names: ReadonlySet<string>): string {
  return rewriteMembers(JSON.stringify(value), names, (part) => (part.startsWith('"') ? JSON.parse(part) : part));
}

/** The verdict on a text that somebody typed. */
export type Typed = { ok: true; text: JSONText } | { ok: false; problem: string };

/** Checks that a text is one JSON value. The value itself is thrown away. */
export function readTyped(text: string): Typed {
  try {
    JSON.parse(text);
    return { ok: true, text: text.trim() as JSONText };
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    return { ok: false, problem: `This is no JSON yet. ${why}`.trim() };
  }
}
