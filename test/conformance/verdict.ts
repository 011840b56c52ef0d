/** What a run of the conformance suite found, held against the committed list of what it is expected to find. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Why a scenario fails as a whole, or why each of some of its checks does. */
export type Expected = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** The checks of each scenario. */
export type Found = ReadonlyMap<string, readonly Check[]>;

/** Reads what the suite left in its folder: one folder a scenario, with its name and the time. */
export function readFound(dir: string): Found {
  return new Map(
    readdirSync(dir).map((name) => {
      const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\dTZ-]+$/.exec(name)?.[1];
      if (scenario === undefined) throw new Error(`the suite left ${name}, which is no scenario`);
      return [scenario, JSON.parse(readFileSync(join(dir, name, 'checks.json'), 'utf8')) as Check[]];
    }),
  );
}

export const failedChecks = (checks: readonly Check[]): readonly Check[] =>
  checks.filter(({ status }) => status === 'FAILURE');

/** Every way in which the two differ, a line each: what fails and is not listed, and what is listed and does not fail. */
export function differences(found: Found, expected: Expected): string[] {
  const lines: string[] = [];
  for (const [scenario, checks] of found) {
    const reasons = expected[scenario];
    if (typeof reasons === 'string') continue;
    for (const { id, errorMessage } of failedChecks(checks)) {
      if (reasons?.[id] === undefined) lines.push(`${scenario}: ${id} fails and is not listed: ${errorMessage}`);
    }
  }
  for (const [scenario, reasons] of Object.entries(expected)) {
    const failed = new Set(failedChecks(found.get(scenario) ?? []).map(({ id }) => id));
    if (failed.size === 0) lines.push(`${scenario} is listed and does not fail`);
    else if (typeof reasons !== 'string') {
      for (const id of Object.keys(reasons)) {
        if (!failed.has(id)) lines.push(`${scenario}: ${id} is listed and does not fail`);
      }
    }
  }
  return lines;
}
