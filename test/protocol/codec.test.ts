import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MessageInvalidError, MessageTooLargeError } from '../../src/errors.ts';
import {
  ANY_EVENT,
  type Decoded,
  decode,
  encode,
  encodeToolRequest,
  type Header,
  MAX_BODY_BYTES,
  MESSAGE,
  type Message,
  type MessageId,
  NAMESPACE,
  NumberText,
  type ToolRequest,
} from '../../src/protocol/index.ts';
import { bytes, sample, toolRequest } from './samples.ts';

const TOOL = [MESSAGE.toolRequest];

function refused(body: unknown, accept: readonly MessageId[] = TOOL): MessageInvalidError {
  try {
    decode(bytes(body), accept);
  } catch (error) {
    assert.ok(error instanceof MessageInvalidError, String(error));
    return error;
  }
  return assert.fail('was accepted');
}

function accepted(body: unknown, accept: readonly MessageId[] = TOOL): Decoded {
  return decode(bytes(body), accept);
}

test('a tool request is read with its name, input and header', () => {
  const decoded = accepted(toolRequest({ input: { area: 'north' } }));
  const message = decoded.message as ToolRequest;
  assert.equal(decoded.id, MESSAGE.toolRequest);
  assert.equal(message.name, 'stock_list');
  assert.deepEqual(message.input, { area: 'north' });
  assert.equal(message.sender.name, 'caller');
});

test('the body limit is exact and looked at before anything is parsed', () => {
  const head = JSON.stringify(toolRequest());
  const full = head + ' '.repeat(MAX_BODY_BYTES - head.length);
  assert.equal(full.length, 786_432);
  assert.equal(accepted(full).id, MESSAGE.toolRequest);
  assert.equal(refused(`${full} `).reason, 'size');
  assert.equal(refused('{'.repeat(MAX_BODY_BYTES + 1)).reason, 'size');
});

test('what is not one JSON object and nothing more is refused', () => {
  for (const body of ['', ' ', 'x', '[]', '"text"', 'null', '1', '{', `${JSON.stringify(toolRequest())}x`]) {
    assert.equal(refused(body).reason, 'json', body);
  }
  assert.equal(refused(`${JSON.stringify(toolRequest())}{}`).reason, 'json');
  assert.equal(refused(`\uFEFF${JSON.stringify(toolRequest())}`).reason, 'json');
  assert.equal(accepted(` \n${JSON.stringify(toolRequest())}\t\n`).id, MESSAGE.toolRequest);
});

test('a body that is not UTF-8 is refused and not repaired', () => {
  const body = Buffer.concat([bytes('{"a":"'), Buffer.from([0xff]), bytes('"}')]);
  assert.throws(() => decode(body, TOOL), { reason: 'json' });
});

test('64 levels are read, 65 are refused, and a very deep body costs no stack', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const body = (levels: number) => `${JSON.stringify(toolRequest()).slice(0, -1)},"extra":${nested(levels)}}`;
  accepted(body(63));
  assert.equal(refused(body(64)).reason, 'depth');
  assert.equal(refused(body(300_000)).reason, 'depth');
});

test('brackets inside strings are no levels, whatever is escaped around them', () => {
  const text = `${'[{'.repeat(100)}\\"${'['.repeat(100)}`;
  const message = accepted(toolRequest({ input: { text, more: '\\', last: `"\\\\"${'{'.repeat(100)}` } })).message;
  assert.equal((message as ToolRequest).input?.['text'], text);
});

test('an unknown id, a family and a version of its own are refused', () => {
  const ids = ['', 'x', NAMESPACE, 'io.choria.fisk-ai.v2.tool.request', 'TOOL.REQUEST', 'constructor', '__proto__'];
  const families = ['request', 'event', 'elicit', 'elicit.request', 'elicit.reply', 'tool', 'event.', 'event.a.b'];
  for (const protocol of [...ids, ...families.map((family) => `${NAMESPACE}.${family}`)]) {
    assert.equal(refused(toolRequest({ protocol })).reason, 'protocol', protocol);
  }
  assert.equal(refused(toolRequest({ protocol: undefined })).reason, 'protocol');
  assert.equal(refused(toolRequest({ protocol: 7 })).reason, 'protocol');
});

test('a good message on the wrong subject is refused last, after its shape was judged', () => {
  assert.equal(refused(sample(MESSAGE.discoveryRequest)).reason, 'family');
  assert.equal(refused(sample(`${NAMESPACE}.event.status`, { block: {} })).reason, 'family');
  assert.equal(refused(sample(MESSAGE.discoveryRequest, { id: '' })).reason, 'schema');
});

test('each framing field is required and typed', () => {
  for (const field of ['id', 'request', 'conversation', 'sequence', 'time', 'sender']) {
    assert.equal(refused(toolRequest({ [field]: undefined })).reason, 'schema', `${field} missing`);
    assert.equal(refused(toolRequest({ [field]: null })).reason, 'schema', `${field} null`);
    assert.equal(refused(toolRequest({ [field]: [] })).reason, 'schema', `${field} array`);
  }
  for (const field of ['id', 'request', 'conversation']) {
    for (const text of ['', 'a b', 'a.b', 'ä', 'a\n', '*']) {
      assert.equal(refused(toolRequest({ [field]: text })).reason, 'schema', `${field} ${JSON.stringify(text)}`);
    }
  }
  assert.equal(refused(toolRequest({ request: 'r'.repeat(65) })).reason, 'schema');
  accepted(toolRequest({ request: 'r'.repeat(64), id: 'i'.repeat(300) }));
});

test('optional fields may be absent but not null, and empty tokens are refused', () => {
  accepted(toolRequest({ recipient: undefined }));
  for (const [field, value] of [
    ['recipient', null],
    ['recipient', {}],
    ['parent', null],
    ['traceparent', null],
    ['must_understand', null],
    ['must_understand', 'true'],
    ['input', null],
    ['input', []],
    ['input', 'text'],
    ['sender', { name: '' }],
    ['sender', { name: 'a', instance: '' }],
    ['sender', {}],
  ] as const) {
    assert.equal(refused(toolRequest({ [field]: value })).reason, 'schema', `${field} ${JSON.stringify(value)}`);
  }
  const ack = sample(MESSAGE.ack, { accepted: true, conversation_token: '' });
  assert.equal(refused(ack, [MESSAGE.ack]).reason, 'schema');
  accepted(toolRequest({ traceparent: 'not a trace', parent: '' }));
});

test('a sequence is a whole number that is not negative; 1.0 is one', () => {
  for (const sequence of [-1, 0.5, '0', true]) assert.equal(refused(toolRequest({ sequence })).reason, 'schema');
  const text = (literal: string) => JSON.stringify(toolRequest({ sequence: 12345 })).replace('12345', literal);
  accepted(text('0.0'));
  accepted(text('18446744073709551615'));
  assert.equal(refused(text('1e30')).reason, 'schema');
  assert.equal(refused(text('1e400')).reason, 'schema');
});

test('time is RFC 3339 and a moment that exists', () => {
  const good = ['2026-08-21T10:11:12Z', '2026-08-21T10:11:12.123456789Z', '2024-02-29T23:59:59+05:30'];
  for (const time of good) accepted(toolRequest({ time }));
  const bad = [
    '',
    'now',
    '2026-08-21',
    '2026-08-21 10:11:12Z',
    '2026-08-21t10:11:12Z',
    '2026-08-21T10:11:12z',
    '2026-08-21T10:11:12',
    '2026-08-21T10:11:12.Z',
    '2026-08-21T10:11:12.1234567890Z',
    '2026-08-21T24:00:00Z',
    '2026-08-21T10:60:00Z',
    '2026-08-21T10:11:60Z',
    '2026-02-29T10:11:12Z',
    '2026-13-01T10:11:12Z',
    '2026-04-31T10:11:12Z',
    '2026-00-10T10:11:12Z',
    '2026-08-21T10:11:12+24:00',
    '2026-08-21T10:11:12Z\n',
    'Fri, 21 Aug 2026 10:11:12 GMT',
  ];
  for (const time of bad) assert.equal(refused(toolRequest({ time })).reason, 'schema', time);
});

test('property names match with their case, unknown ones stay, the last of two equal ones counts', () => {
  assert.equal(refused(toolRequest({ name: undefined, Name: 'x' })).reason, 'schema');
  const message = accepted(toolRequest({ their_own: { a: 1 } })).message as unknown as Record<string, unknown>;
  assert.deepEqual(message['their_own'], { a: 1 });
  const twice = `${JSON.stringify(toolRequest()).slice(0, -1)},"name":"second"}`;
  assert.equal((accepted(twice).message as ToolRequest).name, 'second');
});

test('a key __proto__ is a property like any other, in the input and in its number text', () => {
  const body = `${JSON.stringify(toolRequest()).slice(0, -1)},"input":{"__proto__":{"a":1.50},"constructor":2}}`;
  const decoded = accepted(body);
  const { input } = decoded.message as ToolRequest;
  assert.deepEqual(Object.keys(input ?? {}), ['__proto__', 'constructor']);
  assert.equal(Object.getPrototypeOf(input), Object.prototype);
  const source = decoded.inputSource() as Record<string, unknown>;
  assert.deepEqual(Object.keys(source), ['__proto__', 'constructor']);
  const inner = Object.getOwnPropertyDescriptor(source, '__proto__')?.value as { a: NumberText };
  assert.equal(inner.a.text, '1.50');
});

test('a message that lives on inherited properties is not one', () => {
  assert.equal(refused(`{"__proto__":${JSON.stringify(toolRequest())}}`).reason, 'protocol');
});

test('numbers of the input keep the text they were sent as', () => {
  const input = '{"big":9007199254740993,"price":1.50,"far":1e3,"low":-0,"list":[1.0,2],"text":"1.50","huge":1e999}';
  const source = accepted(`${JSON.stringify(toolRequest()).slice(0, -1)},"input":${input}}`).inputSource();
  const text = (literal: string) => new NumberText(literal);
  assert.deepEqual(source, {
    big: text('9007199254740993'),
    price: text('1.50'),
    far: text('1e3'),
    low: text('-0'),
    list: [text('1.0'), text('2')],
    text: '1.50',
    huge: text('1e999'),
  });
  assert.equal(accepted(toolRequest()).inputSource(), undefined);
});

test('lengths are counted in characters, not in UTF-16 units', () => {
  const card = (model: string) => sample(MESSAGE.discoveryReply, { name: 'lab', version: '1', model });
  accepted(card('😀'.repeat(128)), [MESSAGE.discoveryReply]);
  assert.equal(refused(card('😀'.repeat(129)), [MESSAGE.discoveryReply]).reason, 'schema');
});

test('an event of an unknown kind passes with its framing checked, a known one with its block', () => {
  const event = (kind: string, over: Record<string, unknown> = {}) =>
    sample(`${NAMESPACE}.event.${kind}`, { block: { anything: [1] }, sequence: 2, ...over });
  assert.equal(accepted(event('zebra'), [ANY_EVENT]).id, `${NAMESPACE}.event.zebra`);
  accepted(event('constructor'), [ANY_EVENT]);
  for (const over of [{ block: undefined }, { block: null }, { block: [] }, { sender: {} }]) {
    assert.equal(refused(event('zebra', over), [ANY_EVENT]).reason, 'schema');
  }
  assert.equal(refused(event('status', { block: { phase: 1 } }), [ANY_EVENT]).reason, 'schema');
  accepted(event('status', { block: { phase: 'running-tool', usage: {}, count: 0 } }), [ANY_EVENT]);
});

test('what an answer names is held to its type, and what it may leave out may be absent', () => {
  const tool = { name: 't', description: '', input_schema: {}, behavior: { read_only: true, open_world: false } };
  type Shape = [id: MessageId, good: Record<string, unknown>, bad: Record<string, unknown>];
  const shapes: Shape[] = [
    [
      MESSAGE.toolReply,
      { is_error: true, code: 'new_one', output: '', exec: { command: '', exit_code: -1, truncated: true } },
      { is_error: 1, code: 7, output: {}, exec: [] },
    ],
    [MESSAGE.toolReply, { exec: { command: 'x' } }, { exec: {} }],
    [MESSAGE.toolReply, {}, { exec: { command: 'x', exit_code: 0.5 } }],
    [MESSAGE.toolReply, {}, { exec: { command: 'x', truncated: 'no' } }],
    [
      MESSAGE.ack,
      { accepted: false, reason: '', conversation_token: 't'.repeat(128), max_tokens: 0 },
      { accepted: 'no', reason: 1, conversation_token: 't'.repeat(129), max_tokens: -1 },
    ],
    [
      MESSAGE.discoveryReply,
      {
        name: '',
        version: '',
        description: '',
        protocols: [],
        tools: [tool],
        telemetry: true,
        telemetry_content: false,
      },
      {
        name: 1,
        version: 1,
        description: 1,
        model: 1,
        protocols: [1],
        tools: [{}],
        telemetry: 1,
        telemetry_content: 1,
      },
    ],
    ...['read_only', 'destructive', 'idempotent', 'open_world'].map(
      (key): Shape => [
        MESSAGE.discoveryReply,
        { name: 'a', version: 'b' },
        { tools: [{ ...tool, behavior: { [key]: 'yes' } }] },
      ],
    ),
    [MESSAGE.discoveryReply, { name: 'a', version: 'b' }, { tools: [{ ...tool, input_schema: true }] }],
    [MESSAGE.eventStatus, { block: {} }, { block: { iteration: -1 } }],
    [MESSAGE.eventStatus, { block: { usage: { llm_calls: 1 } } }, { block: { usage: { input_tokens: 'many' } } }],
    [MESSAGE.eventStatus, { block: { truncated: false } }, { block: { truncated: 0 } }],
  ];
  for (const [id, good, bad] of shapes) {
    accepted(sample(id, good), [id]);
    for (const [field, value] of Object.entries(bad)) {
      assert.equal(refused(sample(id, { ...good, [field]: value }), [id]).reason, 'schema', `${id} ${field}`);
      assert.equal(refused(sample(id, { ...good, [field]: null }), [id]).reason, 'schema', `${id} ${field} null`);
    }
  }
});

test('a description names the property and the rule and nothing of the rest of the body', () => {
  const error = refused(toolRequest({ conversation: 'a secret text' }));
  assert.match(error.description, /conversation must match pattern/);
  assert.doesNotMatch(error.description, /secret/);
  assert.equal(error.sender, 'caller');
  assert.equal(refused('{"sender":{"name":"a b"},"password":"hunter2').sender, undefined);
  assert.doesNotMatch(refused('{"password":"hunter2').description, /hunter2/);
});

test('encode refuses what its own schema does not allow, and what is too large', () => {
  const good = sample(MESSAGE.ack, { accepted: true }) as unknown as Message;
  assert.deepEqual(JSON.parse(Buffer.from(encode(good)).toString()), good);
  const bad = sample(MESSAGE.ack, { accepted: 'yes' }) as unknown as Message;
  assert.throws(() => encode(bad), { code: 'FISK_MESSAGE_INVALID', reason: 'schema' });
  const large = sample(MESSAGE.toolReply, { output: 'x'.repeat(2_000) }) as unknown as Message;
  assert.throws(() => encode(large, 1_000), MessageTooLargeError);
});

test('a tool request carries the input of its caller character for character', () => {
  const header = sample(MESSAGE.toolRequest) as unknown as Header<typeof MESSAGE.toolRequest>;
  const input = '{"n": 9007199254740993,\n "price":1.50}';
  const body = encodeToolRequest(header, 'stock_list', input);
  assert.ok(Buffer.from(body).toString().includes(`"input":${input}}`));
  const source = decode(body, TOOL).inputSource() as { n: NumberText };
  assert.equal(source.n.text, '9007199254740993');
  for (const nothing of [undefined, '', '  ', 'null']) {
    assert.equal((decode(encodeToolRequest(header, 'x', nothing), TOOL).message as ToolRequest).input, undefined);
  }
  for (const wrong of ['[1]', '"text"', '7', '{"a":1}}', '{', '{} {}', '{},"name":"other"']) {
    assert.throws(() => encodeToolRequest(header, 'x', wrong), { code: 'FISK_MESSAGE_INVALID' }, wrong);
  }
});

test('whatever bytes arrive, the decoder answers with a message or with MessageInvalidError', () => {
  const valid = bytes(toolRequest({ input: { a: [1, { b: 'x"\\' }], c: null } }));
  const mutated = fc
    .array(fc.record({ at: fc.nat(valid.length - 1), byte: fc.nat(255) }), { maxLength: 4 })
    .map((changes) => {
      const body = Uint8Array.from(valid);
      for (const { at, byte } of changes) body[at] = byte;
      return body;
    });
  const truncated = fc.nat(valid.length).map((length) => valid.subarray(0, length));
  const anyJson = fc.json({ maxDepth: 8 }).map(bytes);
  const anyBytes = fc.uint8Array({ maxLength: 200 });
  const nearMiss = fc
    .record({
      key: fc.constantFrom('protocol', 'id', 'request', 'sequence', 'time', 'sender', 'name', 'input', 'recipient'),
      value: fc.jsonValue(),
    })
    .map(({ key, value }) => bytes(toolRequest({ [key]: value })));
  fc.assert(
    fc.property(fc.oneof(mutated, truncated, anyJson, anyBytes, nearMiss), (body) => {
      try {
        const decoded = decode(body, TOOL);
        assert.equal(decoded.id, MESSAGE.toolRequest);
        assert.equal(typeof (decoded.message as ToolRequest).name, 'string');
        decoded.inputSource();
      } catch (error) {
        assert.ok(error instanceof MessageInvalidError, String(error));
        assert.notEqual(error.description, '');
      }
    }),
    { numRuns: 2_000, interruptAfterTimeLimit: 5_000 },
  );
});

test('any input survives the way out and back', () => {
  const header = sample(MESSAGE.toolRequest) as unknown as Header<typeof MESSAGE.toolRequest>;
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 6 })), (input) => {
      const text = JSON.stringify(input);
      const decoded = decode(encodeToolRequest(header, 'x', text), TOOL);
      assert.equal(JSON.stringify((decoded.message as ToolRequest).input), JSON.stringify(JSON.parse(text)));
    }),
    { numRuns: 300, interruptAfterTimeLimit: 5_000 },
  );
});
