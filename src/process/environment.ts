import { ArgumentNulError } from '../errors.ts';
import { type NativeStrings, nativeStrings } from '../native/index.ts';

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
  /** The directory the child runs in, when it is not this process's own. */
  readonly workDir?: string;
}

/** The environment of a child, packed once and shared by all calls. */
export interface ChildEnvironment {
  /** For tests and for looking names up (PATH). */
  readonly variables: ReadonlyMap<string, string>;
  /** Made at first use. */
  packed(): NativeStrings;
}

/**
 * The environment of every command a caller or a model can choose: all that this process has, minus credentials and
 * the supervisor's variables, plus the marks that the reader is a program.
 * @throws {ArgumentNulError} when a variable holds a NUL.
 */
export function childEnvironment({ base, remove, workDir }: EnvironmentOptions): ChildEnvironment {
  const variables = new Map<string, string>();
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined) {
      variables.set(name, value);
    }
  }
  for (const name of [...SUPERVISOR_VARIABLES, ...remove]) {
    variables.delete(name);
  }
  for (const [name, value] of Object.entries(ALWAYS_SET)) {
    variables.set(name, value);
  }
  if (workDir !== undefined) {
    variables.set('PWD', workDir);
  }
  for (const [name, value] of variables) {
    if (name.includes('\0') || value.includes('\0')) {
      throw new ArgumentNulError(`the variable ${JSON.stringify(name)} holds a NUL character`);
    }
  }
  let packed: NativeStrings | undefined;
  return {
    variables,
    packed: () => {
      packed ??= nativeStrings([...variables].map(([name, value]) => `${name}=${value}`));
      return packed;
    },
  };
}
