import { ArgumentsInvalidError } from '../../errors.ts';
import { parseNumberText } from '../../protocol/index.ts';
import type { ToolInput } from '../../tools/index.ts';

/**
 * The arguments of a call, which were parsed before we saw them. What is left of a number is its value, so one whose
 * digits may be lost is refused and never passed on rounded.
 * @throws {ArgumentsInvalidError} naming the arguments that hold such numbers.
 */
export function inputOf(tool: string, value: Readonly<Record<string, unknown>> = {}): ToolInput {
  const lost = Object.keys(value).filter((name) => holdsLostNumber(value[name]));
  if (lost.length > 0) {
    const names = lost.map((name) => JSON.stringify(name)).join(', ');
    throw new ArgumentsInvalidError(
      `${tool}: the arguments do not fit, nothing was run: ${names} ${lost.length === 1 ? 'holds' : 'hold'} a number ` +
        'beyond 9007199254740991 in size, whose digits are lost on the way here; send it as a text of digits instead.',
    );
  }
  return { value, source: () => parseNumberText(JSON.stringify(value)) };
}

/** Levels that are looked at. What is deeper is refused for its depth, whatever it holds. */
const LEVELS = 64;

function holdsLostNumber(value: unknown, levels = LEVELS): boolean {
  if (typeof value === 'number')
    return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
  if (typeof value !== 'object' || value === null || levels === 0) return false;
  return Object.values(value).some((member) => holdsLostNumber(member, levels - 1));
}
