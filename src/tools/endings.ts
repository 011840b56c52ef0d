/** Two ways for a call to end without a result that are not failures. They are thrown, since a result is what is missing. */

/** The answer is supplied later. Only a loop that keeps a journal can wait for it; a served surface refuses. */
export class DeferredEnding extends Error {
  override readonly name = 'DeferredEnding';
  /** For the operator, at most 500 code points; never shown on a served surface. */
  readonly note: string;
  /** What the answer is matched by, at most 200 code points. */
  readonly handle: string;

  constructor(note: string, handle: string) {
    super('the answer to this call is supplied later');
    this.note = note;
    this.handle = handle;
  }
}

/** A question reached a person who did not answer. The run ends and asks again when resumed; it is not a no. */
export class PromptAbortedEnding extends Error {
  override readonly name = 'PromptAbortedEnding';
}
