import { MESSAGE, type MessageId } from './ids.ts';

type Schema = Readonly<Record<string, unknown>>;

const TOKEN: Schema = { type: 'string', pattern: '^[a-zA-Z0-9_-]+$' };
const STRING: Schema = { type: 'string' };
const BOOLEAN: Schema = { type: 'boolean' };
const OBJECT: Schema = { type: 'object' };
const COUNT: Schema = { type: 'integer', minimum: 0 };

const PARTY: Schema = {
  type: 'object',
  required: ['name'],
  properties: { name: TOKEN, instance: TOKEN },
};

const HEADER: Readonly<Record<string, Schema>> = {
  protocol: STRING,
  id: TOKEN,
  request: { ...TOKEN, maxLength: 64 },
  conversation: TOKEN,
  parent: STRING,
  sequence: { type: 'integer', minimum: 0, maximum: 2 ** 64 },
  time: { type: 'string', format: 'wire-time' },
  sender: PARTY,
  recipient: PARTY,
  must_understand: BOOLEAN,
  traceparent: STRING,
};

const HEADER_REQUIRED = ['protocol', 'id', 'request', 'conversation', 'sequence', 'time', 'sender'];

const EXEC: Schema = {
  type: 'object',
  required: ['command'],
  properties: { command: STRING, exit_code: { type: 'integer' }, truncated: BOOLEAN },
};

const TOOL_DESCRIPTOR: Schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: STRING,
    description: STRING,
    input_schema: OBJECT,
    behavior: {
      type: 'object',
      properties: { read_only: BOOLEAN, destructive: BOOLEAN, idempotent: BOOLEAN, open_world: BOOLEAN },
    },
  },
};

const USAGE: Schema = {
  type: 'object',
  properties: Object.fromEntries(
    [
      'input_tokens',
      'output_tokens',
      'cache_read_tokens',
      'cache_create_tokens',
      'thinking_tokens',
      'llm_calls',
      'tool_calls',
    ].map((name) => [name, COUNT]),
  ),
};

/** Unknown properties are always let by: only what is named is judged. */
function message(required: readonly string[], properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', required: [...HEADER_REQUIRED, ...required], properties: { ...HEADER, ...properties } };
}

const SCHEMAS: ReadonlyMap<MessageId, Schema> = new Map<MessageId, Schema>([
  [MESSAGE.discoveryRequest, message([], {})],
  [
    MESSAGE.discoveryReply,
    message(['name', 'version'], {
      name: STRING,
      version: STRING,
      description: STRING,
      model: { type: 'string', maxLength: 128 },
      protocols: { type: 'array', items: STRING },
      tools: { type: 'array', items: TOOL_DESCRIPTOR },
      telemetry: BOOLEAN,
      telemetry_content: BOOLEAN,
    }),
  ],
  [MESSAGE.toolRequest, message(['name'], { name: STRING, input: OBJECT })],
  [MESSAGE.toolReply, message([], { is_error: BOOLEAN, code: STRING, output: STRING, exec: EXEC })],
  [
    MESSAGE.ack,
    message(['accepted'], {
      accepted: BOOLEAN,
      reason: STRING,
      conversation_token: { ...TOKEN, maxLength: 128 },
      max_tokens: COUNT,
    }),
  ],
  [
    MESSAGE.eventStatus,
    message(['block'], {
      block: {
        type: 'object',
        properties: { iteration: COUNT, phase: STRING, usage: USAGE, count: COUNT, truncated: BOOLEAN },
      },
    }),
  ],
]);

const FRAMING = message(['block'], { block: OBJECT });

/** The schema of a message; that of an event's framing for an event without a shape of its own. */
export function schemaOf(id: MessageId): Schema {
  return SCHEMAS.get(id) ?? FRAMING;
}

/** Whether the id has a schema of its own. */
export function hasSchema(id: string): id is MessageId {
  return SCHEMAS.has(id as MessageId);
}
