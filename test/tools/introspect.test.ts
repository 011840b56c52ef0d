import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { childEnvironment, liveGroups } from '../../src/process/index.ts';
import { inputFromText } from '../../src/tools/index.ts';
import { fixture, tempFile, tempScript } from '../support/tmp.ts';
import { isAlive } from '../support/wait.ts';
import { command } from './demo.ts';
import { load, readCase, replay, toolOf } from './loading.ts';

const names = async (document: unknown) => (await load(document)).tools.map(({ name }) => name);
const leaf = (name: string, more: object = {}) => command(name, {}, [], more);

const loadBinary = (path: string, more: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
  load('{}', { path, ...more });

suite('which commands become tools', () => {
  test('leaves do, in declared order; groups, hidden commands and all below them do not', async () => {
    const expected = ['crate_open', 'ping', 'ship_now', 'ship_later', 'a_b_c_d', 'mute', 'blank'];
    assert.deepEqual(await names(readCase('tree.json')), expected);
  });

  test('a hidden argument is not taken and not shown', async () => {
    const tool = toolOf(await load(readCase('tree.json')), 'mute');
    assert.throws(() => tool.prepare(inputFromText('{"token":"x"}')), /"token" is unknown/);
    assert.deepEqual(Object.keys(tool.inputSchema['properties'] as object), ['loud']);
  });

  test('a leaf without a schema fails the load, also when a filter would leave it out', async () => {
    const refusal = { name: 'FISK_SCHEMA_MISSING', message: /"ping"/ };
    await assert.rejects(load(readCase('no-schema.json')), refusal);
    const ping = { tools: [{ source: 'ping', test: (text: string) => text === 'ping' }], tags: [] };
    await assert.rejects(load(readCase('no-schema.json'), { exclude: ping as never }), refusal);
  });

  test('a leaf with the full schema alone fails too, since what is shown would be missing', async () => {
    const commands = [{ ...leaf('c'), restricted_schema: undefined }];
    await assert.rejects(load({ name: 'x', commands }), {
      name: 'FISK_SCHEMA_MISSING',
      message: /"c" has no restricted_schema .*although it has a schema/,
      remedy: /choria-io\/fisk v0\.9/,
    });
  });

  test('a hidden command without a schema is no failure', async () => {
    assert.ok((await names(readCase('no-schema-hidden.json'))).includes('ping'));
  });

  test('two commands that join to one name fail the load, naming both', async () => {
    const message = /"stock move_all" and "stock_move all" both become the tool "stock_move_all"/;
    await assert.rejects(load(readCase('collision.json')), { name: 'FISK_TOOL_NAME_DUPLICATE', message });
  });

  test('names that no model takes are left out and told once, and nothing is renamed', async () => {
    const application = await load(readCase('odd-names.json'));
    const long = 'synchronise_regional_warehouse-inventory_reconcile-against-supplier-ledger';
    assert.deepEqual(
      application.tools.map(({ name }) => name),
      ['constructor', 'hasOwnProperty', 'with-dash', 'UPPER', long],
    );
    const told = application.notices.map(({ kind, tool }) => [kind, tool]);
    assert.deepEqual(told, [
      ['tool_name_invalid', 'db.migrate'],
      ['tool_name_invalid', 'db:seed'],
      ['tool_name_invalid', 'naïve'],
      ['tool_name_long', long],
    ]);
    assert.deepEqual(
      application.removed.map(({ name }) => name),
      ['db.migrate', 'db:seed', 'naïve'],
    );
  });

  test('a name may have 128 characters and not more, and 64 without a word', async () => {
    const sizes = [64, 65, 128, 129];
    const { tools, notices } = await load({ name: 'x', commands: sizes.map((size) => leaf('n'.repeat(size))) });
    assert.deepEqual(
      tools.map(({ name }) => name.length),
      [64, 65, 128],
    );
    assert.deepEqual(
      notices.map(({ kind }) => kind),
      ['tool_name_long', 'tool_name_long', 'tool_name_invalid'],
    );
  });

  test('names that every object has are names like others', async () => {
    const application = await load(readCase('odd-names.json'));
    const argv = (name: string, text: string) => toolOf(application, name).prepare(inputFromText(text)).argv;
    assert.deepEqual(argv('constructor', '{"toString":"x"}'), ['constructor', '--', 'x']);
    assert.deepEqual(argv('hasOwnProperty', '{"valueOf":"x"}'), ['hasOwnProperty', '--valueOf=x']);
    assert.throws(() => argv('UPPER', '{"toString":"x"}'), /"toString" is unknown/);
  });

  test('an application without commands has no tools and is no failure', async () => {
    assert.deepEqual(await names({ name: 'x' }), []);
    assert.deepEqual(await names({ name: 'x', commands: null, flags: null }), []);
  });
});

suite('descriptions', () => {
  const described = async (more: object) => {
    const [tool] = (await load({ name: 'x', commands: [leaf('c', more)] })).tools;
    return [tool?.description, tool?.modelDescription];
  };

  test('short and long help are joined, unless one holds the other', async () => {
    assert.deepEqual(await described({ help: 'S', help_long: 'L' }), ['S', 'S\n\nL']);
    assert.deepEqual(await described({ help: 'S', help_long: 'S and more' }), ['S', 'S and more']);
    assert.deepEqual(await described({ help: 'S and more', help_long: 'S' }), ['S and more', 'S and more']);
    assert.deepEqual(await described({ help: '', help_long: 'L' }), ['L', 'L']);
  });

  test('all tags follow on a line of their own, in the order of the author', async () => {
    const more = { help: 'S', tags: ['z', 'ai:read_only', 'a'] };
    assert.deepEqual(await described(more), ['S', 'S\n\nTags: z, ai:read_only, a']);
  });

  test('a command without any help is still described to a model', async () => {
    assert.deepEqual(await described({ help: '' }), ['', 'Runs the command c']);
    assert.deepEqual(await described({ help: '', tags: ['a'] }), ['', 'Runs the command c\n\nTags: a']);
  });
});

suite('what an application prints', () => {
  const depot = readCase('depot.json');
  const noise = 'warning: DEPOT_HOME is not set\nnotice: the file is old';

  test('it is asked once, by one argument, in our directory, with nothing to read and no credentials', async () => {
    const asked = tempScript(
      '#!/bin/sh\necho >> "$ASKED"\nread line || line=end\n' +
        'echo "{\\"name\\":\\"$# $1 $(pwd) $line [$KEY] $LLMFORMAT $FISK_AI\\"}"\n',
    );
    const count = tempFile('asked', '');
    const base = { PATH: process.env['PATH'], KEY: 'k', ASKED: count };
    const environment = childEnvironment({ base, remove: ['KEY'] });
    const { name } = await load('', { path: asked, environment });
    assert.equal(name, `1 --fisk-introspect ${process.cwd()} end [] 1 1`);
    assert.equal(readFileSync(count, 'utf8'), '\n');
  });

  test('text on standard error does no harm', async () => {
    const { tools, name, version } = await load(depot, { variables: { REPLAY_STDERR: noise } });
    assert.deepEqual(
      tools.map((tool) => tool.name),
      ['part_add', 'part_ls'],
    );
    assert.deepEqual([name, version], ['depot', '1.4.0']);
  });

  test('text before the document fails the load and is quoted, with the binary', async () => {
    const variables = { REPLAY_STDOUT: 'loading 3 extensions', REPLAY_STDERR: noise };
    await assert.rejects(load(depot, { variables }), (error: Error) => {
      assert.equal(error.name, 'FISK_APPLICATION_DOCUMENT');
      assert.ok(error.message.includes(replay));
      assert.match(error.message, /begins: loading 3 extensions \{"name":"depot"/);
      assert.match(error.message, /says: warning: DEPOT_HOME is not set notice: the file is old$/);
      return true;
    });
  });

  test('text after the document and an empty output fail the load', async () => {
    await assert.rejects(load(`${JSON.stringify(depot)}\ndone`), { name: 'FISK_APPLICATION_DOCUMENT' });
    await assert.rejects(load(''), { name: 'FISK_APPLICATION_DOCUMENT', message: /nothing was printed/ });
  });

  test('a document of 16 MiB is read and one byte more is refused', async () => {
    const start = '{"name":"x","help":"';
    const exact = `${start}${'h'.repeat(16 * 1024 * 1024 - start.length - 2)}"}`;
    assert.deepEqual(await names(exact), []);
    await assert.rejects(load(`${exact}\n`), {
      name: 'FISK_APPLICATION_DOCUMENT',
      message: /more than 16777216 bytes/,
    });
  });

  test('an application that prints without end is not waited for', async () => {
    await assert.rejects(loadBinary(tempScript('#!/bin/sh\nexec yes\n')), {
      name: 'FISK_APPLICATION_DOCUMENT',
      message: /more than 16777216 bytes/,
    });
  });

  test('a failing application is quoted from standard error, without control characters and at most 2 KiB', async () => {
    const failing = tempScript(
      '#!/bin/sh\nprintf "\\033[31mbad\\007 thing\\n" >&2\nyes long | head -5000 >&2\nexit 3\n',
    );
    await assert.rejects(loadBinary(failing), (error: Error) => {
      assert.equal(error.name, 'FISK_INTROSPECTION_FAILED');
      assert.match(error.message, /exited with 3; it says: bad thing long long/);
      assert.ok(error.message.length < 2400);
      return true;
    });
  });

  test('an application ended by a signal fails the load', async () => {
    await assert.rejects(loadBinary(tempScript('#!/bin/sh\nkill -KILL $$\n')), /was ended by SIGKILL/);
  });
});

suite('an application that cannot be asked', () => {
  const sleeper = tempScript('#!/bin/sh\nexec sleep 30\n');

  test('a missing file and one that cannot be executed fail the load by name', async () => {
    const missing = { name: 'FISK_INTROSPECTION_FAILED', message: /no-such-program .*did not start/ };
    await assert.rejects(loadBinary('/no-such-program'), missing);
    await assert.rejects(loadBinary(import.meta.filename), { name: 'FISK_INTROSPECTION_FAILED' });
  });

  test('one that does not end has 30 seconds when its caller names no time', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const loading = assert.rejects(loadBinary(sleeper), {
      name: 'FISK_INTROSPECTION_FAILED',
      message: /script .*did not end within 30 s/,
    });
    let over = false;
    void loading.then(() => {
      over = true;
    });
    while (liveGroups.size === 0) await new Promise(setImmediate);
    context.mock.timers.tick(29_000);
    await new Promise(setImmediate);
    assert.deepEqual([over, liveGroups.size], [false, 1]);
    context.mock.timers.tick(1_000);
    context.mock.timers.reset();
    await loading;
  });

  test('one that leaves its children running when it is told to end is ended with them', async () => {
    const stubborn = tempScript(`#!/bin/sh\nexec ${fixture('stubborn.sh')} >&2\n`);
    await assert.rejects(loadBinary(stubborn, { timeoutMs: 300 }), (error: Error) => {
      const pids = (/waiting (\d+) (\d+)/.exec(error.message) ?? []).slice(1).map(Number);
      assert.equal(pids.length, 2, error.message);
      for (const pid of pids) assert.ok(!isAlive(pid));
      return true;
    });
  });

  test('one that does not end is ended after the time its caller gave', async () => {
    const started = performance.now();
    const refusal = { name: 'FISK_INTROSPECTION_FAILED', message: /script .*did not end within 0\.2 s/ };
    await assert.rejects(loadBinary(sleeper, { timeoutMs: 200 }), refusal);
    assert.ok(performance.now() - started < 3500);
  });

  test('a cancellation ends it, and its reason is told', async () => {
    const signal = AbortSignal.timeout(100);
    const refusal = { name: 'FISK_INTROSPECTION_FAILED', message: /script .*was cancelled: .*timeout/ };
    await assert.rejects(loadBinary(sleeper, { signal }), refusal);
  });
});
