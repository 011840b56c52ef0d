/**
 * The application's description of itself, read with suspicion: a known key of a wrong type fails the whole document,
 * as does an empty place in a list, while unknown keys are ignored. `null` counts as absent.
 */
import { ApplicationDocumentError } from '../../errors.ts';
import { kindOf } from '../arguments/text.ts';
import type { JsonObject } from '../contract.ts';

export interface ApplicationDocument {
  readonly name: string;
  readonly help: string;
  readonly version: string;
  readonly commands: readonly CommandDocument[];
  /** The flags of the application itself, which any command takes. */
  readonly flags: readonly FlagDocument[];
}

export interface CommandDocument {
  readonly name: string;
  readonly help: string;
  readonly helpLong: string;
  readonly hidden: boolean;
  readonly tags: readonly string[];
  /** Full schema of the arguments. */
  readonly schema: JsonObject | undefined;
  /** The same reduced to what every model understands; this one is shown. */
  readonly restrictedSchema: JsonObject | undefined;
  readonly flags: readonly FlagDocument[];
  readonly args: readonly ArgDocument[];
  readonly commands: readonly CommandDocument[];
}

/** A positional argument. */
export interface ArgDocument {
  readonly name: string;
  readonly help: string;
  readonly defaults: readonly string[];
  readonly required: boolean;
  readonly hidden: boolean;
  /** Takes any number of values. */
  readonly cumulative: boolean;
}

export interface FlagDocument extends ArgDocument {
  /** Takes no value. */
  readonly boolean: boolean;
  /** Has a form that turns it off. */
  readonly negatable: boolean;
  readonly completions: readonly string[];
}

/** Commands may be nested this deep. */
const MAX_COMMAND_DEPTH = 32;

type Type = 'string' | 'boolean' | 'integer' | 'object' | 'strings' | 'list';
type Shape = Readonly<Record<string, Type>>;

const APPLICATION: Shape = {
  name: 'string',
  help: 'string',
  version: 'string',
  author: 'string',
  cheat: 'string',
  cheats: 'object',
  cheat_tags: 'strings',
  llm_extra_info: 'string',
  args: 'list',
  commands: 'list',
  flags: 'list',
};

const COMMAND: Shape = {
  name: 'string',
  aliases: 'strings',
  help: 'string',
  help_long: 'string',
  hidden: 'boolean',
  default: 'boolean',
  tags: 'strings',
  cheat: 'string',
  schema: 'object',
  restricted_schema: 'object',
  flags: 'list',
  args: 'list',
  commands: 'list',
};

const ARG: Shape = {
  name: 'string',
  help: 'string',
  default: 'strings',
  envar: 'string',
  place_holder: 'string',
  required: 'boolean',
  hidden: 'boolean',
  cumulative: 'boolean',
};

const FLAG: Shape = { ...ARG, short: 'integer', boolean: 'boolean', negatable: 'boolean', completions: 'strings' };

/** Throws ApplicationDocumentError, naming the place in the document. */
export function readDocument(value: unknown): ApplicationDocument {
  const source = checked(value, APPLICATION, 'the document');
  return {
    name: textOf(source['name']),
    help: textOf(source['help']),
    version: textOf(source['version']),
    commands: each(source, 'commands', '', (entry, at) => readCommand(entry, at, 1)),
    flags: each(source, 'flags', '', readFlag),
  };
}

function readCommand(value: unknown, at: string, depth: number): CommandDocument {
  if (depth > MAX_COMMAND_DEPTH) fail(at, `is nested deeper than ${MAX_COMMAND_DEPTH} commands`);
  const source = checked(value, COMMAND, at);
  return {
    name: nameOf(source, at),
    help: textOf(source['help']),
    helpLong: textOf(source['help_long']),
    hidden: source['hidden'] === true,
    tags: listOf(source['tags']),
    schema: objectOf(source['schema']),
    restrictedSchema: objectOf(source['restricted_schema']),
    flags: each(source, 'flags', at, readFlag),
    args: each(source, 'args', at, readArg),
    commands: each(source, 'commands', at, (entry, place) => readCommand(entry, place, depth + 1)),
  };
}

function readArg(value: unknown, at: string): ArgDocument {
  return argFields(checked(value, ARG, at), at);
}

function readFlag(value: unknown, at: string): FlagDocument {
  const source = checked(value, FLAG, at);
  return {
    ...argFields(source, at),
    boolean: source['boolean'] === true,
    negatable: source['negatable'] === true,
    completions: listOf(source['completions']),
  };
}

function argFields(source: JsonObject, at: string): ArgDocument {
  return {
    name: nameOf(source, at),
    help: textOf(source['help']),
    defaults: listOf(source['default']),
    required: source['required'] === true,
    hidden: source['hidden'] === true,
    cumulative: source['cumulative'] === true,
  };
}

function checked(value: unknown, shape: Shape, at: string): JsonObject {
  if (!isObject(value)) fail(at, `must be an object, ${kindOf(value)} was given`);
  for (const [key, type] of Object.entries(shape)) {
    const member = value[key] ?? undefined;
    if (member !== undefined && !fits(member, type)) {
      fail(place(at, key), `must be ${WORDS[type]}, ${kindOf(member)} was given`);
    }
  }
  return value;
}

const WORDS: Readonly<Record<Type, string>> = {
  string: 'text',
  boolean: 'a boolean',
  integer: 'an integer',
  object: 'an object',
  strings: 'a list of texts',
  list: 'a list',
};

function fits(value: unknown, type: Type): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'object':
      return isObject(value);
    case 'strings':
      return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
    case 'list':
      return Array.isArray(value);
    default:
      return typeof value === type;
  }
}

function each<Entry>(
  source: JsonObject,
  key: string,
  at: string,
  read: (entry: unknown, at: string) => Entry,
): Entry[] {
  const entries = (source[key] ?? []) as readonly unknown[];
  return entries.map((entry, index) => read(entry, `${place(at, key)}[${index}]`));
}

function nameOf(source: JsonObject, at: string): string {
  const name = textOf(source['name']);
  if (name === '') fail(place(at, 'name'), 'must not be empty');
  return name;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value : []);
const objectOf = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined);
const place = (at: string, key: string): string => (at === '' || at === 'the document' ? key : `${at}.${key}`);

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether objects and lists in `value` nest at most so many levels. Looks no deeper than that. */
export function nestsWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => nestsWithin(member, levels - 1));
}

function fail(at: string, problem: string): never {
  throw new ApplicationDocumentError(`${at} ${problem}`);
}
