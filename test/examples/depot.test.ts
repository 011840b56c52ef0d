import assert from 'node:assert/strict';
import { test } from 'node:test';
import { depot } from '../support/fisk.ts';
import { run } from '../support/run.ts';
import { tempDir } from '../support/tmp.ts';

interface Described {
  name: string;
  hidden?: boolean;
  schema?: { type: string; additionalProperties: boolean; properties: Record<string, unknown>; required?: string[] };
  restricted_schema?: { properties: Record<string, unknown> };
  flags?: { name: string; hidden?: boolean; boolean: boolean; cumulative: boolean }[];
  args?: { name: string; required?: boolean; cumulative: boolean }[];
  commands?: Described[];
}

const store = `${tempDir()}/parts.json`;
const ask = (...args: string[]) => run(depot, args, { env: { ...process.env, DEPOT_STORE: store } });

async function describe(): Promise<Described> {
  const asked = await ask('--fisk-introspect');
  assert.deepEqual([asked.code, asked.stderr], [0, '']);
  return JSON.parse(asked.stdout);
}

test('the example describes every command with both schemas, hidden values left out', async () => {
  const seen: string[] = [];
  const walk = (command: Described, path: string[]) => {
    const inputs = [...(command.flags ?? []), ...(command.args ?? [])] as { name: string; hidden?: boolean }[];
    const shown = inputs.filter((input) => input.hidden !== true).map((input) => input.name);
    assert.deepEqual(Object.keys(command.schema?.properties ?? {}).sort(), shown.sort(), path.join(' '));
    assert.deepEqual(Object.keys(command.restricted_schema?.properties ?? {}).sort(), shown.sort());
    assert.equal(command.schema?.additionalProperties, false);
    if (command.commands === undefined) seen.push(path.join(' '));
    for (const child of command.commands ?? []) walk(child, [...path, child.name]);
  };
  const document = await describe();
  for (const command of document.commands ?? []) walk(command, [command.name]);
  assert.deepEqual(seen, [
    ...['part add', 'part ls', 'part show', 'part rm'],
    ...['stock move', 'stock check', 'stock report', 'close clear', 'close forget', 'dump'],
  ]);
});

test('the example keeps its parts in a file, also when many calls change it at once', async () => {
  const added = await Promise.all(Array.from({ length: 8 }, () => ask('part', 'add', '--count=2', '--', '--odd name')));
  assert.deepEqual(
    added.map((call) => [call.code, call.stderr]),
    Array.from({ length: 8 }, () => [0, '']),
  );
  assert.match((await ask('part', 'ls')).stdout, /--odd name\s+b 16/);
  assert.equal((await ask('stock', 'move', '--count=6', '--', '--odd name', 'A1', 'B2')).code, 0);
  const shown = JSON.parse((await ask('part', 'show', '--', '--odd name')).stdout);
  assert.deepEqual(shown.shelves, { A1: 10, B2: 6 });
});

test('the example fails as commands do: a line on stderr and an exit code', async () => {
  const refused = await ask('part', 'add', '--count=many', '--', 'bolt');
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  assert.match(refused.stderr, /count: 'many' is not a whole number/);
  await ask('part', 'add', '--count=0', '--', 'nut');
  assert.equal((await ask('stock', 'check')).code, 3);
});
