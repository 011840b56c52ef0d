/**
 * What is too much to look at, or nothing that could be passed on. Everything that follows costs in proportion to what a
 * caller sends, on the one thread that serves all callers, so a value that no command could receive is refused before
 * any of it.
 */
import { MAX_ARGUMENT_BYTES } from '../../process/index.ts';
import { illFormed } from './well-formed.ts';

/** Elements of one list or entries of one object. */
const MAX_ELEMENTS = 10_000;
const MAX_NAMES = 1_000;

/** Why the values are too much, to follow the name of the property; `name` is absent when it is about all of them. */
export interface TooMuch {
  readonly name?: string;
  readonly problem: string;
}

/** What is too much about the arguments of a call as JSON.parse gives them; `undefined` when nothing is. */
export function tooMuch(value: object): TooMuch | undefined {
  const names = Object.keys(value);
  if (names.length > MAX_NAMES) {
    return { problem: `${names.length} names were given, ${MAX_NAMES} are looked at` };
  }
  for (const [name, member] of Object.entries(value)) {
    const problem = tooLong(member) ?? tooMany(member) ?? illFormed(member);
    if (problem !== undefined) {
      return { name, problem };
    }
  }
  return undefined;
}

function tooLong(value: unknown): string | undefined {
  if (typeof value !== 'string' || Buffer.byteLength(value) <= MAX_ARGUMENT_BYTES) return undefined;
  return `is ${Buffer.byteLength(value)} bytes long, ${MAX_ARGUMENT_BYTES} can be passed in one argument`;
}

function tooMany(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const members: unknown[] = Object.values(value);
  if (members.length > MAX_ELEMENTS) return `holds ${members.length} values, ${MAX_ELEMENTS} can be passed`;
  for (const member of members) {
    const problem = tooLong(member);
    if (problem !== undefined) return `holds one that ${problem}`;
  }
  return undefined;
}
