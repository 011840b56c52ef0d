/** Namespace and version of the protocol: every message id is this, a dot and a suffix. */
export const NAMESPACE = 'io.choria.fisk-ai.v1';

/** The ids of the messages that have a schema here. */
export const MESSAGE = {
  discoveryRequest: `${NAMESPACE}.discovery.request`,
  discoveryReply: `${NAMESPACE}.discovery.reply`,
  toolRequest: `${NAMESPACE}.tool.request`,
  toolReply: `${NAMESPACE}.tool.reply`,
  ack: `${NAMESPACE}.ack`,
  eventStatus: `${NAMESPACE}.event.status`,
} as const;

/** The id of an event of any kind. The kind is one token without a dot. */
export type EventId = `${typeof NAMESPACE}.event.${string}`;

/** The id of a message: one id names exactly one shape. */
export type MessageId = (typeof MESSAGE)[keyof typeof MESSAGE] | EventId;

/** Stands for every event, known or not, where a list says which messages are accepted. */
export const ANY_EVENT = `${NAMESPACE}.event.*` as const satisfies EventId;

const EVENT_PREFIX = `${NAMESPACE}.event.`;

const KNOWN_EVENTS: ReadonlySet<string> = new Set([
  'thinking',
  'text',
  'tool_call',
  'tool_result',
  'agent_call',
  'status',
  'warning',
  'prompt',
]);

/** The kind an event id ends in, or undefined when the id is none of an event. */
export function eventKind(protocol: string): string | undefined {
  if (!protocol.startsWith(EVENT_PREFIX)) return undefined;
  const kind = protocol.slice(EVENT_PREFIX.length);
  return kind === '' || kind.includes('.') ? undefined : kind;
}

/** Whether this version of the protocol names the kind. Others are carried on by their framing alone. */
export function isKnownEvent(kind: string): boolean {
  return KNOWN_EVENTS.has(kind);
}
