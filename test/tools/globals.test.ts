import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { mergeSchema } from '../../src/tools/application/schema.ts';
import { command } from './demo.ts';
import { argvOf, load, toolOf } from './loading.ts';

const flag = (name: string, more: object = {}) => ({ name, help: '', boolean: false, cumulative: false, ...more });

const application = (flags: object[], more: object = {}) => ({
  name: 'x',
  flags,
  commands: [command('c', {}, [], more)],
});

suite('which global flags a call may use', () => {
  test('those the operator lists, as listed, then the required ones as declared, also a hidden one', async () => {
    const flags = [
      flag('first', { required: true }),
      flag('a'),
      flag('b'),
      flag('secret', { required: true, hidden: true }),
      flag('help-like', { required: true }),
      flag('version', { required: true }),
    ];
    const loaded = await load(application(flags), { globalFlags: ['b', 'a', 'first'] });
    const tool = toolOf(loaded, 'c');
    const text = '{"secret":"4","first":"3","a":"2","b":"1"}';
    assert.deepEqual(argvOf(tool, text), ['c', '--b=1', '--a=2', '--first=3', '--secret=4']);
    assert.deepEqual(tool.inputSchema['required'], ['first', 'secret']);
    assert.throws(() => argvOf(tool, '{"version":"x"}'), /"version" is unknown/);
  });

  test('one that the application does not have fails the load', async () => {
    const refusal = { name: 'FISK_GLOBAL_FLAG_UNKNOWN', message: /no global flag "nope"/ };
    await assert.rejects(load(application([flag('a')]), { globalFlags: ['nope'] }), refusal);
  });

  test('one that is misspelt is answered with its place, what was meant and what there is', async () => {
    const flags = [flag('site'), flag('verbose'), flag('secret', { hidden: true }), flag('help')];
    const options = { globalFlags: ['verbose', 'sit'], globalFlagPlace: (index: number) => `agent.yaml:${index}:5` };
    await assert.rejects(load(application(flags), options), {
      message: 'agent.yaml:1:5: the application has no global flag "sit"',
      remedy: 'Did you mean site? It has: site, verbose.',
    });
    await assert.rejects(load(application([]), { globalFlags: ['sit'] }), { remedy: /no global flags/ });
  });

  for (const name of [
    'help',
    'help-long',
    'help-man',
    'completion-zsh-menu',
    'fisk-introspect',
    'version',
    'fisk-new',
  ]) {
    test(`--${name} is the framework's and fails the load`, async () => {
      const refusal = { name: 'FISK_GLOBAL_FLAG_REFUSED', message: new RegExp(`"${name}" belongs to the framework`) };
      await assert.rejects(load(application([flag(name)]), { globalFlags: [name] }), refusal);
    });
  }

  test('a hidden one fails the load', async () => {
    const refusal = { name: 'FISK_GLOBAL_FLAG_REFUSED', message: /"h" is hidden/ };
    await assert.rejects(load(application([flag('h', { hidden: true })]), { globalFlags: ['h'] }), refusal);
  });

  test('a command keeps its own argument of the same name, hidden or not', async () => {
    for (const own of [{ args: [flag('context', { hidden: true })] }, { flags: [flag('context', { hidden: true })] }]) {
      const tool = toolOf(await load(application([flag('context')], own), { globalFlags: ['context'] }), 'c');
      assert.throws(() => argvOf(tool, '{"context":"x"}'), /"context" is unknown/);
    }
  });

  test('all but the hidden and the framework ones are listed, exposed or not', async () => {
    const flags = [flag('a', { help: 'A' }), flag('b', { required: true }), flag('h', { hidden: true }), flag('help')];
    const { globals } = await load(application([...flags, flag('c')]), { globalFlags: ['a'] });
    assert.deepEqual(globals, [
      { name: 'a', help: 'A', exposed: true, required: false },
      { name: 'b', help: '', exposed: true, required: true },
      { name: 'c', help: '', exposed: false, required: false },
    ]);
  });
});

suite('how global flags are advertised', () => {
  test('each as a property of its own kind', async () => {
    const flags = [
      flag('text', { help: 'Some text' }),
      flag('on', { boolean: true }),
      flag('many', { cumulative: true, completions: ['x'] }),
      flag('level', { completions: ['info', 'warn'] }),
      flag('must', { required: true }),
      flag('had', { required: true, default: ['d'] }),
    ];
    const globalFlags = flags.map(({ name }) => name);
    const { inputSchema } = toolOf(await load(application(flags), { globalFlags }), 'c');
    assert.deepEqual(JSON.parse(JSON.stringify(inputSchema)), {
      type: 'object',
      additionalProperties: false,
      properties: {
        text: { type: 'string', description: 'Global flag: Some text' },
        on: { type: 'boolean', description: 'Global flag' },
        many: { type: 'array', items: { type: 'string' }, description: 'Global flag' },
        level: { type: 'string', description: 'Global flag', enum: ['info', 'warn'] },
        must: { type: 'string', description: 'Global flag' },
        had: { type: 'string', description: 'Global flag' },
      },
      required: ['must'],
    });
  });

  test('their values are judged like any other', async () => {
    const flags = [flag('level', { completions: ['info', 'warn'] }), flag('on', { boolean: true })];
    const tool = toolOf(await load(application(flags), { globalFlags: ['level', 'on'] }), 'c');
    assert.deepEqual(argvOf(tool, '{"level":"warn","on":true}'), ['c', '--level=warn', '--on']);
    assert.throws(() => argvOf(tool, '{"level":"debug"}'), /"level" must be one of "info", "warn"/);
    assert.throws(() => argvOf(tool, '{"on":"yes"}'), /"on" must be true or false/);
  });

  test('a name that every object has can be one', async () => {
    const tool = toolOf(await load(application([flag('__proto__')]), { globalFlags: ['__proto__'] }), 'c');
    assert.deepEqual(Object.keys(tool.inputSchema['properties'] as object), ['__proto__']);
    assert.deepEqual(argvOf(tool, '{"__proto__":"x"}'), ['c', '--__proto__=x']);
  });

  test('the published schema is copied, never changed', () => {
    const arg = { name: 'shared', help: '', defaults: [], required: true, hidden: false, cumulative: false };
    const global = { ...arg, name: 'a', boolean: false, negatable: false, completions: [] };
    const published = Object.freeze({
      type: 'object',
      properties: Object.freeze({ own: { type: 'string' }, shared: { type: 'array' } }),
      required: Object.freeze(['own']),
    });
    const globals = [global, { ...global, name: 'own' }];
    const { properties, required } = mergeSchema(published, { globals, replaced: [{ ...arg, takesValue: true }] });
    assert.deepEqual(required, ['own', 'a']);
    assert.deepEqual(Object.keys(properties as object), ['own', 'shared', 'a']);
    assert.deepEqual((properties as { own: object }).own, { type: 'string' }, 'a property that is there is left alone');
  });

  test('what a model is told is the same after every load', async () => {
    const told = async () => {
      const { tools } = await load(application([flag('a'), flag('b')]), { globalFlags: ['b', 'a'] });
      return JSON.stringify(tools.map((tool) => tool.definition(false)));
    };
    assert.equal(await told(), await told());
  });
});
