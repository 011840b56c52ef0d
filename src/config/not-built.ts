import { complain, type Subject } from './check.ts';
import { PROBLEM_RANK } from './problems.ts';

/** Blocks that fisk serve understands and cannot honour yet. Starting without them would be wrong in silence. */
export function refuseNotBuilt(subject: Subject, telemetryVetoed: boolean): void {
  const { lookup } = subject;
  const asked: [string, boolean][] = [
    ['expose.agent.jobs', lookup.has('expose.agent.jobs')],
    ['expose.agent.a2a.prompts', lookup.has('expose.agent.a2a.prompts')],
    ['telemetry.enabled', lookup.isTrue('telemetry.enabled') && !telemetryVetoed],
  ];
  for (const [key] of asked.filter(([, on]) => on)) {
    complain(subject, {
      rank: PROBLEM_RANK.notBuilt,
      key,
      rule: 'is not available in this version of fisk serve',
      remedy: key === 'telemetry.enabled' ? 'Remove it, or pass --no-telemetry.' : 'Remove the block.',
    });
  }
}
