import { type CallToolResult, type InputRequiredResult, SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import { formatDuration, type McpConfig } from '../../config/index.ts';
import type { Logger, StormLog } from '../../observe/index.ts';
import { sanitize } from '../../tools/index.ts';
import type { Bounds } from '../calls/bounds.ts';
import type { CallRequest } from '../calls/request.ts';
import { failureOf } from '../results.ts';
import { judge, showsForms, type Verdict } from './answer.ts';
import { type Denial, denialCode, denied } from './denial.ts';
import { type GatedCall, questionFor } from './question.ts';
import type { Seals } from './seals.ts';

/** How long a person has. */
export const APPROVAL_MS = 120_000;

/** Name of the one question of a call. */
const QUESTION = 'approval';

export interface GateOptions {
  readonly mode: McpConfig['confirmOverMcp'];
  readonly seals: Seals;
  /** Calls that wait for a person. */
  readonly waiting: Bounds;
  readonly timeoutMs: number;
  readonly log: Logger;
  readonly storms: StormLog;
}

/** A gated call that was judged. `code` tells why it does not run; absent while the question is still open. */
export type Decision =
  | { readonly runs: true }
  | { readonly runs: false; readonly result: CallToolResult | InputRequiredResult; readonly code?: string };

const RUNS: Decision = { runs: true };

/** A gated call and what the log says of it. */
export interface GatedRequest extends GatedCall {
  /** The whole command on one line, safe for a terminal. */
  readonly displayLine: string;
  readonly fields: Record<string, unknown>;
}

/**
 * Stands before every gated call. Whatever goes wrong while a person is asked, the call does not run: only an explicit
 * approval lets it through, or an operator who wrote down that none is needed.
 */
export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Decides about one call. Rejects with the reason of `signal` when that fires first. */
  async decide(call: GatedRequest, request: CallRequest, signal: AbortSignal): Promise<Decision> {
    const { mode, storms } = this.#options;
    if (request.capabilities === undefined) return deny(call, 'impossible');
    if (mode === 'never') return RUNS;
    const { elicitation } = request.capabilities;
    if (mode === 'auto' && elicitation === undefined) {
      const { displayLine: command, tag, fields } = call;
      storms.warn(
        'a call that needs an approval runs without one: the client cannot be asked',
        { code: 'auto', sender: request.clientName },
        () => ({ ...fields, command, tag }),
      );
      return RUNS;
    }
    if (!showsForms(elicitation)) return deny(call, 'impossible');
    return request.asking.by === 'request'
      ? this.#ask(call, request, request.asking, signal)
      : this.#returned(call, request, request.asking);
  }

  /** Asks and waits. */
  async #ask(
    call: GatedRequest,
    { client }: CallRequest,
    { ask }: Extract<CallRequest['asking'], { by: 'request' }>,
    signal: AbortSignal,
  ): Promise<Decision> {
    const { waiting, timeoutMs, log } = this.#options;
    const place = waiting.tryTake(client.session ?? client.connection);
    if (place === undefined) {
      const text = `${call.displayLine} did not run: too many calls wait for an approval already; try again later`;
      return { runs: false, result: failureOf(text, 'capacity'), code: 'capacity' };
    }
    log.info({ ...call.fields, tag: call.tag }, 'asking for an approval');
    try {
      return decided(call, judge(await ask(questionFor(call), { timeoutMs, signal })));
    } catch (error) {
      if (signal.aborted) throw error;
      return deny(call, 'failed', reasonOf(error, timeoutMs));
    } finally {
      place();
    }
  }

  /** Takes the answer that came with the call, or sends the question as its result. */
  #returned(
    call: GatedRequest,
    { client }: CallRequest,
    { answers, seal }: Extract<CallRequest['asking'], { by: 'result' }>,
  ): Decision {
    const { seals, log } = this.#options;
    const sealed = { holder: client.session ?? client.tokenHolder ?? '', tool: call.tool, argv: call.argv };
    const answer = answers !== undefined && Object.hasOwn(answers, QUESTION) ? answers[QUESTION] : undefined;
    if (seal !== undefined) {
      const worth = seals.use(seal, sealed);
      if (worth === 'good' && answer !== undefined) return decided(call, judge(answer));
      if (worth !== 'good' && worth !== 'other arguments') return deny(call, 'failed', WORTHLESS[worth]);
    } else if (answer !== undefined) {
      return deny(call, 'failed', 'the answer came without the request state that was sent with the question');
    }
    log.info({ ...call.fields, tag: call.tag }, 'asking for an approval');
    const result: InputRequiredResult = {
      resultType: 'input_required',
      inputRequests: { [QUESTION]: { method: 'elicitation/create', params: questionFor(call) } },
      requestState: seals.seal(sealed),
    } as unknown as InputRequiredResult;
    return { runs: false, result };
  }
}

const WORTHLESS = {
  expired: 'the answer came too late',
  used: 'the answer was given before, and holds once',
  invalid: 'the request state is not one that was sent with a question about this tool',
} as const;

function decided(call: GatedRequest, verdict: Verdict): Decision {
  return verdict === 'approved' ? RUNS : deny(call, verdict);
}

function deny({ displayLine, tag }: GatedRequest, denial: Denial, reason?: string): Decision {
  return { runs: false, result: denied(denial, displayLine, tag, reason), code: denialCode(denial) };
}

/** Why there is no answer. What a client says of it is a stranger's text. */
function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return `nobody answered within ${formatDuration(timeoutMs)}`;
  }
  return sanitize(error instanceof Error ? error.message : String(error), 200);
}
