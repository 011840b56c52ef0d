/**
 * Texts that no command could receive as they were sent. JSON can write half of a character, which has no bytes in
 * UTF-8: the command would get another text in its place, and nobody would be told.
 */

/** Why the value cannot be passed, to follow the name of its property; `undefined` when it can. */
export function illFormed(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : `holds ${HALF}`;
  if (typeof value !== 'object' || value === null) return undefined;
  const texts = Array.isArray(value) ? value : Object.entries(value).flat();
  return texts.some((text) => typeof text === 'string' && !text.isWellFormed())
    ? `holds a text with ${HALF}`
    : undefined;
}

const HALF = 'half of a character (a lone surrogate), which cannot be passed on';
