const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Whether JSON text opens more than `limit` objects and arrays inside one another. One pass over the bytes. */
export function isTooDeep(json: Uint8Array, limit: number): boolean {
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === QUOTE) i = endOfString(json, i);
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth++;
      if (depth > limit) return true;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
  }
  return false;
}

function endOfString(json: Uint8Array, quote: number): number {
  let end = json.indexOf(QUOTE, quote + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf(QUOTE, end + 1);
  return end === -1 ? json.length : end;
}

function isEscaped(json: Uint8Array, position: number): boolean {
  let before = position;
  while (json[before - 1] === BACKSLASH) before--;
  return (position - before) % 2 === 1;
}
