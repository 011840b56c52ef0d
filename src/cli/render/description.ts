import { oneLine } from './text.ts';

const TAGS = '\n\nTags: ';

/** A tool's description taken apart: its text, and the tags that a card has no other place for. */
export function splitDescription(description = ''): { readonly text: string; readonly tags: string } {
  const at = description.lastIndexOf(TAGS);
  if (at < 0) return { text: description, tags: '' };
  return { text: description.slice(0, at), tags: oneLine(description.slice(at + TAGS.length)) };
}

/** The first paragraph of the text, on one line: what fits a table. */
export function summary(description = ''): string {
  return oneLine(
    splitDescription(description)
      .text.trim()
      .split(/\r?\n[^\S\n]*\r?\n/, 1)[0] ?? '',
  );
}
