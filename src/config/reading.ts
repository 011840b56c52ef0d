import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import { readText } from './coercion.ts';
import { keyText, property, resolved, type SchemaNode, schema } from './schema.ts';

export type Path = readonly (string | number)[];

/** Where a value and its key begin in the text. */
export interface Place {
  readonly key: number;
  readonly value: number;
}

/** A mapping of the file. It has no prototype, since its keys are whatever the file says. */
export type Mapping = { [key: string]: unknown };

/** Stands for the value of a key that the schema does not know; it is refused anyway. */
const UNKNOWN = true;

/** Levels of a backend's free options. */
const FREE_DEPTH = 16;
/** Values in a backend's free options; what aliases repeat counts each time. */
const FREE_VALUES = 10_000;
/** Values that aliases may repeat in all: a few bytes of text can ask for any number. */
const REPEATED_VALUES = 10_000;

/**
 * The file as plain data, with the few coercions that are allowed done and everything else left as it stands, for the
 * schema to judge. A key without a value is an absent key.
 */
export class Reading {
  readonly data: Mapping = Object.create(null);
  /** Key paths of blocks whose presence would mean something, written without a value. */
  readonly emptySwitches: Path[] = [];
  readonly #places = new Map<string, Place>();
  readonly #aliases = new Map<Alias, Node>();
  #freeValues = 0;
  /** How many more values may be read; without aliases none is read twice. */
  #left = REPEATED_VALUES;

  constructor(document: Document | undefined) {
    if (document !== undefined) this.#findAliases(document);
    if (isMap(document?.contents)) {
      this.#fill(this.data, document.contents, schema, []);
    }
  }

  /** True when the aliases repeat so much that the rest was not read. */
  get repeatsTooMuch(): boolean {
    return this.#left < 0;
  }

  /** The place of a key, or of the closest block around it that the file has. */
  place(key: string): Place | undefined {
    const found = this.#places.get(key);
    const around = key.replace(/(^|\.)[^.[]*$|\[\d+\]$/, '');
    return found ?? (around === '' || around === key ? undefined : this.place(around));
  }

  /** Once for all of them: the library looks through the whole document for each. */
  #findAliases(document: Document): void {
    const anchors = new Map<string, Node>();
    visit(document, (_, node) => {
      if (isAlias(node)) {
        const meant = anchors.get(node.source);
        if (meant !== undefined) this.#aliases.set(node, meant);
      } else if (isNode(node)) {
        this.#left++;
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
      }
    });
  }

  #fill(into: Mapping, map: YAMLMap, node: SchemaNode, path: Path): void {
    for (const pair of map.items) {
      if (this.#left < 0) return;
      const name = this.#name(pair);
      const at = [...path, name];
      const known = property(node, name);
      const value = this.#follow(pair.value);
      const keyAt = offsetOf(pair.key) ?? offsetOf(pair.value) ?? 0;
      this.#places.set(keyText(at), { key: keyAt, value: offsetOf(pair.value) ?? keyAt });
      if (known === undefined) {
        into[name] = node.additionalProperties === false ? UNKNOWN : this.#free(value, 0);
      } else if (value === null || (isScalar(value) && value.value === null)) {
        if (known['x-switch'] === true) {
          this.emptySwitches.push(at);
        }
      } else {
        into[name] = this.#value(value, known, at);
      }
    }
  }

  #value(value: Node, node: SchemaNode, path: Path): unknown {
    this.#left--;
    if (this.#left < 0) return undefined;
    if (isMap(value)) {
      const into: Mapping = Object.create(null);
      if (node.type === 'object') {
        this.#fill(into, value, node, path);
      }
      return into;
    }
    if (isSeq(value)) {
      return node.type === 'array' ? this.#list(value.items, node, path) : [];
    }
    return isScalar(value) ? readText(value.value, sourceOf(value), node) : undefined;
  }

  #list(items: readonly unknown[], node: SchemaNode, path: Path): unknown[] {
    const itemNode = resolved(node.items ?? {});
    const read = items.map((item, index) => {
      if (this.#left < 0) return null;
      const value = this.#follow(item);
      const at = offsetOf(item) ?? this.#places.get(keyText(path))?.value ?? 0;
      this.#places.set(keyText([...path, index]), { key: at, value: at });
      return value === null ? null : this.#value(value, itemNode, [...path, index]);
    });
    return clean(read, node['x-normalise'], (from, to) => {
      const place = this.#places.get(keyText([...path, from]));
      if (place !== undefined) {
        this.#places.set(keyText([...path, to]), place);
      }
    });
  }

  /** What the schema leaves to others, with its shape kept, to a bounded depth and size. */
  #free(value: Node | null, depth: number): unknown {
    this.#freeValues += 1;
    if (value === null || depth > FREE_DEPTH || this.#freeValues > FREE_VALUES) {
      return null;
    }
    if (isMap(value)) {
      const into: Mapping = Object.create(null);
      for (const pair of value.items) {
        into[this.#name(pair)] = this.#free(this.#follow(pair.value), depth + 1);
      }
      return into;
    }
    if (isSeq(value)) {
      return value.items.map((item) => this.#free(this.#follow(item), depth + 1));
    }
    return isScalar(value) ? value.value : null;
  }

  #name(pair: Pair): string {
    const key = this.#follow(pair.key);
    return isScalar(key) ? String(key.value) : String(key);
  }

  #follow(value: unknown): Node | null {
    if (isAlias(value)) {
      return this.#aliases.get(value) ?? null;
    }
    return (value ?? null) as Node | null;
  }
}

function offsetOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}

function sourceOf(scalar: Scalar): string {
  return scalar.source ?? String(scalar.value);
}

/** Cleans a list of names; a list with anything but text in it is left for the schema to refuse. */
function clean(items: unknown[], how: SchemaNode['x-normalise'], moved: (from: number, to: number) => void): unknown[] {
  if (how === undefined || !items.every((item) => typeof item === 'string')) {
    return items;
  }
  const kept = new Set<string>();
  for (const [index, item] of items.entries()) {
    const name = how === 'flags' ? item.trim().replace(/^-+/, '') : item.trim();
    if (name !== '' && !kept.has(name)) {
      moved(index, kept.size);
      kept.add(name);
    }
  }
  return [...kept];
}
