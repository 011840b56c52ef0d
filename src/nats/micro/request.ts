import { headers, type Msg, type MsgHdrs } from '@nats-io/nats-core';
import type { MessageFault } from '../../errors.ts';
import type { Logger, StormLog } from '../../observe/index.ts';
import {
  headerText,
  type RefusalStatus,
  SERVICE_ERROR_CODE_HEADER,
  SERVICE_ERROR_HEADER,
  STREAM_FINAL_HEADER,
} from '../../protocol/index.ts';
import type { Backlog } from '../backlog.ts';
import type { Connection } from '../connection.ts';
import type { HeldReplies, HeldReply } from '../held-replies.ts';
import type { EndpointStats } from './stats.ts';

/** One request that arrived at an endpoint, and the only way to answer it. No method throws by itself. */
export interface ServiceRequest {
  readonly data: Uint8Array;
  readonly subject: string;
  /** What its sender calls it, once that was read; lines of the log are joined by it. */
  id?: string | undefined;
  /** Absent when the sender cannot be answered. */
  readonly replyTo: string | undefined;
  /** Largest body in bytes that an answer may have now. */
  readonly bodyLimit: number;
  /** Whether an answer sent now would leave this process. */
  readonly connected: boolean;
  /** Answers with 500 when so much waits to be sent that a large answer would only fill the memory. True when it did. */
  refuseIfBusy(): boolean;
  /** Answers with error headers and no body: the request was not even looked at. False when it could not be sent. */
  refuse(status: RefusalStatus, description: string): boolean;
  /** Sends one message of an answer. False when it could not be sent: no reply subject, no connection, too large. */
  send(body: Uint8Array): boolean;
  /**
   * Sends the last message of an answer; it waits for the connection to come back.
   * @param write writes it in at most `limit` bytes, once or more often. What it throws is thrown.
   */
  end(write: (limit: number) => Uint8Array): boolean;
  /**
   * Resolves when what was sent has left for the server, which is at the end of a turn of the event loop. False when
   * some of it did not.
   */
  sent(): Promise<boolean>;
}

const NOTHING = new Uint8Array(0);

/** Counts over all endpoints of a service. */
export interface ServiceCounts {
  /** Requests refused as malformed, by the check that they failed. */
  readonly malformed: Map<MessageFault, number>;
  /** Requests that named another agent as their recipient; they are served. */
  foreignRecipients: number;
  /** Answers that could not be sent. */
  failedSends: number;
}

/** What the requests of one endpoint share. */
export interface EndpointContext {
  readonly connection: Connection;
  readonly stats: EndpointStats;
  readonly counts: ServiceCounts;
  /** Where a final reply waits while there is no connection. */
  readonly held: HeldReplies;
  /** What was sent and has not arrived. */
  readonly backlog: Backlog;
  readonly storms: StormLog;
  readonly log: Logger | undefined;
}

export class IncomingRequest implements ServiceRequest {
  id: string | undefined;
  readonly #msg: Msg;
  readonly #context: EndpointContext;
  #complete = true;

  constructor(msg: Msg, context: EndpointContext) {
    this.#msg = msg;
    this.#context = context;
  }

  get data(): Uint8Array {
    return this.#msg.data;
  }

  get subject(): string {
    return this.#msg.subject;
  }

  get replyTo(): string | undefined {
    return this.#msg.reply || undefined;
  }

  get bodyLimit(): number {
    return this.#context.connection.bodyLimit;
  }

  get connected(): boolean {
    return this.#context.connection.connected;
  }

  refuseIfBusy(): boolean {
    const { backlog } = this.#context;
    if (!backlog.full) return false;
    backlog.refused();
    this.refuse(500, 'busy: too much waits to be sent, ask again later');
    return true;
  }

  refuse(status: RefusalStatus, description: string): boolean {
    const text = headerText(description);
    const sent = this.#publish(NOTHING, refusalHeaders(status, text), undefined);
    if (sent) this.#context.stats.countFailure(`${status}:${text}`);
    return sent;
  }

  send(body: Uint8Array): boolean {
    return this.#publish(body, undefined, undefined);
  }

  end(write: (limit: number) => Uint8Array): boolean {
    return this.#publish(write(this.bodyLimit), finalHeaders(), write);
  }

  async sent(): Promise<boolean> {
    await this.#context.connection.outbox.emptied();
    return this.#complete;
  }

  #publish(body: Uint8Array, hdrs: MsgHdrs | undefined, write: HeldReply['write'] | undefined): boolean {
    const reply = this.replyTo;
    if (reply === undefined) return this.#failed('no reply subject');
    if (!this.connected) return this.#later(reply, body, write);
    this.#context.backlog.add(body.length);
    this.#context.connection.outbox.add(() => this.#handOver(reply, body, hdrs, write));
    return true;
  }

  #handOver(reply: string, body: Uint8Array, hdrs: MsgHdrs | undefined, write: HeldReply['write'] | undefined): void {
    try {
      // The client takes a publish while it has no server and throws it away later, so it must not be asked.
      if (!this.connected) {
        this.#later(reply, body, write);
        return;
      }
      this.#context.connection.nc.publish(reply, body, hdrs === undefined ? undefined : { headers: hdrs });
    } catch (error) {
      this.#failed(error instanceof Error ? error.message : String(error));
    }
  }

  #later(replyTo: string, body: Uint8Array, write: HeldReply['write'] | undefined): boolean {
    if (write === undefined) return this.#failed('no connection');
    this.#context.held.hold({ replyTo, headers: finalHeaders(), bytes: body.length, write });
    return true;
  }

  #failed(error: string): false {
    this.#complete = false;
    this.#context.counts.failedSends++;
    this.#context.stats.countFailure(error);
    const { subject } = this;
    const fields = () => ({ request: this.id, subject, error });
    this.#context.storms.warn('an answer could not be sent', { code: 'unsent' }, fields);
    return false;
  }
}

let final: MsgHdrs | undefined;

/** One object for every last message: the client only reads it. */
function finalHeaders(): MsgHdrs {
  if (final === undefined) {
    final = headers();
    final.set(STREAM_FINAL_HEADER, 'true');
  }
  return final;
}

function refusalHeaders(status: RefusalStatus, text: string): MsgHdrs {
  const hdrs = headers();
  hdrs.set(SERVICE_ERROR_CODE_HEADER, String(status));
  hdrs.set(SERVICE_ERROR_HEADER, text);
  return hdrs;
}
