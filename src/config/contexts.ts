import { access, constants, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { NatsContextError, withRemedy } from '../errors.ts';
import { type Helping, readNscProfile, readVaultItem } from './context-helpers.ts';
import { some } from './optional.ts';
import { readRegularFile } from './read-file.ts';
import { nearest } from './suggestion.ts';

/** Files of a TLS connection, absolute or relative to the working directory. */
export interface NatsTls {
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly caFile?: string;
}

/**
 * How to connect, as an operator saved it for the `nats` command. Of user, creds, nkeySeed and jwt at most one is set;
 * a token can stand beside any of them. Secrets are held as their contents.
 */
export interface NatsContext {
  readonly name: string;
  /** Empty for the client's default. */
  readonly servers: readonly string[];
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** Contents of a credentials file. */
  readonly creds?: string;
  readonly nkeySeed?: string;
  readonly jwt?: string;
  /** Goes with `jwt`. */
  readonly userSeed?: string;
  readonly tls?: NatsTls;
  readonly tlsFirst?: boolean;
  readonly inboxPrefix?: string;
  readonly jetstreamDomain?: string;
  readonly jetstreamApiPrefix?: string;
}

/** The fields of a context file that count here. Others are passed over. */
class Fields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #fail: (text: string) => NatsContextError;

  constructor(values: Readonly<Record<string, unknown>>, fail: (text: string) => NatsContextError) {
    this.#values = values;
    this.#fail = fail;
  }

  text(name: string): string | undefined {
    const value = Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
    if (value === undefined || value === null || value === '') {
      return undefined;
    }
    if (typeof value !== 'string') {
      throw this.#fail(`its field ${name} must be text`);
    }
    return value;
  }

  isTrue(name: string): boolean {
    return Object.hasOwn(this.#values, name) && this.#values[name] === true;
  }
}

/**
 * Loads a NATS context by name, with the secrets it points at. May run `op` or `nsc` when the context asks for it.
 * @param env where XDG_CONFIG_HOME, HOME and the variables in paths are read.
 * @param signal ends a helper program, with everything it started, and the loading with it.
 * @throws {NatsContextError} naming the context and what is wrong with it, never a secret.
 */
export async function loadNatsContext(
  name: string,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<NatsContext> {
  const remedy = `Correct it with: nats context edit ${name}`;
  const fail = (text: string) =>
    withRemedy(new NatsContextError(`the NATS context ${JSON.stringify(name)}: ${text}`), remedy);
  if (name === '') {
    throw new NatsContextError('a NATS context needs a name: set nats_context or pass --context');
  }
  if (name.includes('..') || /[/\\\0]/.test(name)) {
    throw withRemedy(fail('a name must not hold .., / or \\'), LIST);
  }
  const fields = new Fields(await readContextFile(name, env, fail), fail);
  if (fields.text('socks_proxy') !== undefined) {
    throw fail('it has a socks_proxy, which is not supported, and dialling without it would be wrong');
  }
  const nsc = fields.text('nsc');
  const profile = nsc === undefined ? undefined : await readNscProfile(nsc, { env, fail, signal });
  const path = (field: string) => expandPath(fields.text(field), env);
  return {
    name,
    servers: serverList(profile?.servers ?? fields.text('url') ?? ''),
    ...(await credentials(fields, profile?.credsFile, { env, fail, signal })),
    ...some('token', fields.text('token')),
    ...some('tls', await tlsFiles(path('cert'), path('key'), path('ca'), fail)),
    ...(fields.isTrue('tls_first') ? { tlsFirst: true } : {}),
    ...some('inboxPrefix', fields.text('inbox_prefix')),
    ...some('jetstreamDomain', fields.text('jetstream_domain')),
    ...some('jetstreamApiPrefix', fields.text('jetstream_api_prefix')),
  };
}

type Fail = (text: string) => NatsContextError;

async function readContextFile(name: string, env: NodeJS.ProcessEnv, fail: Fail): Promise<Record<string, unknown>> {
  const file = join(contextDirectory(env), `${name}.json`);
  const text = await readRegularFile(file).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw fail(`it cannot be read: ${error.message}`);
    throw withRemedy(fail(`it is unknown: ${error.message}`), unknownRemedy(name, await contextNames(env)));
  });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw fail(`${file} is not valid JSON`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw fail(`${file} must hold a JSON object`);
  }
  return parsed as Record<string, unknown>;
}

/** The names of the contexts that there are, in alphabetical order. Never rejects. */
export async function contextNames(env: NodeJS.ProcessEnv): Promise<string[]> {
  const files = await readdir(contextDirectory(env)).catch(() => []);
  return files
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

const LIST = 'List the contexts with: nats context ls';

function unknownRemedy(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? LIST : `Did you mean ${near}?`;
}

function contextDirectory(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CONFIG_HOME'] || join(home(env), '.config'), 'nats', 'context');
}

/** The first that is set of: user, credentials file, nkey, JWT. */
async function credentials(
  fields: Fields,
  nscCreds: string | undefined,
  { env, fail, signal }: Helping,
): Promise<Pick<NatsContext, 'user' | 'password' | 'creds' | 'nkeySeed' | 'jwt' | 'userSeed'>> {
  const user = fields.text('user');
  if (user !== undefined) {
    return { user, ...some('password', fields.text('password')) };
  }
  const creds = nscCreds ?? fields.text('creds');
  if (creds !== undefined) {
    return { creds: await readCreds(creds, { env, fail, signal }) };
  }
  const nkey = expandPath(fields.text('nkey'), env);
  if (nkey !== undefined) {
    return { nkeySeed: (await readNamed(nkey, 'its nkey cannot be read', fail)).trim() };
  }
  const jwt = fields.text('user_jwt');
  return jwt === undefined ? {} : { jwt, ...some('userSeed', fields.text('user_seed')) };
}

async function readCreds(creds: string, helping: Helping): Promise<string> {
  const { env, fail } = helping;
  if (creds.startsWith('op://')) {
    return readVaultItem(creds, helping);
  }
  if (creds.startsWith('nsc://')) {
    const { credsFile } = await readNscProfile(creds, helping);
    if (credsFile === undefined) {
      throw fail('nsc names no credentials file for it');
    }
    return readNamed(credsFile, 'its credentials cannot be read', fail);
  }
  return readNamed(expandPath(creds, env) ?? creds, 'its credentials cannot be read', fail);
}

async function readNamed(file: string, what: string, fail: Fail): Promise<string> {
  try {
    return await readRegularFile(file);
  } catch (error) {
    throw fail(`${what}: ${(error as Error).message}`);
  }
}

async function tlsFiles(
  certFile: string | undefined,
  keyFile: string | undefined,
  caFile: string | undefined,
  fail: Fail,
): Promise<NatsTls | undefined> {
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw fail('a client certificate needs both cert and key');
  }
  for (const [field, file] of Object.entries({ cert: certFile, key: keyFile, ca: caFile })) {
    if (file === undefined) continue;
    await access(file, constants.R_OK).catch((error: Error) => {
      throw fail(`its ${field} cannot be read: ${error.message}`);
    });
  }
  const tls = { ...some('certFile', certFile), ...some('keyFile', keyFile), ...some('caFile', caFile) };
  return Object.keys(tls).length === 0 ? undefined : tls;
}

function serverList(text: string): string[] {
  return text
    .split(',')
    .map((server) => server.trim())
    .filter((server) => server !== '');
}

/** Replaces `$VAR` and `${VAR}`, and then a leading `~`, as the nats command does. */
function expandPath(path: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const expanded = path?.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced, bare) => env[braced ?? bare] ?? '');
  return expanded?.startsWith('~') ? home(env) + expanded.slice(1) : expanded;
}

function home(env: NodeJS.ProcessEnv): string {
  return env['HOME'] || homedir();
}
