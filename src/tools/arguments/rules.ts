/**
 * What a published schema asks of a value, read once when a tool is loaded. Only the keywords that the framework writes
 * are judged. A schema that does not hold together yields no rule, and the command judges that property itself.
 */
import { Pattern } from '../../config/index.ts';

export type ValueType = 'string' | 'boolean' | 'integer' | 'number' | 'array' | 'object';

export interface Rule {
  /** Any of these; absent means any type, and an empty set that nothing fits. */
  readonly types?: ReadonlySet<ValueType>;
  /** The allowed texts. */
  readonly allowed?: readonly string[];
  readonly pattern?: Pattern;
  readonly minimum?: number;
  readonly maximum?: number;
  /** For the elements of a list. */
  readonly items?: Rule;
  /** For the values of an object. */
  readonly entries?: Rule;
}

/** Thrown inside this file alone. */
class Unusable extends Error {}

const TYPES: ReadonlySet<unknown> = new Set(['string', 'boolean', 'integer', 'number', 'array', 'object', 'null']);

/** Keywords that restrict a value and that no rule is made of. */
const NOT_JUDGED = [
  'const',
  'minLength',
  'maxLength',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'allOf',
  'anyOf',
  'not',
  'if',
  '$ref',
];

/** Reads rules; equal patterns are compiled once. One reader serves all tools of an application. */
export class RuleReader {
  readonly #patterns = new Map<string, Pattern>();

  /**
   * The rule of one property. `complain` is told what is wrong with the schema, and what in it is not judged; undefined
   * means that nothing is judged but what the renderer refuses.
   */
  read(schema: unknown, complain: (problem: string) => void): Rule | undefined {
    try {
      return this.#rule(schema, complain);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      complain(error.message);
      return undefined;
    }
  }

  #rule(schema: unknown, complain: (problem: string) => void): Rule {
    if (schema === true) return {};
    if (schema === false) return { types: new Set() };
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
      throw new Unusable('its schema is no object');
    }
    const keywords = schema as { readonly [key: string]: unknown };
    const skipped = NOT_JUDGED.filter((keyword) => Object.hasOwn(keywords, keyword));
    if (!formatsAlone(keywords['oneOf'])) skipped.push('oneOf');
    if (skipped.length > 0) complain(`${skipped.join(', ')} in its schema is not judged here`);
    const { items, additionalProperties: entries } = keywords;
    return {
      ...given('types', typesOf(keywords['type'])),
      ...given('allowed', allowedOf(keywords['enum'])),
      ...given('pattern', this.#pattern(keywords['pattern'])),
      ...given('minimum', boundOf('minimum', keywords['minimum'])),
      ...given('maximum', boundOf('maximum', keywords['maximum'])),
      ...given('items', items === undefined ? undefined : this.#rule(items, complain)),
      ...given('entries', entries === undefined ? undefined : this.#rule(entries, complain)),
    };
  }

  #pattern(source: unknown): Pattern | undefined {
    if (source === undefined) return undefined;
    if (typeof source !== 'string') throw new Unusable('its pattern is no text');
    const known = this.#patterns.get(source);
    if (known !== undefined) return known;
    const pattern = compile(source);
    this.#patterns.set(source, pattern);
    return pattern;
  }
}

function compile(source: string): Pattern {
  try {
    return new Pattern(source);
  } catch {
    throw new Unusable(`its pattern ${JSON.stringify(source)} is not one that can be judged`);
  }
}

function typesOf(type: unknown): ReadonlySet<ValueType> | undefined {
  if (type === undefined) return undefined;
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (names.length === 0 || !names.every((name) => TYPES.has(name))) {
    throw new Unusable(`its type ${JSON.stringify(type)} is none`);
  }
  return new Set(names.filter((name) => name !== 'null') as ValueType[]);
}

function allowedOf(values: unknown): readonly string[] | undefined {
  if (values === undefined) return undefined;
  if (!Array.isArray(values) || values.length === 0) throw new Unusable('its enum is no list of values');
  return values.filter((value) => value !== null && typeof value !== 'object').map(String);
}

function boundOf(keyword: string, bound: unknown): number | undefined {
  if (bound === undefined || typeof bound === 'number') return bound;
  throw new Unusable(`its ${keyword} is no number`);
}

/**
 * Formats are not judged. Where the branches differ in nothing else, every value would match all of them, and `oneOf`
 * would refuse it; the producer writes addresses like that.
 */
function formatsAlone(branches: unknown): boolean {
  if (branches === undefined) return true;
  return (
    Array.isArray(branches) &&
    branches.every((branch) => typeof branch === 'object' && branch !== null && Object.keys(branch).join() === 'format')
  );
}

function given<Key extends string, Value>(key: Key, value: Value | undefined): { [key in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [key in Key]: Value });
}
