import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLogger, StormLog } from '../../src/observe/index.ts';

const SUMMARY = 'more of these lines were counted instead of written';

function storms(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = new StormLog(createLogger({ level: 'info', format: 'json', destination }), 1_000);
  const warn = (count: number, message = 'refused', code = 'capacity', sender = 'ops') => {
    for (let i = 0; i < count; i++) log.warn(message, { code, sender }, () => ({ nth: i }));
  };
  return { log, warn, lines, messages: () => lines.map(({ msg }) => msg) };
}

test('a few lines are written one by one, interval after interval, and nothing is added', (t) => {
  const { warn, messages } = storms(t);
  for (let round = 0; round < 3; round++) {
    warn(10);
    t.mock.timers.tick(1_000);
  }
  assert.deepEqual(messages(), Array(30).fill('refused'));
});

test('of a storm the first lines are written and the rest is one line an interval, with every number in it', (t) => {
  const { warn, lines, messages } = storms(t);
  warn(15);
  warn(3, 'refused', 'draining', '__proto__');
  t.mock.timers.tick(1_000);
  warn(500);
  t.mock.timers.tick(1_000);
  assert.deepEqual(messages(), [...Array(10).fill('refused'), SUMMARY, SUMMARY]);
  const [first, second] = lines.slice(10);
  assert.deepEqual([first?.['line'], first?.['lines']], ['refused', 8]);
  assert.deepEqual(first?.['codes'], { capacity: 5, draining: 3 });
  assert.deepEqual(first?.['senders'], [
    ['ops', 5],
    ['__proto__', 3],
  ]);
  assert.deepEqual([second?.['lines'], second?.['codes']], [500, { capacity: 500 }]);
});

test('a storm is over when an interval was quiet, and the next lines are written again', (t) => {
  const { warn, messages } = storms(t);
  warn(11);
  t.mock.timers.tick(1_000);
  t.mock.timers.tick(1_000);
  warn(2);
  assert.deepEqual(messages(), [...Array(10).fill('refused'), SUMMARY, 'refused', 'refused']);
});

test('a storm of one message hides no other, and what was counted is told when the log closes', (t) => {
  const { log, warn, lines, messages } = storms(t);
  warn(12, 'malformed', 'json');
  warn(1);
  log.close();
  log.close();
  assert.deepEqual(messages(), [...Array(10).fill('malformed'), 'refused', SUMMARY]);
  assert.deepEqual([lines.at(-1)?.['line'], lines.at(-1)?.['lines']], ['malformed', 2]);
});

test('however many senders there are, and however long their names, the line stays short', (t) => {
  const { log, warn, lines } = storms(t);
  warn(10);
  for (let i = 0; i < 10_000; i++) warn(1, 'refused', 'capacity', `${i}${'x'.repeat(1_000)}`);
  log.close();
  const [summary] = lines.slice(-1);
  assert.deepEqual([summary?.['lines'], summary?.['of_other_senders']], [10_000, 9_980]);
  assert.ok(JSON.stringify(summary).length < 4_000);
});
