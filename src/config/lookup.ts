import { Pattern } from './patterns.ts';
import type { Mapping } from './reading.ts';
import { property, resolved, type SchemaNode, schema } from './schema.ts';
import type { NameFilter } from './types.ts';

/**
 * Looks at a file's data by key path. Everything answers for data of the wrong shape too, as if it were not there, so
 * that checks run beside the schema's refusals.
 */
export class Lookup {
  readonly #data: unknown;
  readonly #node: SchemaNode;

  constructor(data: unknown, node: SchemaNode = schema) {
    this.#data = data;
    this.#node = node;
  }

  value(key: string): unknown {
    let at = this.#data;
    for (const segment of key.split('.')) {
      if (!isMapping(at)) {
        return undefined;
      }
      at = at[segment];
    }
    return at;
  }

  has(key: string): boolean {
    return this.value(key) !== undefined;
  }

  isTrue(key: string): boolean {
    return this.value(key) === true;
  }

  /** Text that is not empty. */
  text(key: string): string | undefined {
    const value = this.value(key);
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  texts(key: string): string[] {
    const value = this.value(key);
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  }

  /** The keys of a block, in the order of the file. */
  keys(key: string): string[] {
    const value = this.value(key);
    return isMapping(value) ? Object.keys(value) : [];
  }

  /** The entries of a list of blocks. */
  entries(key: string): Lookup[] {
    const value = this.value(key);
    const items = resolved(this.#at(key).items ?? {});
    return Array.isArray(value) ? value.map((entry) => new Lookup(entry, items)) : [];
  }

  /** A block whose keys are the file's own. */
  map(key: string): Map<string, string> {
    const value = this.value(key);
    const entries = isMapping(value) ? Object.entries(value) : [];
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  }

  /** A copy of a block as it stands, without a prototype. */
  mapping(key: string): Mapping {
    const value = this.value(key);
    return Object.assign(Object.create(null), isMapping(value) ? value : {});
  }

  /** Patterns and tags; patterns must have been judged. */
  filter(key: string): NameFilter {
    return {
      tools: this.texts(`${key}.tools`).map((source) => new Pattern(source)),
      tags: this.texts(`${key}.tags`),
    };
  }

  defaultOf(key: string): SchemaNode['default'] {
    return this.#at(key).default;
  }

  #at(key: string): SchemaNode {
    return key.split('.').reduce<SchemaNode>((node, segment) => property(node, segment) ?? {}, this.#node);
  }
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
