/** Holds one value to the rule of its property. */
import type { Rule, ValueType } from './rules.ts';
import { isInteger, isNumber, isScalar, kindOf, quote, type Scalar, textOf } from './text.ts';

/** What the value must be and is not, to follow the name of the property; undefined when it fits. */
export function judge(rule: Rule, value: unknown): string | undefined {
  if (Array.isArray(value)) return judgeList(rule, value);
  if (isScalar(value)) return judgeSingle(rule, value);
  return judgeEntries(rule, value);
}

function judgeList(rule: Rule, values: readonly unknown[]): string | undefined {
  if (!takes(rule, 'array')) return `takes ${wanted(rule)}, a list was given`;
  for (const [index, value] of values.entries()) {
    if (!isScalar(value)) return `element ${index + 1} must be one value, ${kindOf(value)} was given`;
    const problem = rule.items && judgeScalar(rule.items, value);
    if (problem) return `element ${index + 1} ${problem}`;
  }
  return undefined;
}

/** A scalar stands for a list of one where a list is asked for. */
function judgeSingle(rule: Rule, value: Scalar): string | undefined {
  if (rule.types === undefined || SCALAR_TYPES.some((type) => takes(rule, type))) return judgeScalar(rule, value);
  if (takes(rule, 'array')) return rule.items && judgeScalar(rule.items, value);
  return `takes ${wanted(rule)}, ${kindOf(value)} was given`;
}

function judgeEntries(rule: Rule, value: unknown): string | undefined {
  if (!takes(rule, 'object')) return `takes ${wanted(rule)}, ${kindOf(value)} was given`;
  for (const [key, entry] of Object.entries(value as object)) {
    if (!isScalar(entry)) return `entry ${quote(key)} must be one value, ${kindOf(entry)} was given`;
    const problem = rule.entries && judgeScalar(rule.entries, entry);
    if (problem) return `entry ${quote(key)} ${problem}`;
  }
  return undefined;
}

const SCALAR_TYPES = ['string', 'integer', 'number', 'boolean'] as const;

function judgeScalar(rule: Rule, value: Scalar): string | undefined {
  const text = textOf(value);
  const numeric = isNumber(text);
  if (rule.types && !SCALAR_TYPES.some((type) => takes(rule, type) && isOf(type, value, text))) {
    return `must be ${wanted(rule)}, ${given(value)}`;
  }
  if (rule.allowed && !rule.allowed.some((allowed) => allowed === text || (numeric && sameNumber(allowed, text)))) {
    return `must be one of ${rule.allowed.map(quote).join(', ')}; ${quote(text)} is not`;
  }
  if (rule.pattern && takes(rule, 'string') && !rule.pattern.test(text)) {
    return `must match ${rule.pattern.source}; ${quote(text)} does not`;
  }
  return numeric && (takes(rule, 'number') || takes(rule, 'integer')) ? judgeBounds(rule, text) : undefined;
}

function judgeBounds({ minimum, maximum }: Rule, text: string): string | undefined {
  const number = Number(text);
  if (minimum !== undefined && number < minimum) return `must be at least ${minimum}; ${quoteNumber(text)} is less`;
  if (maximum !== undefined && number > maximum) return `must be at most ${maximum}; ${quoteNumber(text)} is more`;
  return undefined;
}

function takes(rule: Rule, type: ValueType): boolean {
  return rule.types === undefined || rule.types.has(type);
}

function isOf(type: (typeof SCALAR_TYPES)[number], value: Scalar, text: string): boolean {
  switch (type) {
    case 'string':
      return true;
    case 'boolean':
      return typeof value === 'boolean';
    case 'number':
      return isNumber(text);
    case 'integer':
      return isInteger(text);
  }
}

function sameNumber(allowed: string, text: string): boolean {
  return (
    isNumber(allowed) && Number.isSafeInteger(Number(allowed)) && isInteger(text) && Number(allowed) === Number(text)
  );
}

const WORDS: Readonly<Record<ValueType, string>> = {
  string: 'one text',
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
  array: 'a list',
  object: 'an object of names and texts',
};

function wanted(rule: Rule): string {
  return [...(rule.types ?? [])].map((type) => WORDS[type]).join(' or ') || 'nothing';
}

function given(value: Scalar): string {
  return typeof value === 'string' ? `the string ${quote(value)} was given` : `${quoteNumber(textOf(value))} was given`;
}

/** Digits need no quotes, but a caller may send a million of them. */
const quoteNumber = (text: string): string => quote(text).replaceAll('"', '');
