import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Pattern } from '../../src/config/index.ts';
import { createToolSet, selectServed, type Tool } from '../../src/tools/index.ts';
import { command } from './demo.ts';
import { load, noFilter } from './loading.ts';

const filter = (tools: string[], tags: string[] = []) => ({ tools: tools.map((source) => new Pattern(source)), tags });

const application = {
  name: 'x',
  commands: [
    command('stream_ls', {}, [], { tags: ['impact:ro'] }),
    command('stream_rm', {}, [], { tags: ['impact:rw', 'ai:confirm'] }),
    command('Kv', {}, []),
    command('secret', {}, [], { tags: ['ai:deny'] }),
  ],
};

const kept = async (include: ReturnType<typeof filter>, exclude: ReturnType<typeof filter> = noFilter) =>
  (await load(application, { include, exclude })).tools.map(({ name }) => name);

suite('what an operator keeps of an application', () => {
  test('without filters all but what is denied, in declared order', async () => {
    assert.deepEqual(await kept(noFilter), ['stream_ls', 'stream_rm', 'Kv']);
  });

  test('an expression is searched anywhere in the name and minds the case', async () => {
    assert.deepEqual(await kept(filter(['ream'])), ['stream_ls', 'stream_rm']);
    assert.deepEqual(await kept(filter(['kv'])), []);
    assert.deepEqual(await kept(filter(['(?i)^kv$'])), ['Kv']);
  });

  test('a tag is matched whole, and the empty one stands for carrying none', async () => {
    assert.deepEqual(await kept(filter([], ['impact:ro'])), ['stream_ls']);
    assert.deepEqual(await kept(filter([], ['impact'])), []);
    assert.deepEqual(await kept(filter([], [''])), ['Kv']);
  });

  test('any match of either list is enough, and what both filters match is out', async () => {
    assert.deepEqual(await kept(filter(['^Kv$'], ['impact:rw'])), ['stream_rm', 'Kv']);
    assert.deepEqual(await kept(filter(['stream']), filter(['_rm'])), ['stream_ls']);
  });

  test('nothing brings a denied command back', async () => {
    assert.deepEqual(await kept(filter(['secret'], ['ai:deny'])), []);
  });

  test('what is left out is listed with the reason', async () => {
    const { removed } = await load(application, { include: filter(['stream|secret']), exclude: filter(['_rm']) });
    assert.deepEqual(
      removed.map(({ name, reason }) => [name, reason]),
      [
        ['stream_rm', 'excluded'],
        ['Kv', 'not included'],
        ['secret', 'tagged ai:deny'],
      ],
    );
  });

  test('a name that could not be used is not worth a word when it is not wanted anyway', async () => {
    const document = { name: 'x', commands: [command('a.b', {}, [])] };
    const { removed, notices } = await load(document, { exclude: filter(['a']) });
    assert.deepEqual([removed[0]?.reason, notices], ['excluded', []]);
  });

  test('each entry that matches nothing is told', async () => {
    const { notices } = await load(application, { include: filter(['.', '^x$'], ['y']), exclude: filter(['z+']) });
    assert.deepEqual(
      notices.map(({ kind, message }) => [kind, message]),
      [
        ['filter_unmatched', 'include.tools: "^x$" matches no tool'],
        ['filter_unmatched', 'include.tags: "y" matches no tool'],
        ['filter_unmatched', 'exclude.tools: "z+" matches no tool'],
      ],
    );
  });
});

suite('what is served to peers', () => {
  const select = async (more: object = {}, extra: Tool[] = []) => {
    const { tools } = await load(application);
    const options = { include: noFilter, exclude: noFilter, confirmTags: [], ...more };
    const { served, withheld, notices } = selectServed([...tools, ...extra], options);
    const reasons = withheld.map(({ tool, reason }) => [tool.name, reason]);
    return { served: served.map(({ name }) => name), reasons, notices };
  };

  const base: Tool = {
    name: 'other',
    description: 'Other',
    modelDescription: 'Other',
    inputSchema: { type: 'object' },
    mcpExposable: true,
    a2aExposable: true,
    definition: (deferLoading) => ({
      name: 'other',
      description: 'Other',
      inputSchema: { type: 'object' },
      deferLoading,
    }),
    execute: async () => ({ output: '' }),
  };
  const ungated = { needsConfirm: () => false, confirmTrigger: () => undefined, command: '', traceLine: () => '' };

  test('no command that waits for an approval, by the reserved tag or one of the operator', async () => {
    const { served, reasons } = await select({ confirmTags: ['impact:ro'] });
    assert.deepEqual(served, ['Kv']);
    assert.deepEqual(reasons, [
      ['stream_ls', 'needs an approval (impact:ro) and nobody could give it'],
      ['stream_rm', 'needs an approval (ai:confirm) and nobody could give it'],
    ]);
  });

  test('nothing that cannot say whether it is gated', async () => {
    const { served, reasons } = await select({}, [base]);
    assert.ok(!served.includes('other'));
    assert.deepEqual(reasons.at(-1), ['other', 'it cannot say whether it needs an approval']);
  });

  test('nothing of a kind that is never served, without a usable name, or without a description', async () => {
    const odd = (more: object): Tool => ({ ...base, ...ungated, ...more });
    const { reasons } = await select({}, [
      odd({ name: 'a', a2aExposable: false }),
      odd({ name: 'b.c' }),
      odd({ name: 'd', modelDescription: '' }),
    ]);
    assert.deepEqual(
      reasons.slice(1).map(([name, reason]) => `${name}: ${reason}`),
      [
        'a: this kind of tool is never served to peers',
        'b.c: its name holds characters other than letters, digits, _ and -',
        'd: it has no description',
      ],
    );
    assert.deepEqual((await select({}, [odd({})])).served, ['stream_ls', 'Kv', 'other']);
  });

  test('the filters of serving only narrow, and entries that match nothing are told', async () => {
    const { served, notices } = await select({ include: filter(['Kv', 'secret']), exclude: filter([], ['nope']) });
    assert.deepEqual(served, ['Kv']);
    assert.deepEqual(
      notices.map(({ message }) => message),
      [
        'expose.agent.tools.include.tools: "secret" matches no tool',
        'expose.agent.tools.exclude.tags: "nope" matches no tool',
      ],
    );
  });
});

suite('a set of tools', () => {
  test('finds each by name and nothing that is not there', async () => {
    const { tools } = await load(application);
    const set = createToolSet(tools);
    assert.equal(set.tools.get('Kv'), tools[2]);
    assert.equal(set.tools.get('constructor'), undefined);
    assert.deepEqual(
      [...set.tools.keys()],
      set.definitions.map(({ name }) => name),
    );
  });

  test('cannot be changed', async () => {
    const set = createToolSet((await load(application)).tools);
    assert.throws(() => Object.assign(set, { deferred: true }), TypeError);
    assert.throws(() => (set.definitions as unknown[]).push({}), TypeError);
    assert.throws(() => Object.assign(set.definitions[0] as object, { name: 'other' }), TypeError);
  });

  test('holds no two tools of one name', async () => {
    const { tools } = await load(application);
    assert.throws(() => createToolSet([...tools, ...tools]), {
      name: 'FISK_TOOL_NAME_DUPLICATE',
      message: /"stream_ls"/,
    });
  });
});
