import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MonitorAddressError } from '../../errors.ts';
import { addressText, listenFault, type MonitorAddress } from '../address.ts';
import type { Logger } from '../logger.ts';
import type { Tally } from '../tally.ts';
import { CONTENT_SECURITY_POLICY } from './assets.ts';
import { type Health, liveness, readiness } from './health.ts';
import { watchLoop } from './loop-delay.ts';
import { metricsOf } from './metrics.ts';
import { statusPage } from './page.ts';

/** The listener for metrics, health and the status page while it runs. */
export interface Monitor {
  /** The address it got. */
  readonly address: MonitorAddress;
  /** Ends it at once, with the answers under way. */
  close(): void;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How long a client may take to ask, in ms. */
const REQUEST_MS = 5_000;
const MAX_CONNECTIONS = 64;
const MAX_HEADER_BYTES = 8_192;

const BASE_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/**
 * Opens the listener. It keeps no process alive, and what goes wrong with a client stays with that client.
 * @throws {MonitorAddressError} when the address cannot be listened on.
 */
export async function startListener(address: MonitorAddress, tally: Tally, log: Logger): Promise<Monitor> {
  const registry = metricsOf(tally);
  const pages = new Map<string, () => Answer | Promise<Answer>>([
    ['/', () => ({ status: 200, type: 'text/html; charset=utf-8', body: statusPage(tally), headers: PAGE_HEADERS })],
    ['/metrics', async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() })],
    ['/livez', () => healthAnswer(liveness(tally))],
    ['/healthz', () => healthAnswer(liveness(tally))],
    ['/readyz', () => healthAnswer(readiness(tally))],
  ]);
  const server = createServer(
    {
      connectionsCheckingInterval: REQUEST_MS,
      requestTimeout: REQUEST_MS,
      headersTimeout: REQUEST_MS,
      keepAliveTimeout: REQUEST_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (request, response) => {
      void answer(pages, request).then(
        (made) => send(response, made),
        (error: unknown) => {
          log.error({ path: request.url, error: String(error) }, 'a page could not be made');
          send(response, plain(500, 'this page could not be made'));
        },
      );
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  const got = await listen(server, address);
  server.on('error', (error) => log.warn({ error: error.message }, 'error at the metrics listener'));
  server.unref();
  const unwatch = watchLoop(tally.loopDelays);
  log.info({ address: addressText(got) }, 'metrics, health and status are served');
  return {
    address: got,
    close: () => {
      unwatch();
      server.close();
      server.closeAllConnections();
    },
  };
}

const PAGE_HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Resource-Policy': 'same-origin',
};

function listen(server: Server, address: MonitorAddress): Promise<MonitorAddress> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(
        new MonitorAddressError(`cannot serve metrics on ${addressText(address)}: ${listenFault(cause)}`, { cause }),
      );
    });
    server.listen(address.port, address.host, () => {
      server.removeAllListeners('error');
      resolve({ host: address.host, port: (server.address() as AddressInfo).port });
    });
  });
}

async function answer(
  pages: ReadonlyMap<string, () => Answer | Promise<Answer>>,
  request: IncomingMessage,
): Promise<Answer> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { ...plain(405, 'only GET and HEAD'), headers: { Allow: 'GET, HEAD', Connection: 'close' } };
  }
  const path = request.url?.split('?', 1)[0] ?? '';
  return (await pages.get(path)?.()) ?? plain(404, 'there is no such page');
}

function healthAnswer({ status, body }: Health): Answer {
  return { status, type: 'application/json', body: `${JSON.stringify(body)}\n` };
}

function plain(status: number, text: string): Answer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}

function send(response: ServerResponse, { status, type, body, headers }: Answer): void {
  response.writeHead(status, {
    ...BASE_HEADERS,
    ...headers,
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
  });
  // Node leaves the body out of an answer to HEAD by itself.
  response.end(body);
}
