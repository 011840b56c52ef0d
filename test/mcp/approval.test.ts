import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { Tally } from '../../src/observe/index.ts';
import { type McpOptions, startRawMcp } from '../support/mcp.ts';
import type { Json } from '../support/raw-mcp.ts';
import { waitFor } from '../support/wait.ts';

interface Row {
  readonly id: string;
  /** Absent for a client that can be asked. */
  readonly client?: string;
  /** What comes back for the question: an answer, or in words that there is none. */
  readonly answer?: object | string;
  readonly arguments?: object;
  readonly runs: boolean;
}

const { rows }: { rows: readonly Row[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'cases', 'answers.json'), 'utf8'),
);

const textOf = (result: Json) => result.content.map(({ text }: Json) => text).join('\n');
const codeOf = (result: Json) => result._meta?.['fisk/code'];
const ran = (result: Json) => result.structuredContent !== undefined;

/** A server with one client that answers every question so. */
async function start(capabilities: object | undefined, answer?: Json, options: McpOptions = {}) {
  const mcp = await startRawMcp(options);
  const questions: Json[] = [];
  mcp.raw.onRequest = (request) => {
    questions.push(request);
    return answer;
  };
  if (capabilities !== undefined) await mcp.raw.initialize(capabilities);
  return { ...mcp, questions };
}

const ASKABLE = { elicitation: {} };
const APPROVED = { result: { action: 'accept', content: { approve: true } } };

suite('a command that needs an approval, with a client that answers', () => {
  for (const row of rows) {
    const { id, client, answer, runs } = row;
    const what = client ?? (typeof answer === 'string' ? answer : JSON.stringify(answer));
    test(`${id}: ${what}: ${runs ? 'runs' : 'does not run'}, and the slot is free`, async () => {
      const reply =
        answer === 'a JSON-RPC error'
          ? { error: { code: -32603, message: 'the window was closed' } }
          : typeof answer === 'object'
            ? { result: answer }
            : undefined;
      const mcp = await start(client === undefined ? ASKABLE : {}, reply, {
        mcp: 'max_concurrent_tools: 1',
        timing: { approvalMs: 500 },
      });
      const result = await mcp.raw.call('approved', row.arguments ?? {});
      assert.equal(ran(result), runs, textOf(result));
      assert.equal(result.isError, runs ? undefined : true);
      assert.equal(mcp.lines.filter(({ msg }) => msg === 'tool call running').length, runs ? 1 : 0);
      assert.equal((await mcp.raw.call('echo', { words: ['free'] })).structuredContent.output, '[free]\n');
      await mcp.stop();
    });
  }

  test('is told apart by what the person did', async () => {
    const cases: [Json, string, RegExp][] = [
      [
        { result: { action: 'accept', content: { approve: false } } },
        'approval_refused',
        /refused.*do not call it again/,
      ],
      [{ result: { action: 'decline' } }, 'approval_declined', /declined.*Do not call it again; ask/],
      [{ result: { action: 'cancel' } }, 'approval_dismissed', /without a decision.*asked again later/],
      [{ result: { action: 'accept' } }, 'approval_failed', /does not say/],
      [{ error: { code: 1, message: 'no \u001b[31mwindow' } }, 'approval_failed', /asking for it failed: no window\./],
    ];
    const tally = new Tally('lab', '1.2.3');
    for (const [answer, code, text] of cases) {
      const mcp = await start(ASKABLE, answer, { observer: tally });
      const result = await mcp.raw.call('approved');
      assert.equal(codeOf(result), code);
      assert.match(textOf(result), /^approved did not run\. It needs an approval \(ai:confirm\), and /);
      assert.match(textOf(result), text);
      await mcp.stop();
    }
    assert.equal(tally.refusals.get('mcp approval_refused')?.count, 1);
    assert.equal(tally.groups.size, 0, 'nothing was started');
  });

  test('and nobody who answers in time is a failure that says how long was waited', async () => {
    const mcp = await start(ASKABLE, undefined, { timing: { approvalMs: 1_000 } });
    assert.match(textOf(await mcp.raw.call('approved')), /asking for it failed: nobody answered within 1s\./);
    assert.ok(
      mcp.raw.messages.some(({ method }) => method === 'notifications/cancelled'),
      'the question is withdrawn',
    );
    await mcp.stop();
  });
});

suite('the question', () => {
  test('names the server, the tag, the command as it runs and its arguments, and asks for one boolean', async () => {
    const mcp = await start(ASKABLE, APPROVED, { yaml: 'harness: {confirm_tags: ["ai:read_only"]}' });
    const result = await mcp.raw.call('echo', { words: ["it's", '; rm -rf /', '\u001b[2Jgone', 'a\u202eb'] });
    const { method, params } = mcp.questions[0];
    assert.equal(method, 'elicitation/create');
    assert.equal(params.mode, 'form');
    assert.match(params.message, /^lab asks .*tagged ai:read_only:\n\n/);
    assert.ok(params.message.includes(`\n\necho -- 'it'\\''s' '; rm -rf /' 'gone' 'a b'\n\n`), params.message);
    assert.match(params.message, /"\\u001b\[2Jgone"/);
    assert.match(params.message, /"a\\u202eb"/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    assert.doesNotMatch(params.message, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    assert.deepEqual(params.requestedSchema.required, ['approve']);
    assert.deepEqual(Object.keys(params.requestedSchema.properties), ['approve']);
    assert.equal(params.requestedSchema.properties.approve.type, 'boolean');
    assert.equal('default' in params.requestedSchema.properties.approve, false);
    assert.equal(result.structuredContent.output, "[it's][; rm -rf /][\u001b[2Jgone][a\u202eb]\n");
    await mcp.stop();
  });

  test('says how much of a long call it does not show', async () => {
    const mcp = await start(ASKABLE, APPROVED, { yaml: 'harness: {confirm_tags: ["ai:read_only"]}' });
    await mcp.raw.call('echo', { words: ['x'.repeat(5_000)] });
    const { message } = mcp.questions[0].params;
    assert.equal(message.match(/\[cut here: \d+ more characters are not shown\]/g)?.length, 2);
    assert.ok(message.length < 9_000, String(message.length));
    await mcp.stop();
  });

  test('is not put for arguments that do not fit', async () => {
    const mcp = await start(ASKABLE, APPROVED);
    assert.equal(codeOf(await mcp.raw.call('approved', { approve: true })), 'invalid_input');
    assert.deepEqual(mcp.questions, []);
    await mcp.stop();
  });

  test('is put for every call anew', async () => {
    const mcp = await start(ASKABLE, APPROVED);
    for (let at = 1; at <= 3; at++) {
      assert.ok(ran(await mcp.raw.call('approved')));
      assert.equal(mcp.questions.length, at);
    }
    await mcp.stop();
  });

  test('waits for a person without a slot and without the time of the call', async () => {
    const mcp = await start(ASKABLE, undefined, { mcp: 'max_concurrent_tools: 1, tool_timeout: 1s' });
    const asking = mcp.raw.call('approved');
    const question = await waitFor(() => mcp.questions[0]);
    assert.ok(ran(await mcp.raw.call('sleep', { seconds: '0.9' })), 'another call runs meanwhile');
    assert.ok(ran(await mcp.raw.call('sleep', { seconds: '0.5' })));
    mcp.raw.send({ id: question.id, ...APPROVED });
    assert.ok(ran(await asking), 'more than its time has passed, and none of it was its own');
    await mcp.stop();
  });

  test('is withdrawn with the call that it is about', async () => {
    const mcp = await start(ASKABLE);
    mcp.raw.send({ id: 'c', method: 'tools/call', params: { name: 'approved', arguments: {} } });
    const question = await waitFor(() => mcp.questions[0]);
    mcp.raw.send({ method: 'notifications/cancelled', params: { requestId: 'c' } });
    await waitFor(() => mcp.server.running === 0);
    mcp.raw.send({ id: question.id, ...APPROVED });
    assert.ok(ran(await mcp.raw.call('echo', { words: ['x'] })));
    assert.ok(!mcp.lines.some(({ tool, msg }) => tool === 'approved' && msg === 'tool call running'));
    await mcp.stop();
  });

  test('waits for sixteen calls of a client at a time, and the next one is turned away', async () => {
    const mcp = await start(ASKABLE);
    const calls = Array.from({ length: 17 }, () => mcp.raw.call('approved'));
    const first = await Promise.race(calls);
    assert.equal(codeOf(first), 'capacity');
    assert.match(textOf(first), /did not run: too many calls wait for an approval/);
    await mcp.stop();
  });
});

suite('a client that cannot be asked', () => {
  for (const [mode, capabilities, runs] of [
    [undefined, {}, false],
    ['always', {}, false],
    ['auto', {}, true],
    ['never', {}, true],
    ['always', { elicitation: { url: {} } }, false],
    ['auto', { elicitation: { url: {} } }, false],
    ['never', { elicitation: { url: {} } }, true],
  ] as const) {
    test(`${JSON.stringify(capabilities)} under ${mode ?? 'no setting'}: the command ${runs ? 'runs' : 'does not run'}`, async () => {
      const mcp = await start(capabilities, APPROVED, { mcp: mode === undefined ? '' : `confirm_over_mcp: ${mode}` });
      const result = await mcp.raw.call('approved');
      assert.equal(ran(result), runs);
      assert.deepEqual(mcp.questions, []);
      if (!runs) {
        assert.equal(codeOf(result), 'approval_impossible');
        assert.match(textOf(result), /this client cannot ask a person for it/);
      }
      const warned = mcp.lines.filter(({ level, tag }) => level === 'warn' && tag === 'ai:confirm');
      assert.equal(warned.length, mode === 'auto' && runs ? 1 : 0);
      await mcp.stop();
    });
  }

  test('because it has not said anything yet runs nothing, whatever the mode', async () => {
    for (const mode of ['always', 'auto', 'never']) {
      const mcp = await start(undefined, APPROVED, { mcp: `confirm_over_mcp: ${mode}` });
      const { result, error } = await mcp.raw.request('tools/call', { name: 'approved', arguments: {} });
      assert.ok(error !== undefined || codeOf(result) === 'approval_impossible', mode);
      assert.ok(!mcp.lines.some(({ msg }) => msg === 'tool call running'), mode);
      await mcp.stop();
    }
  });

  test('is asked all the same under auto when it can be, and nobody is under never', async () => {
    const auto = await start(ASKABLE, APPROVED, { mcp: 'confirm_over_mcp: " AUTO "' });
    assert.ok(ran(await auto.raw.call('approved')));
    assert.equal(auto.questions.length, 1);
    await auto.stop();
    const never = await start(ASKABLE, undefined, { mcp: 'confirm_over_mcp: never' });
    assert.ok(ran(await never.raw.call('approved')));
    assert.deepEqual(never.questions, []);
    await never.stop();
  });
});

suite('what an operator is told of approvals', () => {
  for (const [mode, level, text] of [
    ['always', 'info', /clients that cannot ask/],
    ['auto', 'warn', /confirm_over_mcp is auto/],
    ['never', 'warn', /confirm_over_mcp is never/],
  ] as const) {
    test(`at the start under ${mode}: the tools, by name`, async () => {
      const mcp = await start({}, undefined, { mcp: `confirm_over_mcp: ${mode}` });
      const line = mcp.lines.find(({ tools }) => Array.isArray(tools));
      assert.deepEqual([line?.['level'], line?.['tools']], [level, ['approved']]);
      assert.match(String(line?.['msg']), text);
      const connected = mcp.lines.find(({ msg }) => msg === 'client connected');
      assert.deepEqual(
        [connected?.['client'], connected?.['protocol'], connected?.['approvals']],
        ['raw/0', '2025-06-18', { always: 'refused', auto: 'not asked for, and run', never: 'not needed' }[mode]],
      );
      await mcp.stop();
    });
  }
});
