import type { Tally } from '../tally.ts';

/** An answer about health as HTTP status and JSON. */
export interface Health {
  readonly status: 200 | 503;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Whether the process works: whoever gets an answer at all has it. */
export function liveness(tally: Tally): Health {
  return { status: 200, body: { live: true, state: tally.currentState } };
}

/** Whether work should come here, and why not. */
export function readiness(tally: Tally): Health {
  const reasons = tally.notReady();
  const ready = reasons.length === 0;
  return { status: ready ? 200 : 503, body: { ready, state: tally.currentState, reasons } };
}
