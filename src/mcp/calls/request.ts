import type { Question } from '../approval/question.ts';
import type { McpClient } from '../contract.ts';

/** One call as it came, in the terms of no revision. */
export interface CallRequest {
  readonly id: string | number;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>> | undefined;
  readonly client: McpClient;
  /** What the client calls itself. A claim. */
  readonly clientName: string | undefined;
  /** What the client said that it can do; undefined before it has said anything. */
  readonly capabilities: { readonly elicitation?: unknown } | undefined;
  /** How a person is asked. */
  readonly asking: Asking;
  /** Fires when the client gives the call up or is gone. */
  readonly signal: AbortSignal;
  /** Tells the client that the call goes on; absent when it did not ask for that. Never throws. */
  readonly progress: ((count: number, message: string) => void) | undefined;
}

/** How a question reaches a person: as a request of ours while the call waits, or as a result that the call is repeated for. */
export type Asking =
  | {
      readonly by: 'request';
      /** Resolves to the answer as it came, unjudged. Rejects when there is none. */
      ask(question: Question, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<unknown>;
    }
  | {
      readonly by: 'result';
      /** What came back with the call: answers by the name of their question, and the mark that was sent with them. */
      readonly answers: Readonly<Record<string, unknown>> | undefined;
      readonly seal: string | undefined;
    };
