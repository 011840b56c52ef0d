import type { SchemaNode } from './schema.ts';

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Reads one scalar for the place it stands in. A number where text belongs is its digits as written; a quoted number
 * where a number belongs is that number. Everything else is left as it is, for the schema to refuse: text is never a
 * boolean, and a number never becomes a duration.
 * @param value what YAML makes of the scalar.
 * @param source the scalar as written.
 */
export function readText(value: unknown, source: string, node: SchemaNode): unknown {
  if (node.type === 'string') {
    const text = typeof value === 'number' || typeof value === 'bigint' ? source : value;
    return typeof text === 'string' && node['x-normalise'] === 'lower' ? text.trim().toLowerCase() : text;
  }
  if (typeof value === 'string') {
    if (node.type === 'integer' && INTEGER.test(value)) {
      return Number(value);
    }
    if (node.type === 'number' && NUMBER.test(value)) {
      return Number(value);
    }
  }
  return value;
}

/** Reads the text of a flag or variable. Booleans are what Go's flags take for one; anything else stays text. */
export function readSetting(text: string, node: SchemaNode): unknown {
  return node.type === 'boolean' ? (booleanText(text) ?? text) : readText(text, text, node);
}

/** One of the spellings of a boolean in a variable, or undefined. */
export function booleanText(text: string): boolean | undefined {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) {
    return true;
  }
  return /^(0|f|F|FALSE|false|False)$/.test(text) ? false : undefined;
}
