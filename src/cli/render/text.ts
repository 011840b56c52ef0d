import { stripVTControlCharacters } from 'node:util';

/** Control characters that would move the cursor, ring the bell or restyle the terminal; the line feed and the tab stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: naming the control characters is the whole point
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Text of a third party made safe to print: no escape sequences, no control characters; line feeds and tabs stay. */
export function plain(text: string): string {
  return stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(CONTROL, '');
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
  return [...stripVTControlCharacters(text)].length;
}

/** `text` filled up with spaces on the right to `width` columns. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columns(text)));
}

/** `text` filled up with spaces on the left to `width` columns. */
export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - columns(text))) + text;
}

/** `one thing`, `2 things`. */
export function count(amount: number, thing: string, things = `${thing}s`): string {
  return `${amount} ${amount === 1 ? thing : things}`;
}
