import { setTimeout as sleep } from 'node:timers/promises';
import { CallCancelledError, CallTimeoutError, NoAckError, PeerSilentError } from '../../errors.ts';
import {
  type Ack,
  encodeToolRequest,
  MESSAGE,
  type OtherEvent,
  requestHeader,
  type StatusEvent,
  type ToolReply,
  toolSubject,
} from '../../protocol/index.ts';
import type { Connection } from '../connection.ts';
import { mintId } from '../ids.ts';
import { converse } from './converse.ts';
import { ReplyReader } from './reply-reader.ts';

/** What a caller can show while it waits. */
export type CallEvent =
  | { readonly type: 'ack'; readonly message: Ack }
  | { readonly type: 'event'; readonly message: StatusEvent | OtherEvent }
  | { readonly type: 'retry'; readonly code: string; readonly delayMs: number; readonly attempt: number };

export interface CallOptions {
  readonly identity: string;
  readonly tool: string;
  /** JSON text of one object, sent character for character. Blank and `null` are left out. */
  readonly input?: string;
  /** Whom we claim to be: an identity. */
  readonly sender: string;
  /** How long silence may last between two messages, in milliseconds; see {@link idleBound}. */
  readonly idleTimeoutMs: number;
  /** Bounds the whole call with its retries, in milliseconds; absent or 0 for none. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** How often a refusal that promises nothing was started is tried again; 2 at most and by default. */
  readonly retries?: number;
  /** Must not throw. */
  onEvent?(event: CallEvent): void;
}

/** How a call ended at the agent, for better or worse. */
export interface RemoteOutcome {
  readonly output: string;
  /** Present when a command ran. `exitCode` is −1 when a signal ended it. */
  readonly exec?: { readonly command: string; readonly exitCode: number; readonly truncated: boolean };
  /** The tool did not run cleanly. False for a command that ran and failed. */
  readonly isError: boolean;
  /** Why it did not run, when the agent says so: `capacity`, `unknown_tool` and others, also unknown ones. */
  readonly code?: string;
  readonly reply: ToolReply;
}

const ACK_MS = 10_000;
const MIN_IDLE_MS = 30_000;
const MAX_RETRIES = 2;
const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 1_000;

/** The silence to bear inside a call, from the configured request timeout: three signs of life at the least. */
export function idleBound(requestTimeoutMs: number): number {
  return Math.max(requestTimeoutMs, MIN_IDLE_MS);
}

/**
 * Calls a tool of an agent and waits for as long as the agent gives signs of life. A refusal, also for `capacity` when
 * the retries are used up, is an outcome and not an exception.
 *
 * Throws IdentityInvalidError, MessageInvalidError and MessageTooLargeError before anything is sent; NoRespondersError,
 * NoAckError, PeerSilentError, CallTimeoutError, CallCancelledError, RequestRefusedError, ReplyInvalidError,
 * ReplyIncompleteError, and what a connection can fail with.
 */
export async function callTool(connection: Connection, options: CallOptions): Promise<RemoteOutcome> {
  const retries = Math.min(options.retries ?? MAX_RETRIES, MAX_RETRIES);
  const deadline = options.timeoutMs ? performance.now() + options.timeoutMs : undefined;
  for (let attempt = 1; ; attempt++) {
    const reply = await callOnce(connection, options, deadline);
    const { code } = reply;
    if (attempt > retries || !isUnstarted(reply)) return outcome(reply);
    const delayMs = retryDelay(reply.fisk_ts?.retry_after_ms);
    if (deadline !== undefined && performance.now() + delayMs >= deadline) return outcome(reply);
    options.onEvent?.({ type: 'retry', code: code ?? '', delayMs, attempt });
    await pause(delayMs, options);
  }
}

async function callOnce(
  connection: Connection,
  options: CallOptions,
  deadline: number | undefined,
): Promise<ToolReply> {
  const { identity, tool, sender, signal } = options;
  const subject = toolSubject(identity);
  const header = requestHeader({ protocol: MESSAGE.toolRequest, sender, recipient: identity, now: Date.now(), mintId });
  const body = encodeToolRequest(header, tool, options.input, connection.bodyLimit);
  const reader = new ReplyReader(subject, header.request);
  const idleMs = options.idleTimeoutMs;
  const ackMs = Math.min(idleMs, ACK_MS);
  const totalMs = deadline === undefined ? undefined : Math.max(1, deadline - performance.now());
  const silent = () => new PeerSilentError(`nothing more was heard from ${subject} for ${idleMs} ms`);
  return converse<ToolReply>(connection, {
    subject,
    body,
    signal,
    totalMs,
    flushMs: ackMs,
    open: (turn) => turn.expect(ackMs, () => new NoAckError(`${subject} did not acknowledge within ${ackMs} ms`)),
    heard: (msg, turn) => {
      const heard = reader.read(msg);
      if (heard.type === 'stray') return;
      turn.expect(idleMs, silent);
      if (heard.type === 'reply') turn.done(heard.message);
      else options.onEvent?.(heard);
    },
  }).catch((error: unknown) => {
    // The remainder of the time is what a retry was given; the caller knows the whole.
    if (!(error instanceof CallTimeoutError)) throw error;
    throw new CallTimeoutError(`the call to ${subject} did not end within ${options.timeoutMs} ms`, { cause: error });
  });
}

/** Whether the agent promises that nothing was started, so that another try does no harm. */
function isUnstarted(reply: ToolReply): boolean {
  return reply.is_error === true && (reply.code === 'capacity' || reply.code === 'draining');
}

/** Anywhere between the least and twice the hint, so that callers refused together do not come back together. */
function retryDelay(hintMs: unknown): number {
  const hinted = typeof hintMs === 'number' && hintMs > 0 ? hintMs * 2 : MAX_DELAY_MS;
  const most = Math.min(Math.max(hinted, 2 * MIN_DELAY_MS), MAX_DELAY_MS);
  return Math.round(MIN_DELAY_MS + Math.random() * (most - MIN_DELAY_MS));
}

async function pause(delayMs: number, options: CallOptions): Promise<void> {
  try {
    await sleep(delayMs, undefined, options.signal === undefined ? {} : { signal: options.signal });
  } catch {
    throw new CallCancelledError(`the call to ${toolSubject(options.identity)} was given up`);
  }
}

function outcome(reply: ToolReply): RemoteOutcome {
  const { exec, code } = reply;
  return {
    output: reply.output ?? '',
    ...(exec === undefined
      ? {}
      : { exec: { command: exec.command, exitCode: exec.exit_code ?? 0, truncated: exec.truncated ?? false } }),
    isError: reply.is_error ?? false,
    ...(code === undefined ? {} : { code }),
    reply,
  };
}
