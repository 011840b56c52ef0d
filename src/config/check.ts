import type { Lookup } from './lookup.ts';
import { type Finding, type ProblemList, valueRank } from './problems.ts';
import type { Reading } from './reading.ts';
import { keyText } from './schema.ts';
import { type Refusal, refusals } from './schema-check.ts';
import type { Override } from './settings.ts';
import { wordsFor } from './wording.ts';

/** What every check works on. */
export interface Subject {
  readonly lookup: Lookup;
  readonly reading: Reading;
  readonly problems: ProblemList;
  /** Whether the file or a flag chose the identity. */
  readonly named: boolean;
}

/** Adds a problem at a key of the file, or at the closest block around it. */
export function complain(
  { reading, problems }: Subject,
  finding: Pick<Finding, 'rank' | 'key' | 'rule' | 'remedy'>,
  at: 'key' | 'value' = 'key',
): void {
  problems.add({ ...finding, offset: reading.place(finding.key)?.[at] });
}

/** Reports what the schema refuses in the file. */
export function checkFile(subject: Subject): void {
  for (const refusal of refusals(subject.reading.data)) {
    if (isIdle(refusal, subject.lookup)) {
      continue;
    }
    const key = keyText(refusal.path);
    const atKey = refusal.kind === 'unknown' || refusal.kind === 'missing';
    complain(subject, { ...wordsFor(refusal, key), key, rank: rankOf(refusal, key) }, atKey ? 'key' : 'value');
  }
}

/** Reports what the schema refuses in flags and variables. */
export function checkOverrides(
  list: readonly Override[],
  values: ReadonlyMap<Override, unknown>,
  problems: ProblemList,
) {
  for (const override of list) {
    const nested = override.path.reduceRight<unknown>((value, name) => ({ [name]: value }), values.get(override));
    const key = keyText(override.path);
    for (const refusal of refusals(nested)) {
      problems.add({ ...wordsFor(refusal, key), key, rank: rankOf(refusal, key), origin: override.origin });
    }
  }
}

function rankOf(refusal: Refusal, key: string): number {
  return refusal.kind === 'unknown' || refusal.kind === 'type' ? 0 : valueRank(key);
}

/** Whether a value is one of a feature that is off, where a wrong one does no harm. */
function isIdle({ kind, node }: Refusal, lookup: Lookup): boolean {
  const condition = node['x-checked-when'];
  if (kind !== 'value' || condition === undefined) {
    return false;
  }
  const exporting = lookup.isTrue('telemetry.enabled');
  return !(exporting && (condition === 'telemetry' || lookup.isTrue('telemetry.capture.enabled')));
}
