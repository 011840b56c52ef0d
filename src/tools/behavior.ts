/** What a tool declares about its effects, and how tags declare it. Declarations inform; they never gate a call. */
import type { Behavior as CardBehavior } from '../protocol/index.ts';

/** Four hints. An absent one says nothing, which is not the same as false. */
export interface Behavior {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

export interface TagReading {
  readonly behavior: Behavior;
  /** Pairs of tags that contradict each other. The more dangerous reading was taken. */
  readonly conflicts: readonly (readonly [string, string])[];
  /** Tags under the reserved prefix that mean nothing to us; perhaps private ones. */
  readonly unknown: readonly string[];
}

export const DENY_TAG = 'ai:deny';
export const NO_DEFER_TAG = 'ai:no_defer';
export const CONFIRM_TAG = 'ai:confirm';
const READ_ONLY_TAG = 'ai:read_only';
const DESTRUCTIVE_TAG = 'ai:destructive';
const ADDITIVE_TAG = 'ai:additive';
const IDEMPOTENT_TAG = 'ai:idempotent';
const RESERVED_PREFIX = 'ai:';

/** Every tag under the reserved prefix that has a meaning. */
export const RESERVED_TAGS: readonly string[] = [
  DENY_TAG,
  NO_DEFER_TAG,
  CONFIRM_TAG,
  READ_ONLY_TAG,
  DESTRUCTIVE_TAG,
  ADDITIVE_TAG,
  IDEMPOTENT_TAG,
];

/** Reads all tags before it decides, so that their order never matters. */
export function readTags(tags: readonly string[]): TagReading {
  const carried = new Set(tags);
  const readOnly = carried.has(READ_ONLY_TAG);
  const destructive = carried.has(DESTRUCTIVE_TAG);
  const additive = carried.has(ADDITIVE_TAG);

  const conflicts: [string, string][] = [];
  if (readOnly && destructive) conflicts.push([READ_ONLY_TAG, DESTRUCTIVE_TAG]);
  if (readOnly && additive && !destructive) conflicts.push([READ_ONLY_TAG, ADDITIVE_TAG]);
  if (destructive && additive) conflicts.push([DESTRUCTIVE_TAG, ADDITIVE_TAG]);

  const changes = destructive || additive;
  const behavior: Behavior = {
    ...(readOnly || changes ? { readOnly: !changes } : {}),
    ...(changes ? { destructive } : {}),
    ...(carried.has(IDEMPOTENT_TAG) ? { idempotent: true } : {}),
  };
  const unknown = [...carried].filter((tag) => tag.startsWith(RESERVED_PREFIX) && !RESERVED_TAGS.includes(tag));
  return { behavior, conflicts, unknown };
}

/** The form an agent card carries; undefined when nothing is declared. */
export function cardBehavior(behavior: Behavior): CardBehavior | undefined {
  const card: CardBehavior = {
    ...(behavior.readOnly === undefined ? {} : { read_only: behavior.readOnly }),
    ...(behavior.destructive === undefined ? {} : { destructive: behavior.destructive }),
    ...(behavior.idempotent === undefined ? {} : { idempotent: behavior.idempotent }),
    ...(behavior.openWorld === undefined ? {} : { open_world: behavior.openWorld }),
  };
  return Object.keys(card).length === 0 ? undefined : card;
}
