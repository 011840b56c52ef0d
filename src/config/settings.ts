import convict from 'convict';
import { booleanText, readSetting } from './coercion.ts';
import { DurationTextError, parseDuration } from './durations.ts';
import type { Mapping } from './reading.ts';
import { resolved, type SchemaKey, type SchemaNode, schema, schemaKeys } from './schema.ts';

/**
 * The flags of a command by name, without dashes, with the text that was typed. A flag that the command has and that
 * was not typed is undefined: its variable then counts. Variables of flags that the command does not have do not.
 */
export type FlagValues = Readonly<Record<string, string | undefined>>;

/** A value that a flag or variable sets instead of the file. */
export interface Override {
  readonly path: readonly string[];
  readonly node: SchemaNode;
  readonly text: string;
  /** `--workers` or `FISK_AI_MCP_PORT`. */
  readonly origin: string;
}

/** What flags and variables set, a typed flag before its variable. An empty variable is an unset one. */
export function overrides(flags: FlagValues, env: NodeJS.ProcessEnv): Override[] {
  const found: Override[] = [];
  for (const { path, node } of schemaKeys()) {
    const flag = node['x-flag'];
    if (flag === undefined || !Object.hasOwn(flags, flag)) {
      continue;
    }
    const typed = flags[flag];
    const variable = node['x-env'];
    const text = typed ?? (variable === undefined ? undefined : env[variable]);
    if (text !== undefined && (typed !== undefined || text !== '')) {
      found.push({ path, node, text, origin: typed === undefined ? String(variable) : `--${flag}` });
    }
  }
  return found;
}

/** The part of the library that is used, by key paths that are not known to the compiler. */
interface Layers {
  load(data: object): void;
  set(key: string, text: string): void;
  get(key: string): unknown;
  validate(options: { allowed: 'strict' }): void;
}

/** The effective scalars: defaults, the file over them, variables over the file, flags over all. */
export class Settings {
  readonly #values: Layers;

  /** @param data the file, already judged by the schema. */
  constructor(data: Mapping, flags: FlagValues, env: NodeJS.ProcessEnv) {
    addFormats();
    // Only the variables that count here are shown to the layers, and never this process's own arguments.
    const variables = Object.fromEntries(
      overrides(flags, env)
        .filter(({ origin }) => !origin.startsWith('--'))
        .map(({ origin, text }) => [origin, text]),
    );
    this.#values = convict(declaration(schema), { env: variables, args: [] }) as unknown as Layers;
    this.#values.load(scalars(data, schema));
    for (const { path, text, origin } of overrides(flags, env)) {
      if (origin.startsWith('--')) {
        this.#values.set(path.join('.'), text);
      }
    }
    this.#values.validate({ allowed: 'strict' });
  }

  /** Text, or undefined when there is none; empty text is none. */
  text(key: string): string | undefined {
    const value = this.#values.get(key);
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  /** Text that the schema has a default for; empty text is the default. */
  word(key: string): string {
    return this.text(key) ?? String(nodeOf(key).default);
  }

  /** A number; of a duration, milliseconds. Undefined when neither set nor defaulted. */
  optionalNumber(key: string): number | undefined {
    const value = this.#values.get(key);
    if (typeof value !== 'number') {
      return undefined;
    }
    const node = nodeOf(key);
    if (node['x-default-when-not-positive'] === true && value <= 0) {
      return coerced(node.default, node);
    }
    return Math.min(value, node['x-at-most'] ?? Number.POSITIVE_INFINITY);
  }

  /** A number that the schema has a default for. */
  number(key: string): number {
    return this.optionalNumber(key) ?? 0;
  }

  isTrue(key: string): boolean {
    return this.#values.get(key) === true;
  }
}

let keys: ReadonlyMap<string, SchemaKey> | undefined;

function nodeOf(key: string): SchemaNode {
  keys ??= new Map([...schemaKeys()].map((entry) => [entry.path.join('.'), entry]));
  return keys.get(key)?.node ?? {};
}

function coerced(value: unknown, node: SchemaNode): number {
  return node['x-duration'] === undefined ? Number(value) : parseDuration(String(value));
}

/** The layers' declaration of every scalar outside lists, derived from the schema. */
function declaration(block: SchemaNode): convict.Schema<Mapping> {
  const declared: Record<string, unknown> = {};
  for (const [name, raw] of Object.entries(block.properties ?? {})) {
    const node = resolved(raw);
    if (node.type === 'object') {
      const inner = declaration(node);
      if (Object.keys(inner).length > 0) {
        declared[name] = inner;
      }
    } else if (node.type !== 'array') {
      declared[name] = {
        default: node.default,
        format: `fisk:${node['x-duration'] === undefined ? node.type : 'duration'}`,
        ...(node['x-env'] === undefined ? {} : { env: node['x-env'] }),
      };
    }
  }
  return declared as convict.Schema<Mapping>;
}

function scalars(data: Mapping, block: SchemaNode): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, raw] of Object.entries(block.properties ?? {})) {
    const node = resolved(raw);
    const value = data[name];
    if (value === undefined || node.type === 'array') {
      continue;
    }
    if (node.type !== 'object') {
      kept[name] = value;
    } else {
      const inner = scalars(value as Mapping, node);
      if (Object.keys(inner).length > 0) {
        kept[name] = inner;
      }
    }
  }
  return kept;
}

let added = false;

/** Formats of our own: the library's read `no` as true and `4x` as 4. What cannot be read is left for its check. */
function addFormats(): void {
  if (added) {
    return;
  }
  added = true;
  const refuse = (wanted: string) => {
    throw new Error(`must be ${wanted}`);
  };
  convict.addFormats({
    'fisk:string': { validate: (value) => typeof value === 'string' || refuse('text'), coerce: (text) => text },
    'fisk:boolean': {
      validate: (value) => typeof value === 'boolean' || refuse('true or false'),
      coerce: (text) => booleanText(text) ?? text,
    },
    'fisk:integer': {
      validate: (value) => Number.isInteger(value) || refuse('a whole number'),
      coerce: (text) => readSetting(text, { type: 'integer' }),
    },
    'fisk:number': {
      validate: (value) => Number.isFinite(value) || refuse('a number'),
      coerce: (text) => readSetting(text, { type: 'number' }),
    },
    'fisk:duration': {
      validate: (value) => Number.isFinite(value) || refuse('a duration'),
      coerce: (text) => {
        try {
          return parseDuration(text);
        } catch (error) {
          if (error instanceof DurationTextError) {
            return text;
          }
          throw error;
        }
      },
    },
  });
}
