import { createConnection, type Socket } from 'node:net';
import { type ConnectionOptions, errors, type NatsConnection } from '@nats-io/nats-core';
import { hasWsProtocol, NatsConnectionImpl, setTransportFactory } from '@nats-io/nats-core/internal';
import { NodeTransport, nodeResolveHost } from '@nats-io/transport-node/lib/node_transport.js';

/** Read by each attempt until the first connection stands. */
interface Dialing {
  signal: AbortSignal | undefined;
}

/** A server is dialled again this long after the last attempt, in ms … */
const RECONNECT_MS = 2_000;
/** … and up to this much later, so that not all clients come at once. */
const JITTER_MS = 100;

/** The client hands on what it does not know. */
type DialOptions = ConnectionOptions & { readonly dialing?: Dialing };
type Address = Parameters<NodeTransport['connect']>[0];

/** Connects as the client library does; when the signal fires, the attempt ends and its socket is closed. */
export async function dial(options: ConnectionOptions, signal: AbortSignal | undefined): Promise<NatsConnection> {
  if (hasWsProtocol(options)) throw new errors.InvalidArgumentError('servers reached by ws:// are not supported');
  setTransportFactory({ factory: () => new Transport(), dnsResolveFn: nodeResolveHost });
  const dialing: Dialing = { signal };
  let made: NatsConnectionImpl | undefined;
  const reconnectDelayHandler = () => {
    if (made !== undefined) keepTime(made);
    return RECONNECT_MS + Math.random() * JITTER_MS;
  };
  const all: DialOptions = { ...options, dialing, reconnectDelayHandler };
  const connection = await NatsConnectionImpl.connect(all);
  // The library promises the interface, and makes an object of this class.
  made = connection as NatsConnectionImpl;
  dialing.signal = undefined;
  return connection;
}

/**
 * The library reckons by the clock of the machine when a server may be dialled again. Once that clock was put back, it
 * would not dial until it has caught up: an hour for an hour.
 */
function keepTime({ protocol }: NatsConnectionImpl): void {
  const now = Date.now();
  for (const server of protocol.servers.getServers()) server.lastConnect = Math.min(server.lastConnect, now);
}

/** The library's way over TCP and TLS, but that an attempt which was given up does not keep its socket. */
class Transport extends NodeTransport {
  override async connect(server: Address, options: DialOptions): Promise<void> {
    const signal = options.dialing?.signal;
    const giveUp = () => {
      this.done = true;
      // With its listeners in place, so that whoever waits for it hears of the end.
      this.socket?.destroy();
    };
    signal?.throwIfAborted();
    signal?.addEventListener('abort', giveUp);
    try {
      await super.connect(server, options);
      if (this.socket !== undefined) keepListening(this.socket);
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /** The library keeps the socket to itself until it is connected, and nobody could close it. */
  override dial({ hostname, port }: Pick<Address, 'hostname' | 'port'>): Promise<Socket> {
    const socket = createConnection(port, hostname);
    this.socket = socket;
    socket.setNoDelay(true);
    return new Promise((resolve, reject) => {
      let cause: Error | undefined;
      socket.once('error', (error) => {
        cause = error;
      });
      socket.once('close', () => reject(cause ?? new errors.ConnectionError('the connection was closed')));
      socket.once('connect', () => {
        socket.removeAllListeners();
        resolve(socket);
      });
    });
  }

  /** The library leaves the socket of an attempt that ran out of time open. */
  override async close(error?: Error): Promise<void> {
    await super.close(error);
    if (!this.connected) this.discard();
  }
}

/**
 * The library takes all listeners off a socket that it gives up. An error that arrives after that, such as a write that was
 * still under way, would be an uncaught exception.
 */
function keepListening(socket: Socket): void {
  const removeAll = socket.removeAllListeners.bind(socket);
  socket.removeAllListeners = (event) => {
    removeAll(event);
    return socket.on('error', () => {});
  };
}
