/** Nanoseconds of each unit. Mind the pair `m` (minutes) and `M` (months of 30 days). */
const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

/** Hours of the calendar-like units, whose values are cut to whole hours. */
const HOURS: ReadonlyMap<string, number> = new Map([
  ['d', 24],
  ['D', 24],
  ['w', 7 * 24],
  ['W', 7 * 24],
  ['M', 30 * 24],
  ['y', 365 * 24],
  ['Y', 365 * 24],
]);

const GROUP = /(\d+(?:\.\d*)?|\.\d+)([a-zA-Z\u00b5\u03bc]+)/y;

/** The longest duration that can be written, about 292 years: what 63 bits of nanoseconds hold. */
const LONGEST_NS = 2n ** 63n - 1n;

/** A duration that cannot be read. The message completes "the value …". */
export class DurationTextError extends Error {}

/**
 * Reads a duration such as `30s`, `1m30s` or `2d`. Groups must follow each other without a gap, and every number needs
 * a unit, but for the text `0`.
 * @returns milliseconds, with a fraction when the text is finer than one.
 * @throws {DurationTextError}
 */
export function parseDuration(text: string): number {
  const trimmed = text.trim();
  if (trimmed === '0') {
    return 0;
  }
  const negative = trimmed.startsWith('-');
  const end = trimmed.length;
  let at = negative ? 1 : 0;
  if (at === end) {
    throw new DurationTextError('is empty');
  }
  let total = 0n;
  while (at < end) {
    GROUP.lastIndex = at;
    const match = GROUP.exec(trimmed);
    if (match === null) {
      const rest = trimmed.slice(at);
      throw new DurationTextError(
        /^[\d.]+$/.test(rest) ? `has a number without a unit (${rest})` : `has text that is no duration (${rest})`,
      );
    }
    const [group, number = '', unit = ''] = match;
    total += nanoseconds(number, unit);
    if (total > LONGEST_NS) {
      throw new DurationTextError('is longer than 292 years');
    }
    at += group.length;
  }
  const ms = Number(total) / 1e6;
  return negative && ms !== 0 ? -ms : ms;
}

function nanoseconds(number: string, unit: string): bigint {
  const hours = HOURS.get(unit);
  if (hours !== undefined) {
    const whole = Math.trunc(Number(number) * hours);
    if (!Number.isFinite(whole)) {
      throw new DurationTextError('is longer than 292 years');
    }
    return BigInt(whole) * 3_600_000_000_000n;
  }
  const scale = UNITS.get(unit);
  if (scale === undefined) {
    throw new DurationTextError(`has an unknown unit (${unit})`);
  }
  const [whole = '', fraction = ''] = number.split('.');
  // Digits finer than a nanosecond of the largest unit cannot change the result.
  const digits = fraction.slice(0, 15);
  return (
    BigInt(whole === '' ? 0 : whole) * scale +
    (BigInt(digits === '' ? 0 : digits) * scale) / 10n ** BigInt(digits.length)
  );
}

/** Writes milliseconds as Go does: `30s`, `1m0s`, `26h0m0s`, `1.5s`, `500ms`, `0s`. */
export function formatDuration(ms: number): string {
  const sign = ms < 0 ? '-' : '';
  const ns = BigInt(Math.round(Math.abs(ms) * 1e6));
  if (ns === 0n) {
    return '0s';
  }
  if (ns < 1_000n) {
    return `${sign}${ns}ns`;
  }
  if (ns < 1_000_000n) {
    return `${sign}${decimal(ns, 1_000n)}\u00b5s`;
  }
  if (ns < 1_000_000_000n) {
    return `${sign}${decimal(ns, 1_000_000n)}ms`;
  }
  const minutes = ns / 60_000_000_000n;
  const seconds = `${decimal(ns % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) {
    return sign + seconds;
  }
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, unit: bigint): string {
  const digits = String(unit).length - 1;
  const fraction = String(value % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`;
}
