/** Holds the arguments of a call to what the tool advertises and to its schema. */
import { ArgumentsInvalidError } from '../../errors.ts';
import { NumberText } from '../../protocol/index.ts';
import type { ToolInput } from '../contract.ts';
import { judge } from './judge.ts';
import type { Rule } from './rules.ts';
import { tooMuch } from './size.ts';
import { kindOf, quote } from './text.ts';

/** What may and must be given. */
export interface Advertised {
  /** Every name that may be given. What has no rule is judged by the renderer and the command alone. */
  readonly rules: ReadonlyMap<string, Rule | undefined>;
  /** In the order of the schema. */
  readonly required: readonly string[];
}

/** The values of a call by name; numbers as they were written, `null` left out since it means absent. */
export type Values = ReadonlyMap<string, unknown>;

/** Problems beyond these are counted, not told. */
const TOLD_PROBLEMS = 10;

/** Reads the values and says everything that is wrong with them; renders nothing. */
export function checkArguments(advertised: Advertised, input: ToolInput): { values: Values; problems: string[] } {
  const values = new Map<string, unknown>();
  const problems: string[] = [];
  const much = isArguments(input.value) ? tooMuch(input.value) : undefined;
  if (much !== undefined) {
    problems.push(much.name === undefined ? much.problem : `${quote(much.name)} ${much.problem}`);
    return { values, problems };
  }
  const properties = propertiesOf(input);
  for (const [name, value] of properties) {
    if (!advertised.rules.has(name)) problems.push(`${quote(name)} is unknown`);
    else if (value !== null) values.set(name, value);
  }
  for (const name of missing(advertised, values)) problems.push(`${quote(name)} is required`);
  for (const [name, value] of values) {
    const rule = advertised.rules.get(name);
    const problem = rule && judge(rule, value);
    if (problem) problems.push(`${quote(name)} ${problem}`);
  }
  return { values, problems };
}

/** The required names without a value. */
export function missingNames(advertised: Advertised, input: ToolInput): string[] {
  if (!isArguments(input.value)) return [];
  return missing(advertised, new Map(Object.entries(input.value).filter(([, value]) => value !== null)));
}

function missing({ required }: Advertised, values: Values): string[] {
  return required.filter((name) => !values.has(name));
}

/** The failure a caller sees: what is wrong, and the names it may use. */
export function argumentsInvalid(
  tool: string,
  advertised: Advertised,
  problems: readonly string[],
): ArgumentsInvalidError {
  const told = problems.slice(0, TOLD_PROBLEMS);
  if (problems.length > told.length) told.push(`and ${problems.length - told.length} more`);
  return new ArgumentsInvalidError(
    `${tool}: the arguments do not fit, nothing was run: ${told.join('; ')}. ${roster(advertised)}`,
  );
}

function roster({ rules, required }: Advertised): string {
  const optional = [...rules.keys()].filter((name) => !required.includes(name)).sort();
  const list = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '));
  return `Required: ${list(required)}. Optional: ${list(optional)}.`;
}

function propertiesOf(input: ToolInput): [string, unknown][] {
  if (!isArguments(input.value)) {
    throw new ArgumentsInvalidError(`the arguments must be a JSON object, ${kindOf(input.value)} was given`);
  }
  return Object.entries(holdsNumber(input.value) ? (sourceOf(input) as object) : input.value);
}

function sourceOf(input: ToolInput): unknown {
  try {
    return input.source();
  } catch (cause) {
    throw new ArgumentsInvalidError('the arguments are nested too deeply', { cause });
  }
}

/** Whether a number stands where one can be rendered. The digits of one that is deeper do not matter: it is refused. */
function holdsNumber(value: object): boolean {
  return Object.values(value).some(
    (member) =>
      typeof member === 'number' ||
      (typeof member === 'object' &&
        member !== null &&
        Object.values(member).some((inner) => typeof inner === 'number')),
  );
}

function isArguments(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText);
}
