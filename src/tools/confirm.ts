/** Which tag asks for a person's approval. */
import { CONFIRM_TAG } from './behavior.ts';

/**
 * The tag that gates a tool, undefined when none does: the reserved one if carried, whatever was configured, else the
 * earliest of the tool's own tags that the operator listed.
 */
export function confirmTrigger(tags: readonly string[], confirmTags: readonly string[]): string | undefined {
  if (tags.includes(CONFIRM_TAG)) return CONFIRM_TAG;
  return tags.find((tag) => confirmTags.includes(tag));
}
