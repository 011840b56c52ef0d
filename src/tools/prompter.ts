/** Asking a person in the middle of a call. */

/** A person's word on one command. `always` holds for this tool, with any arguments, until the conversation ends. */
export type Approval = 'no' | 'once' | 'always';

export interface GateRequest {
  readonly callId: string;
  readonly command: string;
  /** The whole call on one line, safe for a terminal. */
  readonly display: string;
  /** The tag that asks for the approval. */
  readonly tag: string;
}

/** An answer, and with it the reason when it is not a person's but follows from nobody being there. */
export interface PromptAnswer<Value> {
  readonly value: Value;
  readonly error?: Error;
}

/** Implementations never throw for a person who says no; they answer. */
export interface Prompter {
  readonly canPrompt: boolean;
  approveCommand(request: GateRequest): Promise<PromptAnswer<Approval>>;
  confirm(question: string): Promise<PromptAnswer<boolean>>;
  /** The index of the chosen option, -1 for none. */
  select(question: string, options: readonly string[]): Promise<PromptAnswer<number>>;
  input(question: string, suggestion?: string): Promise<PromptAnswer<string | null>>;
}

/** The prompter of a surface with no person behind it: denies everything and says why. */
export const denyingPrompter: Prompter = Object.freeze({
  canPrompt: false,
  approveCommand: () => denied<Approval>('no'),
  confirm: () => denied(false),
  select: () => denied(-1),
  input: () => denied<string | null>(null),
});

async function denied<Value>(value: Value): Promise<PromptAnswer<Value>> {
  return { value, error: new Error('no person can be asked here') };
}
