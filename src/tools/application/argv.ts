/**
 * From values to an argument vector. Every valued flag is one token with `=`, and everything positional stands behind
 * `--`, so that a value never reads as a flag nor as the name of a file of arguments, whatever it begins with.
 */

import type { Values } from '../arguments/check.ts';
import { isInteger, isScalar, kindOf, quote, type Scalar, textOf } from '../arguments/text.ts';
import type { FlagDocument } from './document.ts';
import type { Parameters, Positional } from './parameters.ts';

/** The tokens behind the command path. `positionals` stand behind `--`, which is left out when there are none. */
export interface Rendered {
  readonly flags: readonly string[];
  readonly positionals: readonly string[];
}

/** A counting flag is repeated at most this often. */
const MAX_COUNT = 16;
const SEPARATOR = '--';
const TRUE_TEXTS: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** Says in `problems` what cannot be rendered; the result is of use only when nothing was said. */
export function render(parameters: Parameters, values: Values, problems: string[]): Rendered {
  const complainAbout = (name: string) => (problem: string) => problems.push(`${quote(name)} ${problem}`);
  const flags = parameters.flags.flatMap((flag) => {
    const value = values.get(flag.name);
    if (value === undefined) return [];
    const complain = complainAbout(flag.name);
    return passable(renderFlag(flag, value, complain), complain);
  });
  return { flags, positionals: renderPositionals(parameters.positionals, values, complainAbout) };
}

export function argvOf(path: readonly string[], { flags, positionals }: Rendered): string[] {
  return positionals.length === 0 ? [...path, ...flags] : [...path, ...flags, SEPARATOR, ...positionals];
}

type Complain = (problem: string) => void;

function passable(tokens: readonly string[], complain: Complain): readonly string[] {
  if (tokens.some((token) => token.includes('\0'))) complain('holds a NUL character, which no command can receive');
  return tokens;
}

function renderFlag(flag: FlagDocument, value: unknown, complain: Complain): readonly string[] {
  if (flag.boolean)
    return flag.cumulative ? renderCounter(flag, value, complain) : renderBoolean(flag, value, complain);
  const token = (text: string) => `--${flag.name}=${text}`;
  if (Array.isArray(value)) return scalars(value, complain).map((element) => token(textOf(element)));
  if (isScalar(value)) return [token(textOf(value))];
  const entries = Object.entries(value as object).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const texts = scalars(
    entries.map(([, entry]) => entry),
    complain,
  ).map(textOf);
  return entries.map(([key], index) => token(`${key}=${texts[index] ?? ''}`));
}

function renderBoolean(flag: FlagDocument, value: unknown, complain: Complain): readonly string[] {
  if (typeof value !== 'boolean') {
    complain(`must be true or false, ${kindOf(value)} was given`);
    return [];
  }
  if (value) return [`--${flag.name}`];
  if (flag.negatable) return [`--no-${flag.name}`];
  if (flag.defaults.some((text) => TRUE_TEXTS.has(text))) complain('is on by default and cannot be turned off');
  return [];
}

function renderCounter(flag: FlagDocument, value: unknown, complain: Complain): readonly string[] {
  if (value === false) return renderBoolean(flag, value, complain);
  const count = Array.isArray(value) ? scalars(value, complain).length : countOf(value);
  if (count === undefined) {
    complain(`must be true, a count or a list to count, ${kindOf(value)} was given`);
    return [];
  }
  if (count > MAX_COUNT) {
    complain(`may be repeated ${MAX_COUNT} times at most`);
    return [];
  }
  return Array.from({ length: count }, () => `--${flag.name}`);
}

function countOf(value: unknown): number | undefined {
  if (value === true) return 1;
  if (!isScalar(value) || !isInteger(textOf(value))) return undefined;
  const count = Number(textOf(value));
  return count < 0 ? undefined : count;
}

function renderPositionals(
  positionals: readonly Positional[],
  values: Values,
  complainAbout: (name: string) => Complain,
): readonly string[] {
  const given = positionals.map((arg) => (arg.takesValue ? values.get(arg.name) : undefined));
  const last = given.findLastIndex((value) => value !== undefined);
  return positionals.flatMap((arg, index) => {
    const complain = complainAbout(arg.name);
    if (arg.cumulative && index < positionals.length - 1)
      complain('takes the rest, and yet others are declared behind it');
    if (index > last) return [];
    const value = given[index];
    return value === undefined ? skipped(arg, complain) : passable(renderPositional(value, complain), complain);
  });
}

function renderPositional(value: unknown, complain: Complain): readonly string[] {
  if (!Array.isArray(value) && !isScalar(value)) {
    complain(`must be text, ${kindOf(value)} was given`);
    return [];
  }
  const texts = scalars(Array.isArray(value) ? value : [value], complain).map(textOf);
  if (texts.includes(SEPARATOR)) complain('cannot be the text --, which the application would drop');
  return texts;
}

/** An argument left out in front of one that was given holds its place with its defaults. */
function skipped(arg: Positional, complain: Complain): readonly string[] {
  if (arg.defaults.length === 0) complain('must be set, since a later argument is');
  return arg.defaults;
}

function scalars(values: readonly unknown[], complain: Complain): readonly Scalar[] {
  const odd = values.find((value) => !isScalar(value));
  if (odd !== undefined) complain(`must hold single values, ${kindOf(odd)} was given`);
  return values.filter(isScalar);
}
