/** A way to a TCP server that can break: cut, so that nobody gets through, or silent, as when packets are lost. */
import { once } from 'node:events';
import { createServer, connect as dial, type Socket } from 'node:net';

export interface TestProxy {
  /** `nats://127.0.0.1:PORT` */
  readonly url: string;
  /** Ends every connection and takes none until {@link heal}. */
  cut(): void;
  /** Keeps every connection open and lets nothing through. What was sent meanwhile arrives after {@link heal}. */
  silence(): void;
  /** Sends bytes to every client, as if the server had. */
  inject(bytes: string): void;
  /** Lets everything through again. */
  heal(): Promise<void>;
  /** Ends everything. */
  close(): Promise<void>;
}

/** Starts one in front of a port of this machine. */
export async function startProxy(target: number): Promise<TestProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let silent = false;
  let port = 0;

  const server = createServer((near) => {
    const far = dial({ host: '127.0.0.1', port: target });
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      from.on('data', (chunk: Buffer) => {
        if (!to.write(chunk)) from.pause();
      });
      to.on('drain', () => {
        if (!silent) from.resume();
      });
      from.on('error', () => {});
      // An end is news too, which a silent way does not carry.
      from.on('end', () => to.end());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
      if (silent) from.pause();
    }
  });

  const listen = async (): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
    port = address.port;
  };
  const endAll = (): void => {
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
    }
  };

  await listen();
  return {
    url: `nats://127.0.0.1:${port}`,
    cut() {
      if (server.listening) server.close();
      endAll();
    },
    silence() {
      silent = true;
      for (const sockets of pairs) for (const socket of sockets) socket.pause();
    },
    inject(bytes) {
      for (const [near] of pairs) near.write(bytes);
    },
    async heal() {
      silent = false;
      for (const sockets of pairs) for (const socket of sockets) socket.resume();
      if (!server.listening) await listen();
    },
    async close() {
      if (server.listening) server.close();
      endAll();
    },
  };
}
