import { UsageError } from '../errors.ts';

/** A word of the command line: `name=text` or `name:=JSON`. */
export interface ArgumentWord {
  readonly name: string;
  readonly value: string;
  /** True for `name:=JSON`: the value goes out as it stands. */
  readonly json: boolean;
}

/** The three ways to give the arguments of a call. */
export type CallArguments =
  | { readonly form: 'json'; readonly text: string }
  | { readonly form: 'stdin' }
  | { readonly form: 'words'; readonly words: readonly ArgumentWord[] };

/** The type that a tool's schema asks for, by property; nothing for one that it does not know. */
export type PropertyType = (name: string) => unknown;

/**
 * Tells the forms apart by the first word. Several words that begin with a brace are one JSON text that the shell has
 * split.
 * @throws {UsageError} for a word that is none of them.
 */
export function readArguments(words: readonly string[]): CallArguments {
  const [first] = words;
  if (first === '-' && words.length === 1) return { form: 'stdin' };
  if (first?.trimStart().startsWith('{')) return { form: 'json', text: objectText(words.join(' '), 'the argument') };
  return { form: 'words', words: words.map(readWord) };
}

function readWord(word: string): ArgumentWord {
  const equals = word.indexOf('=');
  const json = equals > 0 && word[equals - 1] === ':';
  const name = word.slice(0, json ? equals - 1 : equals);
  if (equals < 0 || name === '') {
    throw new UsageError(`'${word}' is no argument: give name=text, name:=JSON, one JSON object, or - for stdin`);
  }
  const value = word.slice(equals + 1);
  if (json && parsed(value) === undefined) throw new UsageError(`the value of '${name}:=' is not JSON: ${value}`);
  return { name, value, json };
}

/**
 * Holds `text` to being one JSON object, and returns it as it is, so that digits stay as they were typed.
 * @throws {UsageError} when it is anything else.
 */
export function objectText(text: string, what: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${what} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${what} must be a JSON object, such as {"name": "bolt"}`);
  }
  return text;
}

/**
 * Whether words can be sent only when it is known what the tool takes. Text does for nearly everything, since the
 * other side judges a value by the text that its command would receive; a boolean, a list and an object are what it
 * wants as such, and only a schema tells `true` the boolean from `true` the text.
 */
export function needTypes(words: readonly ArgumentWord[]): boolean {
  return words.some(({ value, json }) => !json && looksTyped(value));
}

function looksTyped(value: string): boolean {
  return value === 'true' || value === 'false' || /^\s*[[{]/.test(value);
}

/** The JSON object that the words stand for; a name that is repeated becomes a list. */
export function inputText(words: readonly ArgumentWord[], typeOf: PropertyType = () => undefined): string {
  const properties = new Map<string, string[]>();
  for (const word of words) {
    const values = properties.get(word.name) ?? [];
    properties.set(word.name, [...values, valueText(word, typeOf(word.name))]);
  }
  const members = [...properties].map(([name, values]) => {
    const value = values.length === 1 ? values[0] : `[${values.join(',')}]`;
    return `${JSON.stringify(name)}:${value}`;
  });
  return `{${members.join(',')}}`;
}

function valueText({ value, json }: ArgumentWord, type: unknown): string {
  if (json) return value;
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value;
  if ((type === 'array' || type === 'object') && looksTyped(value) && fits(parsed(value), type)) return value;
  return JSON.stringify(value);
}

function fits(value: unknown, type: 'array' | 'object'): boolean {
  return type === 'array' ? Array.isArray(value) : typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
