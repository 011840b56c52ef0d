import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { ArgumentsInvalidError } from '../../src/errors.ts';
import { inputFromText, type LoadedApplication } from '../../src/tools/index.ts';
import { demo } from './demo.ts';
import { argvOf, load, printed, readCase, seenArgv, toolOf } from './loading.ts';

interface Call {
  readonly what: string;
  readonly tool: string;
  readonly text: string;
  readonly tokens?: readonly string[];
  readonly refused?: string;
}

suite('calls of a parts depot, whose commands publish no full schema', () => {
  let application: LoadedApplication;
  before(async () => {
    application = await load(readCase('depot.json'));
  });

  for (const call of readCase('depot-calls.json') as Call[]) {
    test(call.what, async () => {
      const tool = toolOf(application, call.tool);
      if (call.tokens === undefined) {
        const refusal = { name: 'FISK_ARGUMENTS_INVALID', message: new RegExp(call.refused ?? '', 's') };
        await assert.rejects(async () => tool.execute({}, inputFromText(call.text), {}), refusal);
        return;
      }
      const argv = [...call.tool.split('_'), ...call.tokens];
      assert.deepEqual(argvOf(tool, call.text), argv);
      assert.equal(await seenArgv(tool, call.text), printed(argv));
    });
  }
});

suite('calls of the demo, with two global flags exposed', () => {
  let application: LoadedApplication;
  before(async () => {
    application = await load(demo, { globalFlags: ['context', 'trace'] });
  });

  const accepted: [string, string, string[]][] = [
    [
      'add',
      '{"name":"-x","count":3,"force":false,"yes":false,"label":{"b":"2","a":"1"},"tag":["p","q"],"extra":["e1","--e2"],"kind":"fancy","context":"prod","trace":false}',
      'add --context=prod --no-trace --no-force --count=3 --label=a=1 --label=b=2 --tag=p --tag=q -- -x fancy e1 --e2'.split(
        ' ',
      ),
    ],
    ['add', '{"name":"n","extra":["e"]}', ['add', '--', 'n', 'plain', 'e']],
    ['add', '{"name":"n","tag":"single"}', ['add', '--tag=single', '--', 'n']],
    ['add', '{"name":"n","ttl":"","tag":[]}', ['add', '--ttl=', '--', 'n']],
    ['add', '{"name":"a","name":"b","count":1e3,"ratio":1.50}', ['add', '--count=1e3', '--ratio=1.50', '--', 'b']],
    ['add', '{"name":"n","count":9007199254740993}', ['add', '--count=9007199254740993', '--', 'n']],
    ['add', '{"name":"n","context":"-x"}', ['add', '--context=-x', '--', 'n']],
    ['add', '{"name":"n","context":"@file"}', ['add', '--context=@file', '--', 'n']],
    ['add', '{"name":"@file"}', ['add', '--', '@file']],
    ['add', '{"name":"n","context":null}', ['add', '--', 'n']],
    ['add', '{"name":"n","verbosity":true}', ['add', '--verbosity', '--', 'n']],
    ['add', '{"name":"n","verbosity":[1,1]}', ['add', '--verbosity', '--verbosity', '--', 'n']],
    ['add', '{"name":"n","verbosity":3}', ['add', '--verbosity', '--verbosity', '--verbosity', '--', 'n']],
    ['add', '{"name":"n","verbosity":0}', ['add', '--', 'n']],
    ['add', '{"name":"n","verbosity":false}', ['add', '--', 'n']],
    ['add', '{"name":5,"kind":true}', ['add', '--', '5', 'true']],
    ['add', '{"name":"n","extra":[]}', ['add', '--', 'n', 'plain']],
    [
      'add',
      '{"name":"n","label":{"ä":"1","z":"2","":"3"}}',
      ['add', '--label==3', '--label=z=2', '--label=ä=1', '--', 'n'],
    ],
    ['collide', '{"context":"own"}', ['collide', '--', 'own']],
    ['stream_ls', '', ['stream', 'ls']],
    ['stream_ls', '  ', ['stream', 'ls']],
    ['stream_ls', 'null', ['stream', 'ls']],
    ['stream_ls', '{}', ['stream', 'ls']],
    ['nul', '{"v":[true,1.5,"x"]}', ['nul', '--', 'true', '1.5', 'x']],
    ['copy', '{"source":"S","destination":"D"}', ['copy', '--', 'S', 'D']],
    ['find', '{"source":["a","b"]}', ['find', '--source=a', '--source=b']],
  ];
  for (const [name, text, argv] of accepted) {
    test(`${name} ${text} runs ${argv.join(' ')}`, async () => {
      const tool = toolOf(application, name);
      assert.deepEqual(argvOf(tool, text), argv);
      assert.equal(await seenArgv(tool, text), printed(argv));
    });
  }

  const refused: [string, string, RegExp][] = [
    ['add', '{"name":null}', /"name" is required/],
    ['add', '{"name":["n","fancy"]}', /"name" takes one text, a list was given/],
    ['add', '{"name":"n","context":["a","b"]}', /"context" takes one text, a list was given/],
    ['add', '{"name":"n","internal":"zzz"}', /"internal" is unknown/],
    ['add', '{"name":"n","internal":null}', /"internal" is unknown/],
    ['add', '{"name":"n","color":false}', /"color" is on by default and cannot be turned off/],
    ['add', '{"name":"n","force":"true"}', /"force" must be true or false, the string "true" was given/],
    ['add', '{"name":{"a":"b"}}', /"name" takes one text, an object was given/],
    ['add', '{"name":"n","bogus":1}', /"bogus" is unknown/],
    ['add', '{"name":"n","level":"info"}', /"level" is unknown/],
    ['add', '{"name":"n","verbosity":17}', /"verbosity" may be repeated 16 times at most/],
    ['add', '{"name":"n","verbosity":[1,null]}', /"verbosity" must hold single values, null was given/],
    ['add', '{"name":"n","verbosity":-1}', /"verbosity" must be true, a count or a list to count/],
    ['add', '{"name":"--"}', /"name" cannot be the text --/],
    ['add', '{"name":"n","label":{"k":"a\\u0000b"}}', /"label" holds a NUL/],
    ['add', '{"name":"n","label":{"k":null}}', /"label" entry "k" must be one value, null was given/],
    ['add', '{"name":"n","label":"k=v"}', /"label" takes an object of names and texts, a string was given/],
    ['nul', '{"v":[[1]]}', /"v" element 1 must be one value, a list was given/],
    ['nul', '{"v":[true,null,1.5]}', /"v" element 2 must be one value, null was given/],
    ['copy', '{"source":["S","T"],"destination":"D"}', /"source" takes one text, a list was given/],
    ['stream_ls', '[1]', /must be a JSON object/],
    ['stream_ls', '{', /are not JSON/],
  ];
  for (const [name, text, message] of refused) {
    test(`${name} ${text} is refused`, () => {
      assert.throws(() => argvOf(toolOf(application, name), text), { name: 'FISK_ARGUMENTS_INVALID', message });
    });
  }

  test('one argument of 128 KiB and a vector of 1 MiB are refused before anything starts', () => {
    const tool = toolOf(application, 'nul');
    const longest = 'x'.repeat(131_071);
    assert.equal(argvOf(tool, JSON.stringify({ v: longest })).at(-1), longest);
    const refusal = { name: 'FISK_ARGUMENTS_INVALID', message: /131072 bytes/ };
    assert.throws(() => argvOf(tool, JSON.stringify({ v: `${longest}x` })), refusal);
    const many = { v: Array.from({ length: 9 }, () => longest) };
    assert.throws(() => argvOf(tool, JSON.stringify(many)), ArgumentsInvalidError);
  });

  test('a name that a flag and a required argument share is advertised as the argument, and the load says so', () => {
    const { properties } = toolOf(application, 'copy').inputSchema as { properties: Record<string, unknown> };
    assert.deepEqual(properties['source'], { type: 'string', description: 'From where' });
    const told = application.notices.filter(({ kind }) => kind === 'shared_name').map(({ tool }) => tool);
    assert.deepEqual(told, ['copy', 'find']);
  });

  test('a refusal tells the required and the optional names', () => {
    assert.throws(() => argvOf(toolOf(application, 'copy'), '{}'), {
      message:
        'copy: the arguments do not fit, nothing was run: "source" is required; "destination" is required. ' +
        'Required: source, destination. Optional: context, trace.',
    });
    assert.throws(
      () => argvOf(toolOf(application, 'nul'), '{"x":1}'),
      /Required: none\. Optional: context, trace, v\./,
    );
  });

  test('unknown names are told before what is missing and what does not fit, ten of them at most', () => {
    const text = JSON.stringify({
      count: 'x',
      ...Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`n${i}`, 1])),
    });
    assert.throws(
      () => argvOf(toolOf(application, 'add'), text),
      /run: "n0" is unknown; .* and 22 more\. Required: name\./,
    );
    assert.throws(() => argvOf(toolOf(application, 'add'), '{"count":"x","zz":1}'), /"zz" is.*"name" is.*"count" must/);
  });

  test('no caller can make a refusal long', () => {
    const text = JSON.stringify({
      ['k'.repeat(100_000)]: 1,
      count: '9'.repeat(100_000),
      name: 'n',
      ratio: 'x'.repeat(1e5),
    });
    assert.throws(
      () => argvOf(toolOf(application, 'add'), text),
      (error: Error) => error.message.length < 1000,
    );
  });
});

/** The tool of one command with these flags and arguments, all of which take any value. */
async function toolWith(flags: object[], args: object[]) {
  const names = [...flags, ...args].filter((one) => !('hidden' in one)).map((one) => (one as { name: string }).name);
  const schema = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) };
  const command = { name: 'c', help: '', restricted_schema: schema, flags, args };
  return toolOf(await load({ name: 'x', commands: [command] }), 'c');
}

test('a positional list that is not last fails, since no value could be told from the next', async () => {
  const tool = await toolWith([], [{ name: 'many', cumulative: true }, { name: 'one' }]);
  assert.throws(() => argvOf(tool, '{"one":"x"}'), /"many" takes the rest/);
});

test('an argument left out in front of another holds its place with all its defaults, and has to have some', async () => {
  const tool = await toolWith([], [{ name: 'a', default: ['1', '2'] }, { name: 'b' }, { name: 'c' }]);
  assert.deepEqual(argvOf(tool, '{"b":"x"}'), ['c', '--', '1', '2', 'x']);
  assert.throws(() => argvOf(tool, '{"c":"x"}'), /"b" must be set, since a later argument is/);
  assert.deepEqual(argvOf(tool, '{}'), ['c']);
});

test('entries of an object are sorted by their bytes', async () => {
  const tool = await toolWith([{ name: 'v' }], []);
  const entries = Object.fromEntries(['\u{1F600}', '\uFFFD', 'b', 'B'].map((key) => [key, key]));
  const sorted = ['B', 'b', '\uFFFD', '\u{1F600}'].map((key) => `--v=${key}=${key}`);
  assert.deepEqual(argvOf(tool, JSON.stringify({ v: entries })), ['c', ...sorted]);
});

test('a default turns a flag on in each form that reads as true, and in no other', async () => {
  for (const [text, on] of [
    ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
    ...['0', 'f', 'false', 'yes', 'tRUE', ''].map((text) => [text, false] as const),
  ]) {
    const tool = await toolWith([{ name: 'v', boolean: true, default: [text] }], []);
    if (on) assert.throws(() => argvOf(tool, '{"v":false}'), /cannot be turned off/, text);
    else assert.deepEqual(argvOf(tool, '{"v":false}'), ['c'], text);
  }
});

test('a hidden one of two that share a name takes no part', async () => {
  const hiddenFlag = await toolWith([{ name: 'v', hidden: true }], [{ name: 'v' }]);
  assert.deepEqual(argvOf(hiddenFlag, '{"v":"x"}'), ['c', '--', 'x']);
  const hiddenArgument = await toolWith([{ name: 'v' }], [{ name: 'v', hidden: true, required: true }]);
  assert.deepEqual(argvOf(hiddenArgument, '{"v":"x"}'), ['c', '--v=x']);
});

test('the digits of numbers are asked for only when there is a number', async () => {
  const tool = await toolWith([{ name: 'v' }], []);
  const unasked = { value: { v: ['x', true] }, source: () => assert.fail('was asked') };
  assert.deepEqual(tool.prepare(unasked).argv, ['c', '--v=x', '--v=true']);
});
