import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { cardBehavior, readTags } from '../../src/tools/index.ts';
import { command } from './demo.ts';
import { load, readCase, toolOf } from './loading.ts';

interface Row {
  readonly tags: readonly string[];
  readonly readOnly: boolean | 'unset';
  readonly destructive: boolean | 'unset';
  readonly conflict: boolean;
  readonly unknown: boolean;
}

function orders<Value>(values: readonly Value[]): Value[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((value, index) => orders(values.toSpliced(index, 1)).map((rest) => [value, ...rest]));
}

suite('what tags declare, in any order', () => {
  for (const row of readCase('behavior.json') as Row[]) {
    test(row.tags.join(' ') || 'no tags', () => {
      for (const tags of orders(row.tags)) {
        const { behavior, conflicts, unknown } = readTags(tags);
        assert.equal(behavior.readOnly ?? 'unset', row.readOnly);
        assert.equal(behavior.destructive ?? 'unset', row.destructive);
        assert.equal(conflicts.length > 0, row.conflict);
        assert.equal(unknown.length > 0, row.unknown);
      }
    });
  }

  test('being idempotent says nothing about the rest, and nothing says whether the world is open', () => {
    assert.deepEqual(readTags(['ai:idempotent']).behavior, { idempotent: true });
    assert.deepEqual(readTags(['ai:confirm', 'ai:deny', 'ai:no_defer', 'x']).behavior, {});
    assert.deepEqual(readTags(['ai:odd', 'ai:odd']).unknown, ['ai:odd'], 'said once, however often it is carried');
  });

  test('each contradicting pair is reported, the milder one only when nothing worse is there', () => {
    const pairs = (...tags: string[]) => readTags(tags).conflicts.map((pair) => pair.join(' '));
    assert.deepEqual(pairs('ai:additive', 'ai:read_only'), ['ai:read_only ai:additive']);
    assert.deepEqual(pairs('ai:additive', 'ai:read_only', 'ai:destructive'), [
      'ai:read_only ai:destructive',
      'ai:destructive ai:additive',
    ]);
  });
});

suite('the card form of a behavior', () => {
  test('holds what is declared, and is absent when nothing is', () => {
    assert.equal(cardBehavior({}), undefined);
    assert.deepEqual(cardBehavior({ readOnly: false, destructive: true }), { read_only: false, destructive: true });
    assert.deepEqual(cardBehavior({ idempotent: true, openWorld: false }), { idempotent: true, open_world: false });
  });
});

suite('tags of loaded commands', () => {
  const tagged = (...tags: string[]) => ({ name: 'x', commands: [command('c', {}, [], { tags })] });

  test('an unknown reserved tag and a contradiction are told once a tool, which stays usable', async () => {
    const loaded = await load(tagged('ai:house_rule', 'ai:read_only', 'ai:destructive', 'AI:CONFIRM'));
    assert.deepEqual(
      loaded.notices.map(({ kind, tool }) => [kind, tool]),
      [
        ['unknown_reserved_tag', 'c'],
        ['behavior_tag_conflict', 'c'],
      ],
    );
    assert.match(loaded.notices[0]?.message ?? '', /"ai:house_rule" has no meaning here; .* ai:deny,.* ai:idempotent$/);
    assert.deepEqual(toolOf(loaded, 'c').behavior(), { readOnly: false, destructive: true });
  });

  test('a denied command is in no set, whatever the filters', async () => {
    const loaded = await load(tagged('ai:deny', 'ai:read_only', 'ai:confirm'));
    assert.deepEqual(loaded.tools, []);
    assert.deepEqual(loaded.removed, [{ name: 'c', command: 'c', reason: 'tagged ai:deny' }]);
  });

  test('the reserved tag gates before any other, then the first of the command that the operator lists', async () => {
    const trigger = async (tags: string[], listed: string[]) =>
      toolOf(await load(tagged(...tags)), 'c').confirmTrigger(listed);
    assert.equal(await trigger(['impact:rw', 'ai:confirm'], ['impact:rw']), 'ai:confirm');
    assert.equal(await trigger(['ai:confirm', 'impact:rw'], ['impact:rw']), 'ai:confirm');
    assert.equal(await trigger(['admin', 'impact:rw'], ['impact:rw', 'admin']), 'admin');
    assert.equal(await trigger(['AI:CONFIRM', 'Admin'], ['admin']), undefined);
    assert.equal(await trigger(['ai:confirm', 'ai:read_only'], []), 'ai:confirm');
  });

  test('a listed tag that no command carries is told once', async () => {
    const { notices } = await load(tagged('admin'), { confirmTags: ['admin', 'impact:rw', 'ai:confirm'] });
    assert.deepEqual(
      notices.map(({ kind, message }) => [kind, message.match(/"(.*)"/)?.[1]]),
      [['confirm_tag_unmatched', 'impact:rw']],
    );
  });

  test('a command may refuse to be kept from the model', async () => {
    const loading = async (...tags: string[]) => toolOf(await load(tagged(...tags)), 'c').definition(true).deferLoading;
    assert.deepEqual([await loading(), await loading('ai:no_defer')], [true, false]);
  });
});
