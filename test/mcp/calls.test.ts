import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Tally } from '../../src/observe/index.ts';
import { liveGroups } from '../../src/process/index.ts';
import { startRawMcp } from '../support/mcp.ts';
import type { Json } from '../support/raw-mcp.ts';
import { isAlive, waitFor } from '../support/wait.ts';

type Started = Awaited<ReturnType<typeof startRawMcp>>;

const textOf = (result: Json) => result.content.map(({ text }: Json) => text).join('\n');
const codeOf = (result: Json) => result._meta?.['fisk/code'];
const pidIn = (text: string) => Number(/sleeping (\d+)/.exec(text)?.[1]);

suite('a call', () => {
  let mcp: Started;
  const tally = new Tally('lab', '1.2.3');
  before(async () => {
    mcp = await startRawMcp({ mcp: 'max_concurrent_tools: 2, tool_timeout: 2s', observer: tally });
    await mcp.raw.initialize();
  });
  after(async () => {
    assert.deepEqual(await mcp.stop(), {});
    assert.deepEqual(mcp.raw.noise, []);
  });

  test('of a command answers with its result, as text and as the same object', async () => {
    const result = await mcp.raw.call('echo', { words: ['a b', '--x', '$(id)'] });
    const expected = { command: 'echo -- a b --x $(id)', exit_code: 0, output: '[a b][--x][$(id)]\n' };
    assert.deepEqual(result.structuredContent, expected);
    assert.equal(textOf(result), JSON.stringify(expected));
    assert.equal('isError' in result, false);
  });

  test('whose command exits with another code, or dies by a signal, is no error', async () => {
    const exited = await mcp.raw.call('exit', { code: 3 });
    assert.deepEqual([exited.structuredContent.exit_code, exited.isError], [3, undefined]);
    const killed = await mcp.raw.call('signal');
    assert.deepEqual([killed.structuredContent.exit_code, killed.isError], [-1, undefined]);
  });

  test('whose output was shortened says so', async () => {
    const { structuredContent } = await mcp.raw.call('big', { bytes: 300_000 });
    assert.equal(structuredContent.truncated, true);
  });

  test('whose arguments do not fit is an error that a model can read, and runs nothing', async () => {
    for (const args of [
      { seconds: ['1'] },
      {},
      { seconds: '1', nope: 2 },
      JSON.parse('{"seconds":"1","__proto__":1}'),
    ]) {
      const result = await mcp.raw.call('sleep', args);
      assert.deepEqual([result.isError, codeOf(result)], [true, 'invalid_input'], JSON.stringify(args));
      assert.match(textOf(result), /nothing was run.*Required: seconds\. Optional: none\.$/);
    }
  });

  test('with a number whose digits are lost is refused, and its digits as text are not', async () => {
    for (const code of ['9007199254740993', '1e300', '-9007199254740993', '1e400']) {
      const before = mcp.raw.messages.length;
      mcp.raw.text(
        `{"jsonrpc":"2.0","id":"n${code}","method":"tools/call","params":{"name":"exit","arguments":{"code":${code}}}}\n`,
      );
      const { result } = await mcp.raw.answer(`n${code}`, before);
      assert.deepEqual([result.isError, codeOf(result)], [true, 'invalid_input'], code);
      assert.match(textOf(result), /"code" holds a number beyond 9007199254740991/);
    }
    assert.doesNotMatch(textOf(await mcp.raw.call('exit', { code: 9007199254740991 })), /digits are lost/);
    assert.doesNotMatch(textOf(await mcp.raw.call('exit', { code: '9007199254740993' })), /digits are lost/);
  });

  test('whose arguments are nested without end is refused, and harms nobody', async () => {
    const deep = `${'['.repeat(50_000)}7${']'.repeat(50_000)}`;
    for (const [id, args] of [
      ['known', `{"words":${deep}}`],
      ['unknown', `{"x":${deep}}`],
      ['map', `{"words":${'{"a":'.repeat(50_000)}7${'}'.repeat(50_000)}}`],
    ] as const) {
      mcp.raw.text(
        `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"echo","arguments":${args}}}\n`,
      );
      const { result } = await mcp.raw.answer(id);
      assert.deepEqual([result.isError, codeOf(result)], [true, 'invalid_input'], id);
    }
    mcp.raw.text(`{"jsonrpc":"2.0","id":99,"result":${deep}}\n{"jsonrpc":"2.0","id":98,"result":{"a":${deep}}}\n`);
    mcp.raw.text(
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"x":${deep}}}\n`,
    );
    assert.equal((await mcp.raw.call('echo', { words: ['x'] })).structuredContent.output, '[x]\n');
  });

  test('of a name that is no tool is a protocol error, also for a name that every object has', async () => {
    for (const name of ['nope', 'toString', '__proto__', 'denied', '', 'x'.repeat(100_000)]) {
      const { error } = await mcp.raw.request('tools/call', { name, arguments: {} });
      assert.equal(error.code, -32602, name.slice(0, 20));
      assert.ok(error.message.length < 300);
    }
  });

  test('of a tool that is called like a property of every object runs it', async () => {
    assert.equal((await mcp.raw.call('constructor')).structuredContent.output, 'constructed\n');
  });

  test('of another shape is a protocol error', async () => {
    for (const params of [{}, { name: 7 }, { name: 'echo', arguments: 'x' }, { name: 'echo', arguments: [] }]) {
      assert.equal((await mcp.raw.request('tools/call', params)).error?.code, -32602, JSON.stringify(params));
    }
  });

  test('that takes too long is ended with what it wrote, and the time counts from its start', async () => {
    const started = performance.now();
    const [first, second, third] = await Promise.all([
      mcp.raw.call('sleep', { seconds: '60' }),
      mcp.raw.call('sleep', { seconds: '61' }),
      mcp.raw.call('sleep', { seconds: '0.1' }),
    ]);
    for (const result of [first, second]) {
      assert.deepEqual([result.isError, codeOf(result)], [true, 'timeout']);
      assert.match(textOf(result), /did not end within 2s and was ended.*:\nsleeping \d+\n$/s);
      assert.equal(isAlive(pidIn(textOf(result))), false, 'the command is gone when the answer is here');
    }
    assert.ok(performance.now() - started >= 1_900);
    assert.equal(third.structuredContent.exit_code, 0, 'the one that waited had its whole time left');
  });

  test('is counted as one over MCP, by how it ended', async () => {
    await mcp.raw.call('sleep', {});
    const outcomes = [...tally.groups.values()].map(({ surface, kind, outcome }) => `${surface} ${kind} ${outcome}`);
    for (const outcome of ['ok', 'nonzero', 'timeout'])
      assert.ok(outcomes.includes(`mcp application ${outcome}`), outcome);
    const refused = [...tally.refusals.values()].map(({ surface, code }) => `${surface} ${code}`);
    assert.ok(refused.includes('mcp unknown_tool') && refused.includes('mcp invalid_input'), refused.join());
    assert.equal(tally.running.size, 0);
  });

  test('is logged with what ran and how it ended, and never with its output', async () => {
    await mcp.raw.call('echo', { words: ['topsecret'] });
    const about = mcp.lines.filter(({ tool }) => tool === 'echo').slice(-2);
    assert.deepEqual(
      about.map(({ msg }) => msg),
      ['tool call running', 'tool call completed'],
    );
    assert.deepEqual(
      [about[1]?.['client'], about[1]?.['kind'], about[1]?.['exit_code'], about[1]?.['caller_verified']],
      ['raw/0', 'application', 0, false],
    );
    assert.ok(!JSON.stringify(about).includes('[topsecret]'));
  });
});

suite('a call that is given up', () => {
  let mcp: Started;
  const tally = new Tally('lab', '1.2.3');
  before(async () => {
    mcp = await startRawMcp({ mcp: 'max_concurrent_tools: 1', observer: tally });
    await mcp.raw.initialize();
  });
  after(() => mcp.stop());

  test('ends its command with the whole group, and the slot is free', async () => {
    mcp.raw.send({ id: 'long', method: 'tools/call', params: { name: 'sleep', arguments: { seconds: '60' } } });
    const group = await waitFor(() => [...liveGroups][0]);
    mcp.raw.send({ method: 'notifications/cancelled', params: { requestId: 'long', reason: 'enough' } });
    await waitFor(() => !isAlive(group.pid), { what: 'the end of the command' });
    assert.equal((await mcp.raw.call('echo', { words: ['next'] })).structuredContent.output, '[next]\n');
    assert.ok(!mcp.raw.messages.some(({ id }) => id === 'long'), 'nobody answers what was cancelled');
    assert.equal(tally.groups.get('mcp application cancelled')?.durations.count, 1);
  });

  test('while it waits for a slot is forgotten, and never runs', async () => {
    mcp.raw.send({ id: 'first', method: 'tools/call', params: { name: 'sleep', arguments: { seconds: '60' } } });
    await waitFor(() => liveGroups.size === 1);
    mcp.raw.send({ id: 'waits', method: 'tools/call', params: { name: 'sleep', arguments: { seconds: '59' } } });
    await waitFor(() => mcp.server.running === 2);
    mcp.raw.send({ method: 'notifications/cancelled', params: { requestId: 'waits' } });
    await waitFor(() => mcp.server.running === 1);
    mcp.raw.send({ method: 'notifications/cancelled', params: { requestId: 'first' } });
    await waitFor(() => mcp.server.running === 0);
    assert.equal(liveGroups.size, 0);
    assert.ok(!mcp.lines.some(({ command }) => command === 'sleep -- 59'));
  });
});

suite('a server that is full', () => {
  test('lets sixteen calls of a client wait, in order, and turns the rest away at once', async () => {
    const mcp = await startRawMcp({ mcp: 'max_concurrent_tools: 1' });
    await mcp.raw.initialize();
    const holding = mcp.raw.call('sleep', { seconds: '1' });
    await waitFor(() => liveGroups.size === 1);
    const calls = Array.from({ length: 18 }, (_, at) => mcp.raw.call('echo', { words: [String(at)] }));
    const results = await Promise.all(calls);
    const refused = results.filter((result) => codeOf(result) === 'capacity');
    assert.equal(refused.length, 2);
    assert.match(textOf(refused[0]), /at capacity/);
    const order = mcp.lines
      .filter(({ msg, tool }) => msg === 'tool call completed' && tool === 'echo')
      .map(({ command }) => command);
    assert.deepEqual(
      order,
      Array.from({ length: 16 }, (_, at) => `echo -- ${at}`),
    );
    await holding;
    await mcp.stop();
  });
});

suite('progress', () => {
  test('is told while a call goes on, to a client that asked, and no longer than that', async () => {
    const mcp = await startRawMcp({ timing: { progressMs: 50 } });
    await mcp.raw.initialize();
    await mcp.raw.call('sleep', { seconds: '0.4' }, { progressToken: 'p' });
    await sleep(120);
    const notes = mcp.raw.messages.filter(({ method }) => method === 'notifications/progress');
    assert.ok(notes.length >= 3, `${notes.length} notes`);
    assert.deepEqual(
      notes.map(({ params }) => params.progress),
      notes.map((_, at) => at + 1),
    );
    assert.deepEqual(notes[0].params, { progressToken: 'p', progress: 1, message: 'running' });
    await mcp.raw.call('sleep', { seconds: '0.2' });
    assert.equal(mcp.raw.messages.filter(({ method }) => method === 'notifications/progress').length, notes.length);
    await mcp.stop();
  });
});

suite('a server that leaves', () => {
  test('ends what runs, answers every call as interrupted and starts nothing more', async () => {
    const tally = new Tally('lab', '1.2.3');
    const mcp = await startRawMcp({ mcp: 'max_concurrent_tools: 1', observer: tally });
    await mcp.raw.initialize({ elicitation: {} });
    const runs = mcp.raw.call('sleep', { seconds: '60' });
    const group = await waitFor(() => [...liveGroups][0]);
    const waits = mcp.raw.call('sleep', { seconds: '59' });
    const asks = mcp.raw.call('approved');
    await waitFor(() => mcp.raw.messages.some(({ method }) => method === 'elicitation/create'));
    await waitFor(() => mcp.server.running === 3);
    mcp.server.drain('SIGTERM');
    const [ran, waited, asked] = await Promise.all([runs, waits, asks]);
    for (const result of [ran, waited, asked]) {
      assert.deepEqual([result.isError, codeOf(result)], [true, 'interrupted']);
    }
    assert.match(textOf(ran), /lab shut down while sleep ran; .*may be incomplete.*\nsleeping \d+\n$/s);
    assert.match(textOf(waited), /before sleep was started; nothing was run/);
    assert.match(textOf(asked), /before approved was started; nothing was run/);
    assert.equal(isAlive(group.pid), false);
    assert.deepEqual(await mcp.server.done, {});
    assert.equal(mcp.server.state, 'stopped');
    assert.equal(tally.groups.get('mcp application interrupted')?.durations.count, 1);
  });

  test('ends a command that refuses to be asked, and answers within its bound', async () => {
    const mcp = await startRawMcp();
    await mcp.raw.initialize();
    const runs = mcp.raw.call('stubborn');
    const group = await waitFor(() => [...liveGroups][0]);
    mcp.server.drain('SIGTERM');
    assert.equal(codeOf(await runs), 'interrupted');
    assert.equal(isAlive(group.pid), false);
    await mcp.server.done;
  });
});
