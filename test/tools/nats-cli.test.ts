import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { loadConfig, Pattern } from '../../src/config/index.ts';
import { childEnvironment } from '../../src/process/index.ts';
import { inputFromText, type LoadOptions } from '../../src/tools/index.ts';
import { natsCli } from '../support/nats-cli.ts';
import { argvOf, load, toolOf } from './loading.ts';

const path = natsCli();

function loadNats(options: Partial<LoadOptions> = {}) {
  assert.ok(path);
  return load('', { path, environment: childEnvironment({ base: process.env, remove: [] }), ...options });
}

suite('the real nats program', { skip: path === undefined ? 'there is none here' : false }, () => {
  test('all its visible commands become tools, nothing of it is broken, and one name is shared', async () => {
    const { name, tools, removed, notices } = await loadNats();
    assert.equal(name, 'nats');
    assert.ok(tools.length > 200, `${tools.length} tools`);
    assert.deepEqual(removed, []);
    assert.deepEqual(
      notices.map(({ kind, tool }) => [kind, tool]),
      [['shared_name', 'stream_copy']],
    );
  });

  test('the configuration that is shipped for it names commands that it has', async () => {
    const file = new URL('../../config/tools.yaml', import.meta.url).pathname;
    const { include } = loadConfig({ path: file, mode: 'serve', env: {} }).config;
    const alternatives = include.tools.flatMap(({ source }) => {
      const [, before = '', list = '', after = ''] = /^(.*)\((.*)\)(.*)$/.exec(source) ?? [];
      return list.split('|').map((name) => `${before}${name}${after}`);
    });
    assert.ok(alternatives.length > 4);
    const tools = alternatives.map((source) => new Pattern(source));
    assert.deepEqual((await loadNats({ include: { tools, tags: [] } })).notices, []);
  });

  test('copying a stream asks for what the caller said and nothing else', async () => {
    const tool = toolOf(await loadNats({ globalFlags: ['context'] }), 'stream_copy');
    const argv = argvOf(tool, '{"source":"S","destination":"D","context":"dev"}');
    assert.deepEqual(argv, ['stream', 'copy', '--context=dev', '--', 'S', 'D']);
  });

  test('durations, bounds and choices are judged before it is started', async () => {
    const tool = toolOf(await loadNats(), 'stream_add');
    assert.throws(() => argvOf(tool, '{"stream":"S","storage":"tape"}'), /"storage" must be one of "file",.* "memory"/);
    assert.throws(
      () => argvOf(tool, '{"stream":"S","limit-consumer-inactive":"5 minutes"}'),
      /"limit-consumer-inactive" must match/,
    );
    assert.deepEqual(argvOf(tool, '{"stream":"S","metadata":{"b":"2","a":"1"}}').slice(2, 4), [
      '--metadata=a=1',
      '--metadata=b=2',
    ]);
  });

  test('it runs, with digits as they were sent', async () => {
    const include = { tools: [new Pattern('^errors_lookup$')], tags: [] };
    const tool = toolOf(await loadNats({ include }), 'errors_lookup');
    const { output, exec } = await tool.execute({ timeoutMs: 20_000 }, inputFromText('{"code":10014}'), {});
    assert.deepEqual([exec?.exitCode, exec?.command], [0, 'errors lookup -- 10014']);
    assert.match(output, /consumer not found/);
  });
});
