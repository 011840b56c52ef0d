import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** One request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Fires when the answer is complete or its client has left, whichever is first. */
  readonly over: AbortSignal;
  /** The name of the connection. */
  readonly connection: string;
}

/** The connections of a server and what is unanswered on each. */
export class Connections {
  readonly #bySocket = new WeakMap<Socket, { readonly name: string; readonly open: Set<AbortController> }>();
  readonly #most: number;
  #count = 0;

  /** @param most unanswered requests on one connection. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Nothing when the connection was dropped, for more requests without waiting for answers than any client sends. */
  exchange(request: IncomingMessage, response: ServerResponse): Exchange | undefined {
    const { socket } = request;
    const { name, open } = this.#of(socket);
    if (open.size >= this.#most) {
      socket.destroy();
      return undefined;
    }
    const controller = new AbortController();
    open.add(controller);
    // What is written to a client that has left needs no answer of its own: `over` tells.
    response.on('error', () => {});
    response.on('close', () => {
      open.delete(controller);
      controller.abort();
    });
    return { request, response, over: controller.signal, connection: name };
  }

  #of(socket: Socket) {
    let connection = this.#bySocket.get(socket);
    if (connection === undefined) {
      const open = new Set<AbortController>();
      connection = { name: String(++this.#count), open };
      this.#bySocket.set(socket, connection);
      // An answer that waits behind another one is not told of the end of the connection.
      socket.once('close', () => {
        for (const controller of open) controller.abort();
      });
    }
    return connection;
  }
}
