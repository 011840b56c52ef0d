import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callJson, resultOf as read, resultOfFailure } from '../../src/cli/call-result.ts';
import {
  CallCancelledError,
  CallTimeoutError,
  ConnectFailedError,
  IdentityInvalidError,
  NoAckError,
  NoRespondersError,
  PeerSilentError,
  ReplyInvalidError,
  UsageError,
} from '../../src/errors.ts';
import type { RemoteOutcome } from '../../src/nats/index.ts';

function outcome(more: Partial<RemoteOutcome>): RemoteOutcome {
  return { output: '', isError: false, reply: {} as RemoteOutcome['reply'], ...more };
}

const resultOf = (answer: RemoteOutcome) => read(answer, { agent: 'depot', tool: 'part_ls' });

const exec = (exitCode: number) => ({ command: 'part ls', exitCode, truncated: false });

test('a command that ran gives its own exit code, whatever it means elsewhere', () => {
  for (const code of [0, 1, 65, 70, 75, 124, 130, 255]) {
    const result = resultOf(outcome({ output: 'text', exec: exec(code) }));
    assert.deepEqual([result.class, result.exitCode, result.output], ['ran', code, 'text']);
    assert.equal(result.error, undefined);
  }
});

test('a command that a signal ended is 255', () => {
  assert.equal(resultOf(outcome({ exec: exec(-1) })).exitCode, 255);
});

test('an answer without a command is a success', () => {
  const result = resultOf(outcome({ output: '{"a":1}' }));
  assert.deepEqual([result.class, result.exitCode, result.output], ['answered', 0, '{"a":1}']);
});

for (const [code, name, exitCode] of [
  ['invalid_input', 'invalid_input', 65],
  ['unknown_tool', 'unknown_tool', 65],
  ['capacity', 'capacity', 75],
  ['draining', 'draining', 75],
  ['interrupted', 'interrupted', 75],
  ['timeout', 'timeout', 124],
  ['deferred_unsupported', 'failed', 70],
  ['something_new', 'failed', 70],
  ['constructor', 'failed', 70],
  [undefined, 'failed', 70],
] as const) {
  test(`a reply with the code ${code ?? 'left out'} is ${name}, exit ${exitCode}, and its text is no output`, () => {
    const result = resultOf(outcome({ isError: true, output: 'why', ...(code === undefined ? {} : { code }) }));
    assert.deepEqual([result.class, result.exitCode, result.output], [name, exitCode, '']);
    assert.equal(result.error?.message, code === 'unknown_tool' ? 'part_ls: why' : 'why');
    assert.equal(result.error?.remedy !== undefined, name !== 'failed' || code === 'deferred_unsupported');
  });
}

for (const [error, name, exitCode] of [
  [new UsageError('x'), 'usage', 1],
  [new IdentityInvalidError('x'), 'usage', 1],
  [new ConnectFailedError('x'), 'connection', 1],
  [new NoRespondersError('x'), 'no_responders', 69],
  [new NoAckError('x'), 'timeout', 124],
  [new PeerSilentError('x'), 'timeout', 124],
  [new CallTimeoutError('x'), 'timeout', 124],
  [new CallCancelledError('x'), 'canceled', 130],
  [new ReplyInvalidError('x'), 'invalid', 1],
  [new TypeError('x'), 'error', 1],
  ['x', 'error', 1],
] as const) {
  const what = typeof error === 'string' ? 'thrown text' : error.name;
  test(`${what} is ${name}, exit ${exitCode}`, () => {
    const result = resultOfFailure(error);
    assert.deepEqual([result.class, result.exitCode], [name, exitCode]);
  });
}

test('the JSON form has the class, the exit code and either output or error', () => {
  assert.deepEqual(callJson('depot', 'part_ls', resultOf(outcome({ output: 'text', exec: exec(3) })), 12), {
    agent: 'depot',
    tool: 'part_ls',
    class: 'ran',
    exit_code: 3,
    output: 'text',
    exec: { command: 'part ls', exit_code: 3, truncated: false },
    duration_ms: 12,
  });
  const refused = resultOf(outcome({ isError: true, code: 'capacity', output: 'full' }));
  assert.deepEqual(callJson('depot', 'part_ls', refused, 12), {
    agent: 'depot',
    tool: 'part_ls',
    class: 'capacity',
    exit_code: 75,
    output: '',
    error: {
      message: 'full',
      code: 'capacity',
      remedy: 'Try again later, or raise max_concurrent_tools at the agent.',
    },
    duration_ms: 12,
  });
});

test('a remedy names the agent and the tool, after what was probably meant', () => {
  const refused = outcome({ isError: true, code: 'invalid_input', output: 'no' });
  const { error } = read(refused, { agent: 'depot', tool: 'part_add', meant: 'Did you mean colour for colr?' });
  assert.equal(error?.remedy, 'Did you mean colour for colr? fisk discover depot part_add shows what the tool takes.');
});

test('an interrupted call is not to be repeated unseen', () => {
  const { error, exitCode } = resultOf(outcome({ isError: true, code: 'interrupted', output: 'gone' }));
  assert.equal(exitCode, 75);
  assert.match(error?.remedy ?? '', /before you repeat.*read-only or idempotent/);
});

test('a code that is none is never success', () => {
  for (const code of [256, 512, 1e300, -256, 0.5, 2 ** 32]) {
    assert.equal(resultOf(outcome({ exec: exec(code) })).exitCode, 255, String(code));
  }
});
