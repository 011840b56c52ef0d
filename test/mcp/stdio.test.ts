import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { liveGroups } from '../../src/process/index.ts';
import { startRawMcp } from '../support/mcp.ts';
import type { Json } from '../support/raw-mcp.ts';
import { waitFor } from '../support/wait.ts';

/** That the server still answers, which is the point of most of these. */
async function stillThere({ raw }: { raw: { call(name: string, args: object): Promise<Json> } }) {
  assert.equal((await raw.call('echo', { words: ['here'] })).structuredContent.output, '[here]\n');
}

suite('a client over standard streams', () => {
  test('may send a message in any pieces, and several at once', async () => {
    const mcp = await startRawMcp();
    await mcp.raw.initialize();
    const message = Buffer.from(
      `${JSON.stringify({ jsonrpc: '2.0', id: 'ü', method: 'tools/call', params: { name: 'echo', arguments: { words: ['äö🐟'] } } })}\n`,
    );
    for (const byte of message) mcp.input.write(Buffer.of(byte));
    assert.equal((await mcp.raw.answer('ü')).result.structuredContent.output, '[äö🐟]\n');
    mcp.raw.text('{"jsonrpc":"2.0","id":"a","method":"ping"}\n\r\n{"jsonrpc":"2.0","id":"b","method":"ping"}\r\n\n');
    assert.deepEqual([(await mcp.raw.answer('a')).result, (await mcp.raw.answer('b')).result], [{}, {}]);
    await mcp.stop();
  });

  test('that sends what is no message is told so, and served on', async () => {
    const mcp = await startRawMcp();
    await mcp.raw.initialize();
    for (const [line, code] of [
      ['not json', -32700],
      ['{"jsonrpc":"2.0"', -32700],
      ['[]', -32600],
      ['7', -32600],
      ['null', -32600],
      ['{}', -32600],
      ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ] as const) {
      const from = mcp.raw.messages.length;
      mcp.raw.text(`${line}\n`);
      const { error } = await waitFor(() => mcp.raw.messages[from], { what: `an answer to ${line}` });
      assert.equal(error.code, code, line);
    }
    const before = mcp.raw.messages.length;
    mcp.input.write(Buffer.from('{"jsonrpc":"2.0","id":"\xff","method":"ping"}\n', 'latin1'));
    const { error } = await waitFor(() => mcp.raw.messages[before], { what: 'an answer to bytes that are no UTF-8' });
    assert.equal(error.code, -32700);
    const from = mcp.raw.messages.length;
    mcp.raw.text('{"jsonrpc":"2.0","id":"mine","method":7}\n');
    assert.equal((await mcp.raw.answer('mine', from)).error.code, -32600);
    await stillThere(mcp);
    await mcp.stop();
  });

  test('that answers questions nobody asked is not heard, and not answered with its own numbers', async () => {
    const mcp = await startRawMcp();
    await mcp.raw.initialize({ elicitation: {} });
    const from = mcp.raw.messages.length;
    for (const id of [0, 1, -1, 1e308, 'x', '__proto__']) {
      mcp.raw.send({ id, result: { action: 'accept', content: { approve: true } } });
      mcp.raw.send({ id, error: { code: 1, message: 'no' } });
      mcp.raw.send({ id, result: 7 });
    }
    await stillThere(mcp);
    const own = mcp.raw.messages.slice(from).filter(({ error, id }) => error !== undefined && id !== undefined);
    assert.deepEqual(own, []);
    await mcp.stop();
  });

  test('may give two calls one number, and each is answered', async () => {
    const mcp = await startRawMcp();
    await mcp.raw.initialize();
    for (const word of ['one', 'two']) {
      mcp.raw.send({ id: 'same', method: 'tools/call', params: { name: 'echo', arguments: { words: [word] } } });
    }
    await waitFor(() => mcp.raw.messages.filter(({ id }) => id === 'same').length === 2);
    await mcp.stop();
  });

  test('cannot make memory grow with a message without an end', async () => {
    const mcp = await startRawMcp();
    await mcp.raw.initialize();
    const chunk = Buffer.alloc(1_048_576, 'x');
    globalThis.gc?.();
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let sent = 0; sent < 200; sent++) {
      if (!mcp.input.write(chunk)) await new Promise((resolve) => mcp.input.once('drain', resolve));
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    assert.ok(most < 60 * 1_048_576, `${Math.round(most / 1_048_576)} MiB were kept`);
    mcp.raw.text('\n');
    const told = mcp.raw.messages.filter(({ error }) => error?.code === -32600);
    assert.equal(told.length, 1, 'said once, and not for each piece');
    await stillThere(mcp);
    await mcp.stop();
  });

  test('may send a message just below the bound, and not one above it', async () => {
    const mcp = await startRawMcp({ limits: { message: 1_000 } });
    await mcp.raw.initialize();
    const padded = (size: number) => {
      const text = JSON.stringify({ jsonrpc: '2.0', id: size, method: 'ping', params: { x: '' } });
      return text.replace('"x":""', `"x":"${'y'.repeat(size - text.length)}"`);
    };
    mcp.raw.text(`${padded(1_000)}\n`);
    assert.deepEqual((await mcp.raw.answer(1_000)).result, {});
    const from = mcp.raw.messages.length;
    mcp.raw.text(`${padded(1_001)}\n`);
    assert.equal((await waitFor(() => mcp.raw.messages[from])).error.code, -32600);
    await mcp.stop();
  });

  test('that does not read is not read either, until it does', async () => {
    const mcp = await startRawMcp({ limits: { unread: 50_000 } });
    await mcp.raw.initialize();
    mcp.output.pause();
    let accepted = 0;
    const ask = `${'{"jsonrpc":"2.0","id":"l","method":"tools/list"}\n'.repeat(20)}`;
    for (; accepted < 500; accepted++) {
      mcp.input.write(ask);
      await new Promise(setImmediate);
      if (mcp.input.writableLength > 100_000) break;
    }
    assert.ok(mcp.output.readableLength + mcp.output.writableLength < 2_000_000, `${mcp.output.writableLength} wait`);
    mcp.output.resume();
    await waitFor(() => mcp.input.writableLength === 0, { what: 'everything to be read' });
    await stillThere(mcp);
    await mcp.stop();
  });

  test('that closes its end gets the answers to what it had asked', async () => {
    const mcp = await startRawMcp();
    await mcp.raw.initialize();
    const call = mcp.raw.call('sleep', { seconds: '60' });
    await waitFor(() => liveGroups.size === 1);
    mcp.input.end();
    mcp.server.drain('the client is gone');
    assert.equal((await call)._meta['fisk/code'], 'interrupted');
    assert.deepEqual(await mcp.server.done, {});
    assert.equal(liveGroups.size, 0);
  });

  test('that is gone in the middle costs nothing but its calls', async () => {
    const mcp = await startRawMcp();
    await mcp.raw.initialize();
    void mcp.raw.call('sleep', { seconds: '60' }).catch(() => {});
    await waitFor(() => liveGroups.size === 1);
    mcp.output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    mcp.server.drain('the client is gone');
    assert.deepEqual(await mcp.server.done, {});
    assert.equal(liveGroups.size, 0);
  });
});

suite('any frames at all', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.constant(null), fc.constant('__proto__'));
  const message = fc.record(
    {
      jsonrpc: fc.oneof(fc.constant('2.0'), scalar),
      id: fc.oneof(scalar, json),
      method: fc.oneof(
        fc.constantFrom(
          'tools/call',
          'tools/list',
          'initialize',
          'ping',
          'notifications/cancelled',
          'notifications/progress',
          'server/discover',
          'subscriptions/listen',
        ),
        fc.string(),
        json,
      ),
      params: fc.oneof(
        json,
        fc.record(
          {
            name: fc.oneof(fc.constantFrom('echo', 'exit', 'approved'), scalar),
            arguments: fc.oneof(json, fc.dictionary(fc.string(), json)),
            _meta: json,
            requestId: scalar,
            progressToken: scalar,
            requestState: json,
            inputResponses: json,
            protocolVersion: scalar,
          },
          { requiredKeys: [] },
        ),
      ),
      result: json,
      error: json,
    },
    { requiredKeys: [] },
  );
  const frame = fc.oneof(
    { weight: 4, arbitrary: message.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    { weight: 1, arbitrary: json.map((value) => JSON.stringify(value)) },
  );

  for (const session of [true, false]) {
    test(`break nothing and run nothing gated, ${session ? 'in a session' : 'as the first that come'}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(frame, { maxLength: 20 }), async (frames) => {
          const mcp = await startRawMcp();
          if (session) await mcp.raw.initialize({ elicitation: {} });
          for (const text of frames) mcp.raw.text(`${text.replaceAll('\n', ' ')}\n`);
          // Whatever revision the frames have chosen, something is answered.
          const from = mcp.raw.messages.length;
          mcp.raw.send({ id: 'the end', method: 'ping' });
          await mcp.raw.answer('the end', from);
          assert.deepEqual(await mcp.stop(), {});
          assert.deepEqual(mcp.raw.noise, []);
          for (const sent of mcp.raw.messages) assert.equal(sent.jsonrpc, '2.0');
          assert.ok(!mcp.lines.some(({ msg, tool }) => msg === 'tool call running' && tool === 'approved'));
        }),
        { numRuns: 25, interruptAfterTimeLimit: 15_000 },
      );
    });
  }
});
