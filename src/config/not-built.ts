import { complain, type Subject } from './check.ts';
import { PROBLEM_RANK } from './problems.ts';

/** Something a file asks for that a command understands and cannot honour yet. */
interface Asked {
  readonly key: string;
  readonly on: boolean;
  readonly remedy: string;
}

/** The commands that refuse what they cannot honour. */
type ServingMode = 'serve' | 'mcp';

/** Refuses what the command cannot honour yet. Starting without it would be wrong in silence. */
export function refuseNotBuilt(mode: ServingMode, subject: Subject, telemetryVetoed: boolean): void {
  for (const { key, on, remedy } of [...asked(mode, subject), telemetry(subject, telemetryVetoed)]) {
    if (!on) continue;
    complain(subject, {
      rank: PROBLEM_RANK.notBuilt,
      key,
      rule: `is not available in this version of fisk ${mode}`,
      remedy,
    });
  }
}

function asked(mode: ServingMode, { lookup }: Subject): Asked[] {
  if (mode === 'mcp') {
    const key = 'expose.agent.mcp.builtins';
    return [{ key, on: lookup.texts(key).length > 0, remedy: 'Remove the list.' }];
  }
  return ['expose.agent.jobs', 'expose.agent.a2a.prompts'].map((key) => ({
    key,
    on: lookup.has(key),
    remedy: 'Remove the block.',
  }));
}

function telemetry({ lookup }: Subject, vetoed: boolean): Asked {
  const key = 'telemetry.enabled';
  return { key, on: lookup.isTrue(key) && !vetoed, remedy: 'Remove it, or pass --no-telemetry.' };
}
