import { ArgumentNulError } from '../errors.ts';
import { type PackedStrings, packStrings } from '../native/index.ts';
import { MARK_VARIABLE } from './mark.ts';

/**
 * Variables that let their holder speak for this service to its supervisor, or read what the supervisor gave to it
 * alone. No child gets them.
 */
const SUPERVISOR_VARIABLES = [
  'NOTIFY_SOCKET',
  'WATCHDOG_PID',
  'WATCHDOG_USEC',
  'LISTEN_PID',
  'LISTEN_FDS',
  'LISTEN_FDNAMES',
  'CREDENTIALS_DIRECTORY',
];

/** Tell a command that its reader is a program: help and errors then come in a form made for one. */
const ALWAYS_SET = { LLMFORMAT: '1', FISK_AI: '1' };

export interface EnvironmentOptions {
  /** What is inherited, usually `process.env`. */
  readonly base: NodeJS.ProcessEnv;
  /** Names of variables that hold credentials; removed by exact name. */
  readonly remove: Iterable<string>;
}

/** Names the directory a child runs in; some programs believe it rather than look. */
export const DIRECTORY_VARIABLE = 'PWD';

/** The environment of a child, packed once and shared by all calls. */
export interface ChildEnvironment {
  /** For tests and for looking names up (PATH). */
  readonly variables: ReadonlyMap<string, string>;
  /** All but what differs between calls: {@link DIRECTORY_VARIABLE}, and the mark. Made at first use. */
  packed(): PackedStrings;
}

/**
 * The environment of every command a caller or a model can choose: all that this process has, minus credentials and
 * the supervisor's variables, plus the marks that the reader is a program.
 * @throws {ArgumentNulError} when a variable holds a NUL.
 */
export function childEnvironment({ base, remove }: EnvironmentOptions): ChildEnvironment {
  const variables = new Map<string, string>();
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined) {
      variables.set(name, value);
    }
  }
  // A mark that we inherited is of the call that runs this process, and would hide the one our own call gets.
  for (const name of [...SUPERVISOR_VARIABLES, MARK_VARIABLE, ...remove]) {
    variables.delete(name);
  }
  for (const [name, value] of Object.entries(ALWAYS_SET)) {
    variables.set(name, value);
  }
  for (const [name, value] of variables) {
    if (name.includes('\0') || value.includes('\0')) {
      throw new ArgumentNulError(`the variable ${JSON.stringify(name)} holds a NUL character`);
    }
  }
  let packed: PackedStrings | undefined;
  return {
    variables,
    packed: () => {
      packed ??= packStrings(
        [...variables].filter(([name]) => name !== DIRECTORY_VARIABLE).map(([name, value]) => `${name}=${value}`),
      );
      return packed;
    },
  };
}
