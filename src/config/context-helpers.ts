import { FiskError, type NatsContextError } from '../errors.ts';
import { captureCommand, childEnvironment } from '../process/index.ts';
import { findOnPath } from './executables.ts';

/** How long a helper program may take, in milliseconds. */
const HELPER_TIMEOUT_MS = 30_000;
/** Bytes of a credentials file or profile; both are a few KiB. */
const HELPER_OUTPUT_BYTES = 1024 * 1024;
const HELPER_ERROR_BYTES = 4096;

type Fail = (text: string) => NatsContextError;

/** What running a helper needs beside what it is asked. */
export interface Helping {
  readonly env: NodeJS.ProcessEnv;
  /** Makes the error for what is wrong. */
  readonly fail: Fail;
  /** Ends the helper with everything it started. */
  readonly signal?: AbortSignal | undefined;
}

/** What `nsc` knows about a user. */
export interface NscProfile {
  readonly credsFile: string | undefined;
  /** Comma separated; undefined when the operator has none. */
  readonly servers: string | undefined;
}

/** Reads a secret that 1Password keeps. */
export function readVaultItem(reference: string, helping: Helping): Promise<string> {
  return runHelper('op', ['read', reference], helping);
}

/** Asks `nsc` for the credentials file and servers of a user, `nsc://operator/account/user` or without the scheme. */
export async function readNscProfile(reference: string, helping: Helping): Promise<NscProfile> {
  const url = `nsc://${reference.replace(/^nsc:\/\//i, '')}`;
  const output = await runHelper('nsc', ['generate', 'profile', url], helping);
  let profile: { user_creds?: unknown; operator?: { service?: unknown } | null } | null;
  try {
    profile = JSON.parse(output);
  } catch {
    throw helping.fail('nsc printed something that is not JSON');
  }
  const service = profile?.operator?.service;
  const servers = Array.isArray(service) ? service.filter((server) => typeof server === 'string').join(',') : '';
  return {
    credsFile: typeof profile?.user_creds === 'string' && profile.user_creds !== '' ? profile.user_creds : undefined,
    servers: servers === '' ? undefined : servers,
  };
}

/** Runs a program by its argument vector and gives what it wrote to stdout, which no error ever repeats. */
async function runHelper(name: string, args: readonly string[], { env, fail, signal }: Helping): Promise<string> {
  const path = findOnPath(name, env);
  if (path === undefined) {
    throw fail(`it needs the program ${name}, which is not on PATH`);
  }
  try {
    const { exitCode, stdout, stdoutOverflow, stderr } = await captureCommand({
      path,
      args,
      environment: childEnvironment({ base: env, remove: [] }),
      timeoutMs: HELPER_TIMEOUT_MS,
      stdoutLimit: HELPER_OUTPUT_BYTES,
      stderrLimit: HELPER_ERROR_BYTES,
      signal,
    });
    if (stdoutOverflow) {
      throw fail(`${name} printed more than 1 MiB`);
    }
    if (exitCode !== 0) {
      const said = stderr.toString().trim();
      throw fail(`${name} ended with exit code ${exitCode}${said === '' ? '' : `: ${said}`}`);
    }
    return stdout.toString();
  } catch (error) {
    if (error instanceof FiskError && error.code !== 'FISK_NATS_CONTEXT') {
      throw fail(`${name} could not be run: ${error.message}`);
    }
    throw error;
  }
}
