import type { Msg } from '@nats-io/nats-core';
import { CallCancelledError, CallTimeoutError, NotPermittedError } from '../../errors.ts';
import type { Connection, PermissionRefusal } from '../connection.ts';

/** How a listener steers the conversation it listens to. */
export interface Turn<T> {
  done(result: T): void;
  fail(error: Error): void;
  /** Ends with the error when nothing calls this again within `ms`. */
  expect(ms: number, late: () => Error): void;
}

export interface Conversation<T> {
  readonly subject: string;
  readonly body: Uint8Array;
  /** Bounds the first confirmation by the server, in milliseconds. */
  readonly flushMs: number;
  /** Bounds the whole, in milliseconds. */
  readonly totalMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before the request is sent, to say how long to wait for what. */
  open(turn: Turn<T>): void;
  /** Called for each message on the inbox; what it throws ends the conversation. */
  heard(msg: Msg, turn: Turn<T>): void;
}

/**
 * Sends one request with an inbox of its own and listens there until a result is found. Nothing outlives it: not the
 * inbox, not a timer, not a listener. Throws NotPermittedError, ConnectionLostError, CallCancelledError,
 * CallTimeoutError and whatever `heard` ends it with.
 */
export function converse<T>(connection: Connection, conversation: Conversation<T>): Promise<T> {
  const { subject, body, signal, totalMs } = conversation;
  if (signal?.aborted) return Promise.reject(cancelled(subject));
  return new Promise<T>((resolve, reject) => {
    const inbox = connection.newInbox();
    const closers: (() => void)[] = [];
    let silence: NodeJS.Timeout | undefined;
    let settled = false;

    const settle = (end: () => void) => {
      if (settled) return;
      settled = true;
      clearTimeout(silence);
      for (const close of closers) close();
      end();
    };
    const turn: Turn<T> = {
      done: (result) => settle(() => resolve(result)),
      fail: (error) => settle(() => reject(error)),
      expect: (ms, late) => {
        clearTimeout(silence);
        if (!settled) silence = setTimeout(() => turn.fail(late()), ms);
      },
    };

    try {
      closers.push(
        connection.watch({
          refused: (refusal) => {
            const { subject: refused } = refusal;
            if (refused === undefined || refused === subject || refused === inbox) turn.fail(notPermitted(refusal));
          },
          lost: turn.fail,
        }),
      );
      const subscription = connection.nc.subscribe(inbox, {
        callback: (error, msg) => {
          // A refused subscription also reaches the watcher above, which knows what to say.
          if (error !== null || settled) return;
          try {
            conversation.heard(msg, turn);
          } catch (cause) {
            turn.fail(cause as Error);
          }
        },
      });
      closers.push(() => {
        if (!subscription.isClosed()) subscription.unsubscribe();
      });
      if (signal !== undefined) {
        const abort = () => turn.fail(cancelled(subject));
        signal.addEventListener('abort', abort);
        closers.push(() => signal.removeEventListener('abort', abort));
      }
      if (totalMs !== undefined && totalMs > 0) {
        const timer = setTimeout(() => turn.fail(overtime(subject, totalMs)), totalMs);
        closers.push(() => clearTimeout(timer));
      }
      conversation.open(turn);
      connection.nc.publish(subject, body, { reply: inbox });
    } catch (error) {
      turn.fail(error as Error);
      return;
    }
    // A connection that no longer carries anything shows here and not only when patience is over.
    connection.flush(conversation.flushMs).catch(turn.fail);
  });
}

function notPermitted({ operation, subject, text }: PermissionRefusal): NotPermittedError {
  const verb = operation === 'publish' ? 'publish to' : 'subscribe to';
  return new NotPermittedError(`the NATS server does not let this user ${verb} ${subject ?? `any more (${text})`}`);
}

function cancelled(subject: string): CallCancelledError {
  return new CallCancelledError(`the request to ${subject} was given up`);
}

function overtime(subject: string, totalMs: number): CallTimeoutError {
  return new CallTimeoutError(`the call to ${subject} did not end within ${totalMs} ms`);
}
