import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../../observe/index.ts';
import type { McpService } from '../contract.ts';
import type { McpFront } from '../start.ts';
import { cannotListen, resolveAddress, urlOf } from './address.ts';
import { Front } from './front.ts';
import { HTTP_LIMITS, type HttpLimits } from './limits.ts';
import { placesOf } from './places.ts';
import { checkToken, refuseWithoutToken, tokenCheck } from './token.ts';

export interface McpHttpOptions {
  readonly service: McpService;
  /** Host name or address to listen on. */
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** The bearer token that clients must send. Needed beyond loopback. */
  readonly token?: string | undefined;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly log: Logger;
  /** Told of each request that was refused for who sent it. */
  readonly refused?: (code: 'host' | 'origin' | 'token') => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** In place of the usual bounds, for tests. */
  readonly limits?: Partial<HttpLimits>;
}

/** MCP over HTTP while it is served. */
export interface McpHttp extends McpFront {
  /** For a client on this machine. */
  readonly url: string;
  readonly port: number;
  /** Sessions of the older revisions that are open. */
  readonly sessions: number;
  /**
   * Takes no more requests, lets the service answer every call on its own stream, and closes what is left, within five
   * seconds. Calling it again waits for the same end.
   */
  close(): Promise<void>;
}

/**
 * Serves MCP over Streamable HTTP, every revision at the same address.
 * @throws {McpAddressError} when the address cannot be listened on.
 * @throws {McpTokenError} when the token is none, or is missing beyond loopback.
 * @throws {McpAllowedError} when an allowed origin or host can match nothing.
 */
export async function startMcpHttp(options: McpHttpOptions): Promise<McpHttp> {
  const { service, address, token, log } = options;
  const limits = { ...HTTP_LIMITS, ...options.limits };
  if (token !== undefined) checkToken(token);
  const { ip, loopback } = await resolveAddress(address, options.port);
  if (!loopback && token === undefined) refuseWithoutToken(address);
  const front = new Front({
    createServer: service.createServer,
    gate: {
      places: placesOf({ ...options, loopback }),
      loopback,
      refused: options.refused ?? (() => {}),
      ...(token === undefined ? {} : { carriesToken: tokenCheck(token) }),
    },
    limits,
    log,
    now: options.now ?? (() => performance.now()),
  });
  const server = serverOf(front, limits);
  const port = await listen(server, ip, address, options.port);
  server.on('error', (error) => log.warn({ error: error.message }, 'error at the MCP listener'));
  let end: Promise<void> | undefined;
  return {
    url: urlOf(address, port),
    port,
    get sessions() {
      return front.sessions.size;
    },
    close: () => {
      end ??= close(server, front, service, limits.closing);
      return end;
    },
  };
}

function serverOf(front: Front, limits: HttpLimits): Server {
  const server = createServer(
    {
      connectionsCheckingInterval: Math.min(2_000, limits.headersTime, limits.requestTime),
      headersTimeout: limits.headersTime,
      requestTimeout: limits.requestTime,
      keepAliveTimeout: limits.quietConnection,
      maxHeaderSize: limits.headers,
    },
    (request, response) => void front.handle(request, response),
  );
  // Their size is bounded; a count would leave those out that are over it, and they may be the ones that decide.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connections;
  return server;
}

function listen(server: Server, ip: string, address: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => reject(cannotListen(address, port, cause));
    server.once('error', fail);
    try {
      server.listen({ host: ip, port }, () => {
        server.off('error', fail);
        resolve((server.address() as AddressInfo).port);
      });
    } catch (cause) {
      fail(cause);
    }
  });
}

async function close(server: Server, front: Front, service: McpService, most: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  front.leave();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, most);
  });
  const drained = Promise.allSettled([service.drain()]).then(() => front.answered());
  await Promise.race([drained, late]);
  await Promise.race([front.close(), late]);
  clearTimeout(timer);
  // Whoever is connected now has its answer, or sends a request that nobody will read.
  server.closeAllConnections();
  await closed;
}
