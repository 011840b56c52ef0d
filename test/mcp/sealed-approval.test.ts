import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { type McpOptions, startRawMcp } from '../support/mcp.ts';
import type { Json } from '../support/raw-mcp.ts';

const { rows } = JSON.parse(readFileSync(join(import.meta.dirname, 'cases', 'answers.json'), 'utf8'));

const textOf = (result: Json) => result.content.map(({ text }: Json) => text).join('\n');
const codeOf = (result: Json) => result._meta?.['fisk/code'];
const ran = (result: Json) => result.structuredContent !== undefined;
const APPROVED = { action: 'accept', content: { approve: true } };
const ASKABLE = { elicitation: { form: {} } };

async function start(options: McpOptions = {}) {
  const mcp = await startRawMcp(options);
  /** One round of a call. `back` is what comes with it. */
  const call = async (name: string, args: object = {}, back: object = {}, capabilities: object = ASKABLE) => {
    const answer = await mcp.raw.modern('tools/call', { name, arguments: args, ...back }, capabilities);
    assert.equal(answer.error, undefined, JSON.stringify(answer.error));
    return answer.result;
  };
  /** Calls until the question is there, and gives what was sent with it. */
  const ask = async (name: string, args: object = {}) => {
    const result = await call(name, args);
    assert.equal(result.resultType, 'input_required', JSON.stringify(result));
    return result;
  };
  const runs = () => mcp.lines.filter(({ msg }) => msg === 'tool call running').length;
  return { ...mcp, call, ask, runs };
}

const answered = (asked: Json, answer: Json = APPROVED) => ({
  requestState: asked.requestState,
  inputResponses: { [Object.keys(asked.inputRequests)[0] ?? '']: answer },
});

suite('a command that needs an approval, with a client that repeats its call', () => {
  for (const { id, client, answer, arguments: args = {}, runs } of rows) {
    const what = client ?? (typeof answer === 'string' ? answer : JSON.stringify(answer));
    test(`${id}: ${what}: ${runs ? 'runs' : 'does not run'}`, async () => {
      const mcp = await start();
      if (client !== undefined) {
        const result = await mcp.call('approved', args, {}, {});
        assert.equal(result.isError, true);
      } else if (typeof answer === 'string') {
        // A client whose person gave no answer repeats the call without one: that is no approval.
        const result = await mcp.call('approved', args, {
          requestState: (await mcp.ask('approved', args)).requestState,
        });
        assert.equal(result.resultType, 'input_required');
      } else {
        const back = answered(await mcp.ask('approved', args), answer);
        const { result, error } = await mcp.raw.modern(
          'tools/call',
          { name: 'approved', arguments: args, ...back },
          ASKABLE,
        );
        assert.equal(result !== undefined && ran(result), runs, JSON.stringify(result ?? error));
      }
      assert.equal(mcp.runs(), runs ? 1 : 0);
      await mcp.stop();
    });
  }

  test('asks the same question as in a session', async () => {
    const mcp = await start();
    const { inputRequests } = await mcp.ask('approved');
    const [request]: Json[] = Object.values(inputRequests);
    assert.equal(request.method, 'elicitation/create');
    assert.equal(request.params.mode, 'form');
    assert.match(request.params.message, /^lab asks .*ai:confirm:\n\napproved\n/);
    await mcp.stop();
  });

  test('takes an approval once', async () => {
    const mcp = await start();
    const back = answered(await mcp.ask('approved'));
    assert.ok(ran(await mcp.call('approved', {}, back)));
    const again = await mcp.call('approved', {}, back);
    assert.deepEqual([codeOf(again), mcp.runs()], ['approval_failed', 1]);
    assert.match(textOf(again), /holds once/);
    await mcp.stop();
  });

  test('takes no approval whose time is up', async () => {
    const clock = { now: 0 };
    const mcp = await start({ timing: { now: () => clock.now } });
    const back = answered(await mcp.ask('approved'));
    clock.now = 120_000;
    assert.match(textOf(await mcp.call('approved', {}, back)), /came too late/);
    assert.equal(mcp.runs(), 0);
    await mcp.stop();
  });

  test('takes no state that it did not send, or that was changed', async () => {
    const mcp = await start();
    const asked = await mcp.ask('approved');
    const changed = asked.requestState.replace(/^./, (first: string) => (first === 'e' ? 'f' : 'e'));
    for (const requestState of [changed, '', 'x.y', asked.requestState.split('.')[0]]) {
      const result = await mcp.call('approved', {}, { ...answered(asked), requestState });
      assert.equal(codeOf(result), 'approval_failed', requestState);
    }
    const without = await mcp.call('approved', {}, { inputResponses: answered(asked).inputResponses });
    assert.equal(codeOf(without), 'approval_failed');
    assert.equal(mcp.runs(), 0);
    assert.ok(ran(await mcp.call('approved', {}, answered(asked))), 'the right one still counts');
    await mcp.stop();
  });

  test('asks again for other arguments, about those', async () => {
    const mcp = await start({ yaml: 'harness: {confirm_tags: ["ai:read_only"]}' });
    const back = answered(await mcp.ask('echo', { words: ['one'] }));
    const again = await mcp.call('echo', { words: ['two'] }, back);
    assert.equal(again.resultType, 'input_required');
    const [request]: Json[] = Object.values(again.inputRequests);
    assert.match(request.params.message, /\n\necho -- two\n\n/);
    assert.equal(codeOf(await mcp.call('echo', { words: ['one'] }, back)), 'approval_failed', 'the first is used up');
    assert.equal(mcp.runs(), 0);
    assert.equal((await mcp.call('echo', { words: ['two'] }, answered(again))).structuredContent.output, '[two]\n');
    await mcp.stop();
  });

  test('takes no approval of another tool, also one with the same words', async () => {
    const mcp = await start({ yaml: 'harness: {confirm_tags: ["ai:read_only"]}' });
    const back = answered(await mcp.ask('echo', { words: ['1'] }));
    assert.equal(codeOf(await mcp.call('sleep', { seconds: '1' }, back)), 'approval_failed');
    assert.equal(codeOf(await mcp.call('approved', {}, answered(await mcp.ask('echo')))), 'approval_failed');
    assert.equal(mcp.runs(), 0);
    await mcp.stop();
  });

  test('does not ask about arguments that do not fit', async () => {
    const mcp = await start();
    assert.equal(codeOf(await mcp.call('approved', { approve: true })), 'invalid_input');
    await mcp.stop();
  });

  test('is judged by what each request says that the client can do', async () => {
    const mcp = await start();
    for (const [capabilities, asks] of [
      [{ elicitation: {} }, true],
      [{ elicitation: { form: {} } }, true],
      [{ elicitation: { url: {} } }, false],
      [{}, false],
      [{ elicitation: { url: {}, form: {} } }, true],
    ] as const) {
      const result = await mcp.call('approved', {}, {}, capabilities);
      assert.equal(result.resultType === 'input_required', asks, JSON.stringify(capabilities));
      if (!asks) assert.equal(codeOf(result), 'approval_impossible');
    }
    const back = answered(await mcp.ask('approved'));
    assert.equal(codeOf(await mcp.call('approved', {}, back, {})), 'approval_impossible');
    assert.equal(mcp.runs(), 0);
    await mcp.stop();
  });

  test('runs without a question under auto for a client that cannot be asked, and under never', async () => {
    const auto = await start({ mcp: 'confirm_over_mcp: auto' });
    assert.ok(ran(await auto.call('approved', {}, {}, {})));
    assert.equal((await auto.call('approved')).resultType, 'input_required');
    await auto.stop();
    const never = await start({ mcp: 'confirm_over_mcp: never' });
    assert.ok(ran(await never.call('approved')));
    await never.stop();
  });
});
