import {
  type Authenticator,
  type ConnectionOptions,
  credsAuthenticator,
  jwtAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/nats-core';
import type { NatsContext } from '../config/index.ts';
import { ConnectFailedError, withRemedy } from '../errors.ts';

const DEFAULT_SERVER = 'nats://127.0.0.1:4222';

/** How long the first dial of a server may take, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 5_000;
/** A server is asked this often whether it is there, in ms … */
const PING_MS = 10_000;
/** … and given up, to be dialled again, when this many answers are due: after half a minute without a word. */
const PINGS_OUT = 2;

/**
 * What the client is told, from a context or a plain list of servers.
 * @throws {ConnectFailedError} for what looks like the two halves of one address.
 */
export function clientOptions(
  context: NatsContext | undefined,
  servers: readonly string[],
  name: string,
): ConnectionOptions {
  const given = servers.length > 0 ? servers : (context?.servers ?? []);
  const addresses = given.length > 0 ? given : [DEFAULT_SERVER];
  refuseHalves(addresses);
  const options: ConnectionOptions = {
    // The client would take digits of a password for the port, so what stands before the @ never reaches it.
    servers: addresses.map(withoutUserInfo),
    name: `fisk-ai ${name}`,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_MS,
    maxPingOut: PINGS_OUT,
    maxReconnectAttempts: -1,
    noAsyncTraces: true,
    authenticator: authenticators(context, addresses),
  };
  const tls = tlsOptions(context, addresses);
  if (tls !== undefined) options.tls = tls;
  if (context?.inboxPrefix) options.inboxPrefix = context.inboxPrefix;
  return options;
}

/**
 * A list is split at its commas before it comes here, and a comma in a password splits that too: its halves would be
 * dialled and shown as the names of hosts. What looks like it is refused without a word of it being repeated.
 */
function refuseHalves(addresses: readonly string[]): void {
  for (const [index, address] of addresses.entries()) {
    const { scheme, rest } = split(address);
    const host = rest.slice(rest.lastIndexOf('@') + 1);
    const endsAsHost = /^(?:\[[^\]]*\]|[^:/?#]*)(?::\d*)?(?:[/?#].*)?$/.test(host);
    const isSecondHalf = index > 0 && scheme === '' && rest.includes('@');
    if (endsAsHost && !isSecondHalf) continue;
    throw withRemedy(
      new ConnectFailedError(`server ${index + 1} of ${addresses.length} is no address`),
      'Write a comma in a password as %2C, and nats:// before every address that holds a name or a password.',
    );
  }
}

/** The address without name and password, fit to be shown. */
export function withoutUserInfo(server: string): string {
  const { scheme, rest } = split(server);
  return scheme + rest.slice(rest.lastIndexOf('@') + 1);
}

/** One of user, credentials file, nkey, JWT with seed and JWT alone, the first that is set; a token in any case. */
function authenticators(context: NatsContext | undefined, servers: readonly string[]): Authenticator[] {
  const chosen: Authenticator[] = [];
  const own = context === undefined ? undefined : contextAuthenticator(context);
  const inUrl = servers.map(userInfoAuthenticator).find((found) => found !== undefined);
  if (own !== undefined) chosen.push(own);
  else if (inUrl !== undefined) chosen.push(inUrl);
  if (context?.token) chosen.push(tokenAuthenticator(context.token));
  return chosen;
}

function contextAuthenticator(context: NatsContext): Authenticator | undefined {
  if (context.user) return usernamePasswordAuthenticator(context.user, context.password);
  if (context.creds) return credsAuthenticator(Buffer.from(context.creds));
  if (context.nkeySeed) return nkeyAuthenticator(Buffer.from(context.nkeySeed.trim()));
  if (context.jwt && context.userSeed) return jwtAuthenticator(context.jwt, Buffer.from(context.userSeed.trim()));
  if (context.jwt) return jwtAuthenticator(context.jwt);
  return undefined;
}

/** `user:password@` or `token@` in front of a host. */
function userInfoAuthenticator(server: string): Authenticator | undefined {
  const { rest } = split(server);
  const at = rest.lastIndexOf('@');
  if (at === -1) return undefined;
  const info = rest.slice(0, at);
  const colon = info.indexOf(':');
  if (colon === -1) return tokenAuthenticator(decoded(info));
  return usernamePasswordAuthenticator(decoded(info.slice(0, colon)), decoded(info.slice(colon + 1)));
}

function tlsOptions(context: NatsContext | undefined, servers: readonly string[]): ConnectionOptions['tls'] {
  const files = context?.tls;
  // A server named by tls:// must not be talked to in the clear, even when it offers nothing else.
  const demanded = servers.some((server) => server.startsWith('tls://'));
  if (files === undefined && !context?.tlsFirst && !demanded) return undefined;
  return {
    ...(files?.certFile ? { certFile: files.certFile } : {}),
    ...(files?.keyFile ? { keyFile: files.keyFile } : {}),
    ...(files?.caFile ? { caFile: files.caFile } : {}),
    ...(context?.tlsFirst ? { handshakeFirst: true } : {}),
  };
}

function split(server: string): { scheme: string; rest: string } {
  const end = server.indexOf('://');
  return end === -1
    ? { scheme: '', rest: server.trim() }
    : { scheme: server.slice(0, end + 3).trimStart(), rest: server.slice(end + 3).trim() };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
