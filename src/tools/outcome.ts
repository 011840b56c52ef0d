/** The form in which a result reaches a model or a client that knows no exec record of its own. */
import type { Outcome } from './contract.ts';

/** A command's result as one object. The keys and their order are part of the contract with models. */
export interface CommandEnvelope {
  readonly command: string;
  readonly exit_code: number;
  readonly output: string;
  /** Only there when true. */
  readonly truncated?: true;
}

/** The envelope of a call that ran a command, undefined for any other. */
export function commandResult(outcome: Outcome): CommandEnvelope | undefined {
  if (outcome.exec === undefined) return undefined;
  const { command, exitCode, truncated } = outcome.exec;
  return { command, exit_code: exitCode, output: outcome.output, ...(truncated ? { truncated } : {}) };
}

/** The result as text: the envelope as JSON when a command ran, else the tool's own text unchanged. */
export function resultText(outcome: Outcome): string {
  const envelope = commandResult(outcome);
  return envelope === undefined ? outcome.output : JSON.stringify(envelope);
}
