/** What a client's answer to a question amounts to. Only the first lets a command run. */
export type Verdict = 'approved' | 'refused' | 'declined' | 'dismissed' | 'unclear';

/**
 * Judges an answer as it came. Nothing but the action `accept` with the value `true` itself approves: no text, no
 * number, no other spelling, and nothing that an object inherits.
 */
export function judge(answer: unknown): Verdict {
  switch (own(answer, 'action')) {
    case 'accept': {
      const approve = own(own(answer, 'content'), 'approve');
      if (approve === true) return 'approved';
      return approve === false ? 'refused' : 'unclear';
    }
    case 'decline':
      return 'declined';
    case 'cancel':
      return 'dismissed';
    default:
      return 'unclear';
  }
}

/** Whether a client with this elicitation capability shows forms: one that names no mode does. */
export function showsForms(elicitation: unknown): boolean {
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  return own(elicitation, 'form') !== undefined || own(elicitation, 'url') === undefined;
}

function own(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
