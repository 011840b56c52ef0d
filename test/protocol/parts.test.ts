import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IdentityInvalidError, MessageTooLargeError } from '../../src/errors.ts';
import {
  decode,
  discoverySubject,
  encode,
  encodeFitting,
  type Header,
  headerText,
  isIdentity,
  MESSAGE,
  parseNumberText,
  parseSubject,
  replyHeader,
  requestHeader,
  shortenText,
  type ToolReply,
  toolReply,
  toolSubject,
} from '../../src/protocol/index.ts';
import { sample } from './samples.ts';

test('subjects are made of legal identities only', () => {
  assert.equal(discoverySubject('nats-tools'), 'choria.fisk-ai.discovery.nats-tools');
  assert.equal(toolSubject('Lab_1'), 'choria.fisk-ai.tool.Lab_1');
  for (const identity of ['', 'a.b', '*', '>', 'a b', 'ä', 'a\n', 'a\u0000']) {
    assert.equal(isIdentity(identity), false, identity);
    assert.throws(() => toolSubject(identity), IdentityInvalidError);
    assert.throws(() => discoverySubject(identity), IdentityInvalidError);
  }
});

test('a subject tells its purpose and whose it is, when it is one of ours', () => {
  assert.deepEqual(parseSubject('choria.fisk-ai.tool.lab'), { purpose: 'tool', identity: 'lab' });
  assert.deepEqual(parseSubject('choria.fisk-ai.task.lab'), { purpose: 'task', identity: 'lab' });
  for (const foreign of ['', 'tool.lab', 'choria.fisk-ai.tool.', 'choria.fisk-ai.tool.a.b', 'choria.fisk-ai.x.lab']) {
    assert.equal(parseSubject(foreign), undefined);
  }
});

test('a request mints what is not given, a reply echoes it back to its sender', () => {
  let count = 0;
  const minting = { now: Date.UTC(2026, 7, 21, 10, 11, 12, 5), mintId: () => `id${++count}` };
  const request = requestHeader({ protocol: MESSAGE.toolRequest, sender: 'me', recipient: 'lab', ...minting });
  assert.deepEqual(request, {
    protocol: 'io.choria.fisk-ai.v1.tool.request',
    id: 'id2',
    request: 'id1',
    conversation: 'id1',
    sequence: 0,
    time: '2026-08-21T10:11:12.005Z',
    sender: { name: 'me' },
    recipient: { name: 'lab' },
  });
  const kept = requestHeader({
    ...minting,
    protocol: MESSAGE.ack,
    sender: 'a',
    recipient: 'b',
    request: 'R',
    conversation: 'C',
  });
  assert.deepEqual([kept.request, kept.conversation], ['R', 'C']);
  const traced = { ...request, traceparent: '00-1', parent: 'p' };
  assert.deepEqual(replyHeader(traced, { protocol: MESSAGE.ack, sequence: 1, sender: 'lab', ...minting }), {
    protocol: 'io.choria.fisk-ai.v1.ack',
    id: 'id4',
    request: 'id1',
    conversation: 'id1',
    sequence: 1,
    time: '2026-08-21T10:11:12.005Z',
    sender: { name: 'lab' },
    recipient: { name: 'me' },
  });
});

const header = sample(MESSAGE.toolReply) as unknown as Header<typeof MESSAGE.toolReply>;

test('a reply leaves out what is empty, false or zero', () => {
  const exec = { command: 'ls', exitCode: 0, truncated: false };
  const plain = toolReply(header, { output: '', isError: false, exec });
  assert.deepEqual(plain, { ...header, exec: { command: 'ls' } });
  const full = toolReply(header, {
    output: 'text',
    isError: true,
    code: 'capacity',
    exec: { command: 'ls', exitCode: -1, truncated: true },
    retry: { retryAfterMs: 200, inUse: 2, limit: 2 },
  });
  assert.deepEqual(full, {
    ...header,
    is_error: true,
    code: 'capacity',
    output: 'text',
    exec: { command: 'ls', exit_code: -1, truncated: true },
    fisk_ts: { retry_after_ms: 200, in_use: 2, limit: 2 },
  });
});

test('text over its bound is cut between characters and says how much is missing', () => {
  assert.equal(shortenText('x'.repeat(65_536), 65_536), 'x'.repeat(65_536));
  assert.equal(shortenText('x'.repeat(65_537), 65_536), `${'x'.repeat(65_536)}\n[1 of 65537 bytes left out]`);
  const euros = shortenText('€'.repeat(30_000), 65_536);
  assert.ok(euros.startsWith('€'.repeat(21_845)));
  assert.match(euros, /^€+\n\[24465 of 90000 bytes left out\]$/);
});

test('cutting never breaks a character, whatever the text and the bound', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat(80), (text, limit) => {
      const short = shortenText(text, limit);
      if (Buffer.byteLength(text) <= limit) assert.equal(short, text);
      else {
        const kept = short.slice(0, short.lastIndexOf('\n['));
        assert.ok(text.toWellFormed().startsWith(kept));
        assert.ok(Buffer.byteLength(kept) <= limit && Buffer.byteLength(kept) > limit - 4);
      }
    }),
  );
});

test('header text is one line of at most 512 characters', () => {
  assert.equal(headerText('a\r\nb\tc\u0000d\u0085e\u2028f  g '), 'a b c d e f g');
  assert.equal(headerText('😀'.repeat(600)), '😀'.repeat(512));
  assert.equal(headerText('\n'), '');
});

test('a reply that does not fit is shortened until it does, and never left out', () => {
  const read = (body: Uint8Array, limit: number) => {
    assert.ok(body.length <= limit, `${body.length} of ${limit}`);
    return decode(body, [MESSAGE.toolReply]).message as ToolReply;
  };
  const texts = ['x'.repeat(500_000), '\u0001'.repeat(300_000), '€"\\\n'.repeat(100_000), '😀'.repeat(20_000)];
  for (const output of texts) {
    for (const limit of [786_432, 65_536, 16_384, 2_048, 1_024]) {
      const exec = { command: 'run', exitCode: 3, truncated: false };
      const reply = read(encodeFitting(toolReply(header, { output, exec }), limit), limit);
      assert.equal(reply.exec?.exit_code, 3);
      if (limit < 2_048) continue;
      // What fits goes out whole; only what does not is shortened.
      if (Buffer.byteLength(JSON.stringify(output)) < limit - 1_024) assert.equal(reply.output, output);
      else assert.match(reply.output ?? '', /\n\[\d+ of \d+ bytes left out\]$/);
    }
  }
  const command = `run ${'"'.repeat(900_000)}`;
  const reply = read(
    encodeFitting(toolReply(header, { output: 'short', exec: { command, exitCode: 0, truncated: false } }), 786_432),
    786_432,
  );
  assert.equal(reply.output, 'short');
  assert.match(reply.exec?.command ?? '', /^run "+\n\[\d+ of \d+ bytes left out\]$/);
});

test('a shortened reply makes use of the room there is', () => {
  const body = encodeFitting(toolReply(header, { output: 'x'.repeat(60_000) }), 32_768);
  assert.ok(body.length > 26_000, `${body.length}`);
});

test('a limit without room for the header itself is an error and not an endless loop', () => {
  assert.throws(() => encodeFitting(toolReply(header, { output: 'x'.repeat(100) }), 50), MessageTooLargeError);
});

test('number text is bounded in depth and refuses what is no JSON', () => {
  assert.throws(() => parseNumberText('['.repeat(65) + ']'.repeat(65)), SyntaxError);
  assert.throws(() => parseNumberText('{"a":01}'), SyntaxError);
  assert.equal(parseNumberText('"1"'), '1');
});

test('reading and writing stay far below the cost of starting a program', () => {
  const request = Buffer.from(JSON.stringify(sample(MESSAGE.toolRequest, { name: 'x', input: { a: 'b', n: 1 } })));
  const reply = toolReply(header, { output: 'hello\n', exec: { command: 'x y', exitCode: 0, truncated: false } });
  const each = (work: () => void) => {
    for (let i = 0; i < 3_000; i++) work();
    const best = [1, 2, 3].map(() => {
      const started = performance.now();
      for (let i = 0; i < 2_000; i++) work();
      return performance.now() - started;
    });
    return Math.min(...best) / 2;
  };
  // Microseconds a message; measured 3.5 and 3.0.
  assert.ok(each(() => decode(request, [MESSAGE.toolRequest])) < 50);
  assert.ok(each(() => encode(reply)) < 50);
});
