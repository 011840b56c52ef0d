import { formatDuration } from '../config/index.ts';
import { endingOf, kindOf, outcomeFields, prepareCall, type ReadyCall, reasonOf } from '../host/index.ts';
import { type MicroService, ReplySet, receive, type ServiceRequest } from '../nats/index.ts';
import {
  type CallOutcome,
  type EndCall,
  type Logger,
  type ServeObserver,
  type StormLog,
  silentObserver,
} from '../observe/index.ts';
import type { Release, Slots } from '../process/index.ts';
import { type Decoded, MESSAGE, type ToolReplyBody, type ToolRequest } from '../protocol/index.ts';
import { type CallContext, denyingPrompter, type Tool } from '../tools/index.ts';
import { callFields, callLog, nameOf, refusal } from './call-log.ts';
import { failureReply } from './failure.ts';

export interface ToolCallsOptions {
  readonly identity: string;
  /** What is served, by name. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly slots: Slots;
  /** Bounds each call, in ms. */
  readonly timeoutMs: number;
  readonly counts: MicroService['counts'];
  /** Where refusals are logged. */
  readonly storms: StormLog;
  readonly log: Logger;
  readonly observer?: ServeObserver | undefined;
}

/** A call that runs. */
interface RunningCall {
  readonly replies: ReplySet;
  readonly tool: string;
  /** Tells whoever watches how it ended. */
  readonly end: EndCall;
}

const ACCEPT = [MESSAGE.toolRequest];
/** Weight of the newest call in the running average of how long calls take. */
const NEWEST = 0.2;
const SHORTEST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 10_000;

/**
 * Answers tool calls. Each is decided in this order: is the message valid, is the tool known, do the arguments fit, is
 * a slot free. Then it is acknowledged, and only then does anything start. A call that finds no slot is refused at once.
 */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #observer: ServeObserver;
  readonly #kinds: ReadonlyMap<string, string>;
  readonly #running = new Set<RunningCall>();
  #averageMs = 0;
  #draining = false;

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    this.#observer = options.observer ?? silentObserver;
    this.#kinds = new Map([...options.tools].map(([name, tool]) => [name, kindOf(tool)]));
  }

  /** How many calls run now. */
  get running(): number {
    return this.#running.size;
  }

  /** Handles one request; whatever goes wrong in it is answered to its caller alone. */
  handle(request: ServiceRequest): void {
    const { identity, counts, storms, log, tools } = this.#options;
    const received = receive(request, { identity, accept: ACCEPT, counts, storms, log });
    if (received === undefined) {
      return;
    }
    const message = received.message as ToolRequest;
    if (request.replyTo === undefined) {
      const about = refusal(message, 'unanswerable');
      storms.warn('a call without a reply subject is dropped: nobody could be answered', ...about);
      return;
    }
    const replies = new ReplySet(request, message, { sender: identity, log });
    const tool = tools.get(message.name);
    if (tool === undefined) {
      this.#refuse(replies, message, `${identity} serves no tool ${nameOf(message)}`, { code: 'unknown_tool' });
    } else if (this.#draining) {
      const retry = this.#retryHints(SHORTEST_RETRY_MS);
      this.#refuse(replies, message, `${identity} is shutting down and started nothing`, { code: 'draining', retry });
    } else {
      this.#admit(replies, message, tool, received);
    }
  }

  /** Takes no further calls. */
  drain(): void {
    this.#draining = true;
  }

  /** Tells the caller of every running call that nobody will tell it how the call ended. The commands run on. */
  interrupt(): number {
    const { identity } = this.#options;
    const count = this.#running.size;
    for (const { replies, tool, end } of this.#running) {
      const output = `${identity} shut down while ${tool} ran; the command may still end its work, and its outcome is unknown`;
      replies.reply({ isError: true, code: 'interrupted', output });
      end('interrupted');
    }
    return count;
  }

  #admit(replies: ReplySet, message: ToolRequest, tool: Tool, received: Decoded): void {
    const input = { value: message.input ?? {}, source: () => received.inputSource() ?? {} };
    let call: ReadyCall;
    try {
      call = prepareCall(tool, input);
    } catch (error) {
      replies.ack(true);
      replies.reply(failureReply(error, message.name, ''));
      this.#observer.refused('a2a', 'invalid_input');
      const about = refusal(message, 'invalid_input', { error: reasonOf(error) });
      this.#options.storms.warn('tool call failed: arguments do not fit', ...about);
      return;
    }
    const release = this.#options.slots.tryAcquire();
    if (release === undefined) {
      this.#refuseFull(replies, message);
    } else if (replies.ack(true)) {
      void this.#run(replies, message, call, release);
    } else {
      release();
    }
  }

  async #run(replies: ReplySet, message: ToolRequest, call: ReadyCall, release: Release): Promise<void> {
    const { log, timeoutMs } = this.#options;
    const { name: tool } = message;
    const end = this.#observer.callStarted({ surface: 'a2a', kind: this.#kinds.get(tool) ?? 'unknown', tool });
    const running = { replies, tool, end };
    const fields = callFields(message);
    const started = performance.now();
    this.#running.add(running);
    // The acknowledgement leaves before the process starts, which would hold it up.
    if (!(await replies.sent())) {
      // The caller knows of nothing and may ask again elsewhere: nothing may have run then.
      this.#running.delete(running);
      end('error');
      release();
      log.warn(fields, 'tool call dropped before it started: its acknowledgement could not be sent');
      return;
    }
    log.info(fields, 'tool call running');
    replies.keepAlive('running-tool');
    const onStart = (durationMs: number) => this.#observer.spawned(durationMs / 1_000);
    const context: CallContext = { timeoutMs, log: callLog(log, message), onStart };
    let reply: ToolReplyBody;
    let ending: CallOutcome;
    try {
      const outcome = await call.run(context, { prompter: denyingPrompter });
      reply = outcome;
      ending = endingOf(outcome);
      log.info({ ...fields, ...outcomeFields(outcome, performance.now() - started) }, 'tool call completed');
    } catch (error) {
      reply = failureReply(error, message.name, formatDuration(timeoutMs));
      ending = reply.code === 'timeout' ? 'timeout' : 'error';
      const duration = Math.round(performance.now() - started);
      log.error({ ...fields, duration, code: reply.code, error: reasonOf(error) }, 'tool call failed');
    }
    this.#averageMs += (performance.now() - started - this.#averageMs) * NEWEST;
    this.#running.delete(running);
    running.end(ending);
    // Before the reply: a caller that has its answer and calls again must find the slot free.
    release();
    replies.reply(reply);
  }

  #refuseFull(replies: ReplySet, message: ToolRequest): void {
    const { identity, slots } = this.#options;
    const expected = Math.round(this.#averageMs / slots.limit);
    const retry = this.#retryHints(Math.min(LONGEST_RETRY_MS, Math.max(SHORTEST_RETRY_MS, expected)));
    const reason = `${identity} cannot run ${message.name} now: all ${slots.limit} slots are in use`;
    this.#refuse(replies, message, reason, { code: 'capacity', retry });
  }

  #retryHints(retryAfterMs: number): NonNullable<ToolReplyBody['retry']> {
    const { inUse, limit } = this.#options.slots;
    return { retryAfterMs, inUse, limit };
  }

  /** A refusal is a set too: without its end the caller would wait for one. */
  #refuse(replies: ReplySet, message: ToolRequest, reason: string, reply: Omit<ToolReplyBody, 'output'>): void {
    replies.ack(false, reason);
    replies.reply({ ...reply, isError: true, output: reason });
    const { code = 'refused' } = reply;
    this.#observer.refused('a2a', code);
    const { slots, storms } = this.#options;
    const full = code === 'capacity' ? { concurrency: slots.limit } : {};
    storms.warn('tool call refused', ...refusal(message, code, { code, ...full }));
  }
}
