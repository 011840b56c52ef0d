import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fisk } from '../support/fisk.ts';
import { nats, natsCli } from '../support/nats-cli.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { type Running, run } from '../support/run.ts';
import { tempDir } from '../support/tmp.ts';
import { WireCaller, wireCall } from '../support/wire-caller.ts';
import { serveFisk } from './support/serving.ts';

const program = natsCli();
const options = { skip: program === undefined ? 'not run: no nats CLI here' : false };
let server: TestNatsServer;
let daemon: Running;
let caller: WireCaller;

before(async () => {
  if (program === undefined) return;
  server = await startNatsServer({ config: `jetstream: { store_dir: ${JSON.stringify(tempDir())} }` });
  daemon = await serveFisk(server.url, { identity: 'nats', application: program, more: 'global_flags: [timeout]' });
  caller = await WireCaller.connect(server.url);
});

after(async () => {
  await caller?.close();
  await daemon?.stop();
  await server?.stop();
});

interface Command {
  name: string;
  hidden?: boolean;
  commands?: Command[];
}

/** The names of all visible leaves, counted here by other means than the product's. */
function leaves(commands: Command[], path: string[] = []): string[] {
  return commands.flatMap(({ name, hidden, commands: below }) => {
    if (hidden === true) return [];
    return below?.length ? leaves(below, [...path, name]) : [[...path, name].join('_')];
  });
}

/** Calls a tool and gives its final reply, after looking at the shape of the whole set. */
async function call(tool: string, input: object): Promise<Record<string, unknown>> {
  const [ack, ...rest] = await caller.call('nats', tool, input);
  assert.equal(ack?.json?.['accepted'], true, tool);
  const last = rest.at(-1);
  assert.equal(last?.kind, 'tool.reply');
  return last?.json ?? {};
}

test('every visible command of the nats program is on the card, in its order', options, async () => {
  const described = JSON.parse((await run(program ?? '', ['--fisk-introspect'])).stdout);
  const expected = leaves(described.commands);
  const { json } = await caller.card('nats');
  const tools = json?.['tools'] as { name: string; description: string; input_schema: { type: string } }[];
  assert.deepEqual(
    tools.map(({ name }) => name),
    expected,
  );
  assert.ok(expected.length > 200, `${expected.length} tools`);
  for (const { name, description, input_schema } of tools) {
    assert.ok(description.length > 0 && input_schema.type === 'object', name);
  }
});

test('its tools really work: a bucket is made, written and read', options, async () => {
  assert.deepEqual((await call('kv_add', { bucket: 'parts', history: 3 }))['exec'], {
    command: 'kv add --history=3 -- parts',
  });
  const put = await call('kv_put', { bucket: 'parts', key: 'bolt', value: '--not a flag $HOME `id`' });
  assert.equal(put['output'], '--not a flag $HOME `id`\n');
  const got = await call('kv_get', { bucket: 'parts', key: 'bolt', raw: true, timeout: '4s' });
  assert.equal(String(got['output']).trimEnd(), '--not a flag $HOME `id`');
  assert.deepEqual(got['exec'], { command: 'kv get --timeout=4s --raw -- parts bolt' });
  assert.equal(got['is_error'], undefined);
});

test('a command that fails is an outcome with its exit code, not a failed tool', options, async () => {
  const missing = await call('kv_get', { bucket: 'nowhere', key: 'x' });
  assert.equal(missing['is_error'], undefined);
  assert.deepEqual(missing['exec'], { command: 'kv get -- nowhere x', exit_code: 1 });
  assert.match(String(missing['output']), /nats: error:/);
});

test('arguments that do not fit never reach it', options, async () => {
  const unknown = await call('kv_put', { bucket: 'parts', key: 'bolt', surprise: 1 });
  assert.deepEqual([unknown['is_error'], unknown['code'], unknown['exec']], [true, 'invalid_input', undefined]);
  assert.match(String(unknown['output']), /surprise/);
  const short = await call('kv_put', { bucket: 'parts' });
  assert.deepEqual([short['is_error'], short['code']], [true, 'invalid_input']);
  assert.match(String(short['output']), /\bkey\b/);
});

test('the program calls its own tool through us', options, async () => {
  const body = wireCall('nats', 'kv_get', { bucket: 'parts', key: 'bolt', raw: true });
  const asked = await nats(
    server.url,
    'req',
    'choria.fisk-ai.tool.nats',
    body,
    '--replies=2',
    '--reply-timeout=5s',
    '--raw',
  );
  assert.equal(asked.code, 0, asked.stderr);
  const [ack, reply] = asked.stdout
    .trim()
    .split(/\n+/)
    .map((line) => JSON.parse(line));
  assert.equal(ack.accepted, true);
  assert.match(reply.output, /^--not a flag/);
});

test('our own commands find it and call it', options, async () => {
  const listed = await fisk(['discover', 'nats', '--server', server.url]);
  assert.equal(listed.code, 0, listed.stderr);
  assert.match(listed.stdout, /^ *kv_get +\S/m);
  const called = await fisk(['call', 'nats', 'kv_get', 'bucket=parts', 'key=bolt', 'raw=true', '--server', server.url]);
  assert.deepEqual([called.code, called.stdout.trimEnd()], [0, '--not a flag $HOME `id`']);
  const missing = await fisk(['call', 'nats', 'kv_get', 'bucket=nowhere', 'key=x', '--server', server.url]);
  assert.equal(missing.code, 1);
});
