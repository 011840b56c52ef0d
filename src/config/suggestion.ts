import { didYouMean } from './problems.ts';
import { keyText, type SchemaNode, schemaKeys } from './schema.ts';

/** The candidate that a misspelt word most likely meant, if one is close. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Says what to do about a key that a block does not know. */
export function unknownKeyRemedy(key: string, block: SchemaNode): string {
  if (key === '<<') {
    return 'Merge keys are not supported: write the keys out here.';
  }
  const known = Object.keys(block.properties ?? {});
  const near = nearest(key, known);
  if (near !== undefined) {
    return didYouMean(near);
  }
  const elsewhere = [...schemaKeys()].filter(({ path }) => path.at(-1) === key);
  const [only] = elsewhere;
  if (only !== undefined && elsewhere.length === 1) {
    return `That key belongs at ${keyText(only.path)}.`;
  }
  return `Remove it. Known here: ${known.join(', ')}.`;
}

/** Insertions, deletions, replacements and swaps of neighbours; gives up at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) {
    return limit;
  }
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? limit;
}
