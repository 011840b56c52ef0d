/** The flags of the application itself that calls may use, because the operator lists them or because they are required. */
import { nearest } from '../../config/index.ts';
import { GlobalFlagRefusedError, GlobalFlagUnknownError, withRemedy } from '../../errors.ts';
import type { CommandDocument, FlagDocument } from './document.ts';

/** What a person is told about one global flag. */
export interface GlobalFlagInfo {
  readonly name: string;
  readonly help: string;
  readonly exposed: boolean;
  readonly required: boolean;
}

const FRAMEWORK_NAMES: ReadonlySet<string> = new Set(['help', 'version']);
const FRAMEWORK_PREFIXES = ['help-', 'completion-', 'fisk-'];

const isFrameworkFlag = (name: string): boolean =>
  FRAMEWORK_NAMES.has(name) || FRAMEWORK_PREFIXES.some((prefix) => name.startsWith(prefix));

/**
 * The exposed flags in the order they are rendered: listed ones as listed, then required ones as declared, hidden or not,
 * since no command runs without them.
 *
 * Throws GlobalFlagUnknownError and GlobalFlagRefusedError; both begin with what `placeOf` says of the flag, which is
 * where it is listed.
 */
export function exposedGlobals(
  flags: readonly FlagDocument[],
  listed: readonly string[],
  placeOf: (index: number) => string = () => 'global_flags',
): FlagDocument[] {
  const byName = new Map(flags.map((flag) => [flag.name, flag]));
  const exposed = new Set<FlagDocument>();
  for (const [index, name] of listed.entries()) {
    const flag = byName.get(name);
    const place = placeOf(index);
    if (isFrameworkFlag(name)) refuse(place, name, 'belongs to the framework');
    if (flag === undefined) throw unknown(place, name, flags);
    if (flag.hidden) refuse(place, name, 'is hidden');
    exposed.add(flag);
  }
  for (const flag of byName.values()) {
    if (flag.required && !isFrameworkFlag(flag.name)) exposed.add(flag);
  }
  return [...exposed];
}

function refuse(place: string, name: string, because: string): never {
  throw new GlobalFlagRefusedError(`${place}: the flag ${JSON.stringify(name)} ${because} and cannot be exposed`);
}

/** Flags that are named in a message. */
const TOLD = 20;

function unknown(place: string, name: string, flags: readonly FlagDocument[]): GlobalFlagUnknownError {
  const error = new GlobalFlagUnknownError(`${place}: the application has no global flag ${JSON.stringify(name)}`);
  const known = flags.filter((flag) => !flag.hidden && !isFrameworkFlag(flag.name)).map((flag) => flag.name);
  if (known.length === 0) return withRemedy(error, 'Remove it: the application has no global flags.');
  const near = nearest(name, known);
  const meant = near === undefined ? '' : `Did you mean ${near}? `;
  const more = known.length > TOLD ? `, and ${known.length - TOLD} more` : '';
  return withRemedy(error, `${meant}It has: ${known.slice(0, TOLD).join(', ')}${more}.`);
}

/** Those a command takes: one of its own with the same name, hidden or not, comes first. */
export function globalsFor(command: CommandDocument, exposed: readonly FlagDocument[]): readonly FlagDocument[] {
  if (exposed.length === 0) return exposed;
  const own = new Set([...command.flags, ...command.args].map(({ name }) => name));
  return exposed.filter(({ name }) => !own.has(name));
}

/** Every flag a person may know of, with whether calls can use it. */
export function listGlobals(flags: readonly FlagDocument[], exposed: readonly FlagDocument[]): GlobalFlagInfo[] {
  return flags
    .filter((flag) => !flag.hidden && !isFrameworkFlag(flag.name))
    .map((flag) => ({
      name: flag.name,
      help: flag.help,
      exposed: exposed.includes(flag),
      required: flag.required,
    }));
}
