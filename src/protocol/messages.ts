import type { ReplyCode } from './codes.ts';
import type { Header } from './header.ts';
import type { EventId, MESSAGE } from './ids.ts';

/** What a tool says about itself. An absent field asserts nothing. */
export interface Behavior {
  readonly read_only?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly open_world?: boolean;
}

/** One tool on a card. */
export interface ToolDescriptor {
  readonly name: string;
  readonly description?: string;
  readonly input_schema?: Readonly<Record<string, unknown>>;
  readonly behavior?: Behavior;
}

/** The record of a command that ran. `exit_code` is absent for 0 and −1 when a signal ended the command. */
export interface Exec {
  readonly command: string;
  readonly exit_code?: number;
  readonly truncated?: boolean;
}

/** How full a worker was that refused, so that a caller need not guess when to come back. */
export interface RetryHints {
  readonly retry_after_ms?: number;
  readonly in_use?: number;
  readonly limit?: number;
}

/** What a card says, without the header of the message that carries it. */
export interface CardBody {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly model?: string;
  readonly protocols?: readonly string[];
  readonly tools?: readonly ToolDescriptor[];
  readonly telemetry?: boolean;
  readonly telemetry_content?: boolean;
}

export type DiscoveryRequest = Header<typeof MESSAGE.discoveryRequest>;

/** An agent's card as it travels. */
export type AgentCard = Header<typeof MESSAGE.discoveryReply> & CardBody;

export type ToolRequest = Header<typeof MESSAGE.toolRequest> & {
  readonly name: string;
  readonly input?: Readonly<Record<string, unknown>>;
};

/** The end of a tool call. `code` is open: an unknown one is kept and shown. */
export type ToolReply = Header<typeof MESSAGE.toolReply> & {
  readonly is_error?: boolean;
  readonly code?: string;
  readonly output?: string;
  readonly exec?: Exec;
  readonly fisk_ts?: RetryHints;
};

export type Ack = Header<typeof MESSAGE.ack> & {
  readonly accepted: boolean;
  readonly reason?: string;
  readonly conversation_token?: string;
  readonly max_tokens?: number;
};

export type StatusEvent = Header<typeof MESSAGE.eventStatus> & {
  readonly block: {
    readonly iteration?: number;
    readonly phase?: string;
    readonly usage?: Readonly<Record<string, unknown>>;
    readonly count?: number;
    readonly truncated?: boolean;
  };
};

/** Any event whose kind has no shape of its own here: header and block were checked, the block is opaque. */
export type OtherEvent = Header<EventId> & { readonly block: Readonly<Record<string, unknown>> };

export type Message = DiscoveryRequest | AgentCard | ToolRequest | ToolReply | Ack | StatusEvent | OtherEvent;

/** What a worker has to say at the end of a call, before it becomes a message. */
export interface ToolReplyBody {
  readonly output: string;
  readonly isError?: boolean;
  readonly code?: ReplyCode;
  /** Present exactly when a command ran. `exitCode` is −1 when a signal ended it. */
  readonly exec?: { readonly command: string; readonly exitCode: number; readonly truncated: boolean };
  /** Beside `capacity` and `draining` only. */
  readonly retry?: { readonly retryAfterMs?: number; readonly inUse?: number; readonly limit?: number };
}

/** The final message of a call. What is empty, false or zero is left out, as optional fields are on this wire. */
export function toolReply(header: Header<typeof MESSAGE.toolReply>, body: ToolReplyBody): ToolReply {
  const reply: { -readonly [K in keyof ToolReply]: ToolReply[K] } = { ...header };
  if (body.isError) reply.is_error = true;
  if (body.code !== undefined) reply.code = body.code;
  if (body.output !== '') reply.output = body.output;
  if (body.exec !== undefined) reply.exec = execRecord(body.exec);
  if (body.retry !== undefined) reply.fisk_ts = retryHints(body.retry);
  return reply;
}

function execRecord(exec: NonNullable<ToolReplyBody['exec']>): Exec {
  const record: { -readonly [K in keyof Exec]: Exec[K] } = { command: exec.command };
  if (exec.exitCode !== 0) record.exit_code = exec.exitCode;
  if (exec.truncated) record.truncated = true;
  return record;
}

function retryHints(retry: NonNullable<ToolReplyBody['retry']>): RetryHints {
  const hints: { -readonly [K in keyof RetryHints]: RetryHints[K] } = {};
  if (retry.retryAfterMs !== undefined) hints.retry_after_ms = retry.retryAfterMs;
  if (retry.inUse !== undefined) hints.in_use = retry.inUse;
  if (retry.limit !== undefined) hints.limit = retry.limit;
  return hints;
}
