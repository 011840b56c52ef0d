import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { formatDuration } from '../../config/index.ts';
import { CommandCancelledError } from '../../errors.ts';
import {
  describeFailure,
  endingOf,
  kindOf,
  LONGEST_NAME,
  outcomeFields,
  prepareCall,
  type ReadyCall,
  reasonOf,
  withOutput,
} from '../../host/index.ts';
import {
  type CallOutcome,
  type Logger,
  type ServeObserver,
  type StormLog,
  silentObserver,
} from '../../observe/index.ts';
import type { Release, Slots } from '../../process/index.ts';
import { type CallContext, denyingPrompter, isConfirmable, sanitize, type Tool } from '../../tools/index.ts';
import type { Gate } from '../approval/gate.ts';
import { type FailureCode, failureOf, resultOf } from '../results.ts';
import { Bounds } from './bounds.ts';
import { InFlight, Interruption } from './in-flight.ts';
import { inputOf } from './input.ts';
import { callFields } from './log-fields.ts';
import { PROGRESS_MS, startProgress } from './progress.ts';
import type { CallRequest } from './request.ts';
import { SlotQueue } from './slot-queue.ts';

export interface ToolCallsOptions {
  readonly identity: string;
  /** What is served, by name. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly confirmTags: readonly string[];
  readonly gate: Gate;
  readonly slots: Slots;
  /** Bounds each call while it runs, in ms. */
  readonly timeoutMs: number;
  readonly log: Logger;
  /** For what clients can cause as often as they like. */
  readonly storms: StormLog;
  readonly observer?: ServeObserver | undefined;
  /** In place of {@link PROGRESS_MS}. */
  readonly progressMs?: number | undefined;
}

/** Calls that wait for a slot: of all clients, and of one. */
export const MOST_WAITING = { total: 64, each: 16 } as const;

type Answer = CallToolResult | InputRequiredResult;

/** What the steps of one call share. */
interface Call {
  readonly request: CallRequest;
  readonly tool: Tool;
  readonly fields: Record<string, unknown>;
  /** Fires when the client gives the call up, and when we leave. */
  readonly signal: AbortSignal;
  phase: 'waiting for an approval' | 'waiting for a slot' | 'running';
}

/**
 * Answers tool calls. Each goes the same way: do the arguments fit, is it approved if it must be, is a slot free, and
 * only then does anything run. Waiting for a person takes no slot, and no waiting counts as running.
 */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #observer: ServeObserver;
  readonly #kinds: ReadonlyMap<string, string>;
  readonly #queue: SlotQueue;
  readonly #inFlight = new InFlight();

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    this.#observer = options.observer ?? silentObserver;
    this.#kinds = new Map([...options.tools].map(([name, tool]) => [name, kindOf(tool)]));
    this.#queue = new SlotQueue(options.slots, new Bounds(MOST_WAITING.total, MOST_WAITING.each));
  }

  /** Calls that are not answered yet. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Takes no further calls and ends those in flight; resolves when all are answered, after `boundMs` at the latest. */
  drain(boundMs: number): Promise<void> {
    return this.#inFlight.end(boundMs);
  }

  /**
   * The answer to one call; a failure of the tool is an answer too.
   * @throws {ProtocolError} for a name that is no tool's.
   */
  async handle(request: CallRequest): Promise<Answer> {
    const { identity, tools, log } = this.#options;
    const tool = tools.get(request.name);
    const fields = callFields(request, this.#kinds.get(request.name) ?? 'unknown');
    if (tool === undefined) {
      this.#refused(request, fields, 'unknown_tool');
      const name = JSON.stringify(request.name.slice(0, LONGEST_NAME));
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${identity} serves no tool ${name}`);
    }
    if (this.#inFlight.ending) {
      return this.#refuse(request, fields, 'draining', `${identity} is shutting down and started nothing`);
    }
    return this.#inFlight.track(request.signal, async (signal) => {
      const call: Call = { request, tool, fields, signal, phase: 'waiting for a slot' };
      const stop = startProgress(request, () => call.phase, this.#options.progressMs ?? PROGRESS_MS);
      try {
        return await this.#steps(call);
      } catch (error) {
        if (signal.aborted) return this.#ended(call, signal.reason);
        // A mistake of ours. As an error of the protocol no model could read it.
        log.error(
          { ...fields, error: error instanceof Error ? error.stack : String(error) },
          'a call could not be handled',
        );
        return this.#failure(error, tool.name);
      } finally {
        stop();
      }
    });
  }

  async #steps(call: Call): Promise<Answer> {
    const { request, tool, fields, signal } = call;
    let ready: ReadyCall;
    try {
      ready = prepareCall(tool, inputOf(tool.name, request.arguments));
    } catch (error) {
      this.#observer.refused('mcp', 'invalid_input');
      const event = { code: 'invalid_input', sender: request.clientName };
      const about = () => ({ ...fields, error: reasonOf(error) });
      this.#options.storms.warn('tool call failed: arguments do not fit', event, about);
      return this.#failure(error, tool.name);
    }
    const denial = await this.#approval(call, ready);
    if (denial !== undefined) return denial;
    call.phase = 'waiting for a slot';
    const waiting = this.#queue.acquire(request.client.session ?? request.client.connection, signal);
    if (waiting === undefined) {
      const text = `${this.#options.identity} is at capacity: too many calls wait already; try again later`;
      return this.#refuse(request, fields, 'capacity', text);
    }
    const release = await waiting;
    call.phase = 'running';
    return this.#run(call, ready, release);
  }

  /** Nothing when the call may run. */
  async #approval(call: Call, { argv, displayLine }: ReadyCall): Promise<Answer | undefined> {
    const { gate, identity, confirmTags } = this.#options;
    const { request, tool, fields, signal } = call;
    const tag = isConfirmable(tool) ? tool.confirmTrigger(confirmTags) : undefined;
    if (tag === undefined) return undefined;
    call.phase = 'waiting for an approval';
    const gated = {
      identity,
      tool: tool.name,
      tag,
      argv: argv ?? [tool.name],
      arguments: request.arguments ?? {},
      displayLine: displayLine ?? sanitize(tool.name, LONGEST_NAME),
      fields,
    };
    const decision = await gate.decide(gated, request, signal);
    if (decision.runs) return undefined;
    if (decision.code !== undefined) this.#refused(request, fields, decision.code);
    return decision.result;
  }

  async #run(call: Call, ready: ReadyCall, release: Release): Promise<Answer> {
    const { log, timeoutMs } = this.#options;
    const { tool, fields, signal } = call;
    const end = this.#observer.callStarted({
      surface: 'mcp',
      kind: this.#kinds.get(tool.name) ?? 'unknown',
      tool: tool.name,
    });
    const started = performance.now();
    log.info(
      { ...fields, ...(ready.displayLine !== undefined && { command: ready.displayLine }) },
      'tool call running',
    );
    const onStart = (durationMs: number) => this.#observer.spawned(durationMs / 1_000);
    const context: CallContext = { signal, timeoutMs, log, onStart };
    let ending: CallOutcome = 'error';
    try {
      const outcome = await ready.run(context, { prompter: denyingPrompter });
      ending = endingOf(outcome);
      log.info({ ...fields, ...outcomeFields(outcome, performance.now() - started) }, 'tool call completed');
      return resultOf(outcome);
    } catch (error) {
      const { code } = describeFailure(error, { tool: tool.name, timeout: '', surface: 'mcp' });
      const duration = Math.round(performance.now() - started);
      if (signal.aborted) {
        ending = signal.reason instanceof Interruption ? 'interrupted' : 'cancelled';
        return this.#ended(call, signal.reason, error, duration);
      }
      if (code === 'timeout') ending = 'timeout';
      log.error({ ...fields, duration, code, error: reasonOf(error) }, 'tool call failed');
      return this.#failure(error, tool.name);
    } finally {
      end(ending);
      release();
    }
  }

  #failure(error: unknown, tool: string): Answer {
    const timeout = formatDuration(this.#options.timeoutMs);
    const { code, text } = describeFailure(error, { tool, timeout, surface: 'mcp' });
    return failureOf(text, code);
  }

  /** The answer to a call that was ended from outside, and what it had come to. `error` is there when it ran. */
  #ended({ request, tool, fields }: Call, reason: unknown, error?: unknown, duration?: number): Answer {
    const { identity, storms } = this.#options;
    const leaving = reason instanceof Interruption;
    const code = leaving ? 'interrupted' : 'cancelled';
    storms.warn('tool call ended early', { code, sender: request.clientName }, () => ({ ...fields, duration, code }));
    if (error === undefined) {
      const why = leaving ? `${identity} shut down` : 'the call was cancelled';
      return failureOf(`${why} before ${tool.name} was started; nothing was run`, code);
    }
    if (!leaving || !(error instanceof CommandCancelledError)) return this.#failure(error, tool.name);
    const what = `${identity} shut down while ${tool.name} ran; its command was ended and its work may be incomplete`;
    return failureOf(withOutput(what, error.partial.output), code);
  }

  #refuse(request: CallRequest, fields: Record<string, unknown>, code: FailureCode, text: string): Answer {
    this.#refused(request, fields, code);
    return failureOf(text, code);
  }

  /** A call for which nothing ran is counted and logged. `code` is what its caller is told. */
  #refused({ clientName: sender }: CallRequest, fields: Record<string, unknown>, code: string): void {
    const { slots, storms } = this.#options;
    this.#observer.refused('mcp', code);
    const full = code === 'capacity' ? { concurrency: slots.limit } : {};
    storms.warn('tool call refused', { code, sender }, () => ({ ...fields, code, ...full }));
  }
}
