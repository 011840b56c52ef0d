/** Arguments from the text they arrived as. */
import { ArgumentsInvalidError } from '../errors.ts';
import { parseNumberText } from '../protocol/index.ts';
import type { ToolInput } from './contract.ts';

/**
 * Reads the arguments of a call. Absent, empty and `null` mean none. Throws ArgumentsInvalidError for text that is no
 * JSON and for anything but an object.
 */
export function inputFromText(text: string | undefined): ToolInput {
  const written = text?.trim() ?? '';
  const value = written === '' ? {} : (parse(written) ?? {});
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new ArgumentsInvalidError(`the arguments must be a JSON object, not ${nameOf(value)}`);
  }
  return { value, source: () => (written === '' ? {} : (parseNumberText(written) ?? {})) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ArgumentsInvalidError('the arguments are not JSON');
  }
}

function nameOf(value: unknown): string {
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
