import { RE2JS } from 're2js';

/** A pattern outside the syntax. The message completes "the pattern …". */
export class PatternTextError extends Error {}

/**
 * An operator's regular expression in RE2 syntax, searched anywhere in a text. Matching takes time in proportion to the
 * text, whatever the pattern, and what RE2 refuses is refused here too, so that no filter silently matches nothing.
 */
export class Pattern {
  readonly source: string;
  readonly #expression: RE2JS;

  /** @throws {PatternTextError} when the pattern is invalid or uses what RE2 does not have. */
  constructor(source: string) {
    this.source = source;
    try {
      this.#expression = RE2JS.compile(source);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      throw new PatternTextError(text.replace(/^error parsing regexp: /, ''));
    }
  }

  test(text: string): boolean {
    return this.#expression.test(text);
  }
}
