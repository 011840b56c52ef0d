/** Escape sequences. Written so that each stops at the next one: text of others must not cost more than its length. */
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: naming the control characters is the whole point
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

/** Characters that move the cursor, ring the bell, restyle the terminal or turn the direction of what follows; the line feed and the tab stay. */
const CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: naming the control characters is the whole point
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Text of a third party made safe to print: no escape sequences, no control characters; line feeds and tabs stay. */
export function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(SEQUENCE, '').replace(CONTROL, '');
}

/** JSON with those characters written as escapes: the same document, and safe to print. */
export function plainJson(json: string): string {
  return json.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same on one line: every run of white space becomes one space. */
export function oneLine(text: string): string {
  return plain(text.replace(/[\r\u2028\u2029]/g, '\n'))
    .replace(/\s+/g, ' ')
    .trim();
}

/** At most `limit` characters, counted as a reader counts them (code points), then `...`. */
export function cut(text: string, limit: number): string {
  const characters = [...text];
  return characters.length <= limit ? text : `${characters.slice(0, limit).join('')}...`;
}

/** How many columns `text` takes, styling left out. */
export function columns(text: string): number {
  return [...text.replace(SEQUENCE, '')].length;
}

/** `text` filled up with spaces on the right to `width` columns. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columns(text)));
}

/** `text` filled up with spaces on the left to `width` columns. */
export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - columns(text))) + text;
}

/** `1 thing`, `2 things`. */
export function count(amount: number, thing: string): string {
  return `${amount} ${thing}${amount === 1 ? '' : 's'}`;
}
