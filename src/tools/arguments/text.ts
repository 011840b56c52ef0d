/** The text a command receives for a value. Everything about a value is judged by it. */
import { NumberText } from '../../protocol/index.ts';
import { sanitize } from '../display.ts';

export type Scalar = string | boolean | NumberText;

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || value instanceof NumberText;
}

export function textOf(value: Scalar): string {
  return value instanceof NumberText ? value.text : String(value);
}

const NUMBER = /^-?(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** Exactly what JSON calls a number: no spaces, no sign in front, no other base. */
export const isNumber = (text: string): boolean => NUMBER.test(text);

/** Whether a number has no fraction, told from its digits: `1.0` and `1e3` have none, and no digit is too many. */
export function isInteger(text: string): boolean {
  const parts = NUMBER.exec(text);
  if (parts === null) return false;
  const [, whole = '', fraction = '', exponent = '0'] = parts;
  const digits = `${whole}${fraction}`;
  // By hand: an expression for the zeros at the end tries again at every zero, which a caller can make cost minutes.
  let significant = digits.length;
  while (significant > 0 && digits[significant - 1] === '0') significant--;
  return significant === 0 || fraction.length - (digits.length - significant) <= Number(exponent);
}

/** What kind of value it is, for a person. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof NumberText) return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const QUOTED_CHARACTERS = 60;

/** A caller's text fit to stand in a message: quoted, on one line, and not long. */
export function quote(text: string): string {
  return sanitize(
    JSON.stringify(text.length > 4 * QUOTED_CHARACTERS ? text.slice(0, 4 * QUOTED_CHARACTERS) : text),
    QUOTED_CHARACTERS,
  );
}
