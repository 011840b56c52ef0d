import { isTooDeep } from './depth.ts';
import { MAX_DEPTH } from './limits.ts';

/** A number literal exactly as it was sent, so that no digit is lost on the way to a command. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

type SourceReviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;

const parse = JSON.parse as (text: string, reviver: SourceReviver) => unknown;

/**
 * As JSON.parse, but each number becomes a {@link NumberText}. A key `__proto__` stays a property like any other.
 *
 * Throws SyntaxError for text that is no JSON, and for more than 64 levels: the walk behind a reviver recurses, so
 * without that bound a caller could overflow the stack.
 */
export function parseNumberText(jsonText: string): unknown {
  if (isTooDeep(Buffer.from(jsonText), MAX_DEPTH)) throw new SyntaxError(`nested deeper than ${MAX_DEPTH} levels`);
  return parse(jsonText, keepNumberText);
}

function keepNumberText(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  return typeof value === 'number' ? new NumberText(context.source ?? String(value)) : value;
}
