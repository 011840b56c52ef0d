import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { Seals } from '../../src/mcp/approval/seals.ts';

const CALL = { holder: 'session-1', tool: 'stream_rm', argv: ['stream', 'rm', '--', 'S one'] };

function seals(options: { limit?: number } = {}) {
  const clock = { now: 0 };
  return { clock, seals: new Seals({ lifetimeMs: 120_000, now: () => clock.now, ...options }) };
}

suite('the mark of a question', () => {
  test('is good for its call, once', () => {
    const { seals: marks } = seals();
    const mark = marks.seal(CALL);
    assert.equal(marks.use(mark, CALL), 'good');
    assert.equal(marks.use(mark, CALL), 'used');
  });

  test('is good until its time is up, and not at that moment', () => {
    for (const [after, worth] of [
      [119_999, 'good'],
      [120_000, 'expired'],
    ] as const) {
      const { seals: marks, clock } = seals();
      const mark = marks.seal(CALL);
      clock.now = after;
      assert.equal(marks.use(mark, CALL), worth);
    }
  });

  test('is worth nothing for another holder or tool, and asks again for other arguments', () => {
    for (const [other, worth] of [
      [{ ...CALL, holder: 'session-2' }, 'invalid'],
      [{ ...CALL, holder: '' }, 'invalid'],
      [{ ...CALL, tool: 'stream_ls' }, 'invalid'],
      [{ ...CALL, argv: ['stream', 'rm', '--', 'S', 'one'] }, 'other arguments'],
      [{ ...CALL, argv: ['stream', 'rm', '-- S one'] }, 'other arguments'],
    ] as const) {
      const { seals: marks } = seals();
      const mark = marks.seal(CALL);
      assert.equal(marks.use(mark, other), worth);
      assert.equal(marks.use(mark, CALL), 'used', 'what was shown is used up');
    }
  });

  test('of another process is worth nothing', () => {
    assert.equal(seals().seals.use(seals().seals.seal(CALL), CALL), 'invalid');
  });

  test('that was changed in any place is worth nothing', () => {
    const { seals: marks } = seals();
    const mark = marks.seal(CALL);
    fc.assert(
      fc.property(fc.nat(mark.length - 1), fc.constantFrom(...'ABCxyz019-_.'), (at, character) => {
        const changed = mark.slice(0, at) + character + mark.slice(at + 1);
        return changed === mark || marks.use(changed, CALL) === 'invalid';
      }),
    );
    assert.equal(marks.use(mark, CALL), 'good', 'and the right one is still there');
  });

  test('that is any text at all is worth nothing and breaks nothing', () => {
    const { seals: marks } = seals();
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => marks.use(text, CALL) === 'invalid'));
    for (const text of ['', '.', '..', '....', `${marks.seal(CALL)}.`]) assert.equal(marks.use(text, CALL), 'invalid');
  });

  test('is never like another one', () => {
    const { seals: marks } = seals();
    assert.notEqual(marks.seal(CALL), marks.seal(CALL));
  });
});

suite('open questions', () => {
  test('are bounded: beyond the bound the oldest can no longer be answered', () => {
    const { seals: marks } = seals({ limit: 3 });
    const all = Array.from({ length: 5 }, () => marks.seal(CALL));
    assert.equal(marks.open, 3);
    assert.deepEqual(
      all.map((mark) => marks.use(mark, CALL)),
      ['used', 'used', 'good', 'good', 'good'],
    );
  });

  test('are forgotten when their time is up', () => {
    const { seals: marks, clock } = seals();
    for (let at = 0; at < 100; at++) marks.seal(CALL);
    clock.now = 200_000;
    marks.seal(CALL);
    assert.equal(marks.open, 1);
  });
});
