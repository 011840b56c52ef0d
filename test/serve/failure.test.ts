import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandTimeoutError } from '../../src/errors.ts';
import { failureReply } from '../../src/serve/failure.ts';
import { DeferredEnding, PromptAbortedEnding } from '../../src/tools/index.ts';

test('a call that would be answered later is refused by one text, which never holds what the tool says of it', () => {
  const later = failureReply(new DeferredEnding('ask Anna about order 7', 'handle-7'), 'order', '30s');
  assert.deepEqual([later.isError, later.code], [true, 'deferred_unsupported']);
  assert.match(later.output, /order/);
  assert.doesNotMatch(later.output, /Anna|handle-7/);
  assert.deepEqual(failureReply(new PromptAbortedEnding(), 'order', '30s'), later);
});

test('a timeout says that the work may be incomplete, and then what was written, if anything', () => {
  const after = (output: string) =>
    failureReply(new CommandTimeoutError('x', 2000, { output, truncated: false }), 'order', '2s');
  assert.equal(after('').code, 'timeout');
  assert.match(after('').output, /^the tool order did not end within 2s .*incomplete.*wrote nothing\.$/);
  assert.match(after('half\n').output, /incomplete.*:\nhalf\n$/);
});

test('anything else is an error by its own text and without a code', () => {
  assert.deepEqual(failureReply(new Error('no more of these'), 'x', '2s'), {
    isError: true,
    output: 'no more of these',
  });
  assert.deepEqual(failureReply('odd', 'x', '2s'), { isError: true, output: 'odd' });
});
