import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { tempFile, tempScript } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller, wireHeader } from '../support/wire-caller.ts';

let nats: TestNatsServer;
let caller: WireCaller;

before(async () => {
  nats = await startNatsServer();
  caller = await WireCaller.connect(nats.url);
});
after(async () => {
  await caller.close();
  await nats.stop();
});

const schema = { type: 'object', additionalProperties: false, properties: {} };

/** A daemon whose application says this of its commands. */
function serving(identity: string, commands: object[], yaml = ''): Promise<TestDaemon> {
  const document = tempFile('document.json', JSON.stringify({ name: 'x', help: '', commands }));
  return startDaemon({ url: nats.url, identity, application: tempScript(`#!/bin/sh\nexec cat ${document}\n`), yaml });
}

async function cardOf(identity: string): Promise<Record<string, unknown>> {
  return (await caller.card(identity)).json ?? {};
}

test('a card holds each tool as it was published, in order, with its behavior where it declares one', async () => {
  const shown = { ...schema, properties: { a: { type: 'string', description: 'A' } }, required: ['a'] };
  const full = { ...shown, properties: { a: { type: 'string', description: 'A', pattern: '^x' } } };
  const args = [{ name: 'a', help: 'A', required: true, cumulative: false }];
  const daemon = await serving('cards', [
    { name: 'zulu', help: 'Short', help_long: 'Long', schema: full, restricted_schema: shown, args },
    {
      name: 'group',
      help: 'G',
      commands: [
        { name: 'rm', help: 'Removes', restricted_schema: schema, tags: ['x', 'ai:destructive', 'ai:idempotent'] },
        { name: 'mute', help: '', restricted_schema: {} },
      ],
    },
  ]);
  const card = await cardOf('cards');
  await daemon.stop();
  assert.deepEqual(
    [card['name'], card['version'], card['protocols'], 'model' in card],
    ['cards', '1.2.3', ['io.choria.fisk-ai.v1'], false],
  );
  assert.deepEqual(card['tools'], [
    { name: 'zulu', description: 'Short\n\nLong', input_schema: shown },
    {
      name: 'group_rm',
      description: 'Removes\n\nTags: x, ai:destructive, ai:idempotent',
      input_schema: schema,
      behavior: { read_only: false, destructive: true, idempotent: true },
    },
    { name: 'group_mute', description: 'Runs the command group mute', input_schema: { type: 'object' } },
  ]);
});

test('what is kept from peers is on no card, and why is logged, as is what is odd about the rest', async () => {
  const leaf = (name: string, tags: string[] = []) => ({ name, help: name, restricted_schema: schema, tags });
  const daemon = await serving(
    'chosen',
    [
      leaf('gated', ['ai:confirm']),
      leaf('listed', ['impact:rw']),
      leaf('plain', ['ai:read_only', 'ai:additive', 'ai:house_rule']),
      leaf('shut', ['ai:deny']),
      leaf('a.b'),
    ],
    "harness: {confirm_tags: ['impact:rw', 'nobody:has_it']}",
  );
  const names = ((await cardOf('chosen'))['tools'] as { name: string }[]).map(({ name }) => name);
  await daemon.stop();
  assert.deepEqual(names, ['plain']);
  const logged = (field: string) => daemon.lines.filter((line) => line[field] !== undefined);
  const withheld = logged('reason').filter((line) => line['tool'] !== undefined);
  assert.deepEqual(
    withheld.map((line) => [
      line['level'],
      line['tool'],
      line['tags'],
      /needs an approval \((.*)\)/.exec(String(line['reason']))?.[1],
    ]),
    [
      ['warn', 'gated', ['ai:confirm'], 'ai:confirm'],
      ['warn', 'listed', ['impact:rw'], 'impact:rw'],
    ],
  );
  const notices = logged('kind').filter((line) => line['level'] === 'warn');
  assert.deepEqual(
    notices.map((line) => [line['kind'], line['tool'], line['tags']]),
    [
      ['tool_name_invalid', 'a.b', undefined],
      ['unknown_reserved_tag', 'plain', ['ai:read_only', 'ai:additive', 'ai:house_rule']],
      ['behavior_tag_conflict', 'plain', ['ai:read_only', 'ai:additive', 'ai:house_rule']],
      ['confirm_tag_unmatched', undefined, undefined],
    ],
  );
});

test('whatever version an application has, the service has a legal one and the card that of this program', async () => {
  for (const version of ['v2.0.0-rc1 (deadbeef)', 'development', '', '1.2']) {
    const document = JSON.stringify({ name: 'x', version, commands: [{ name: 'a', restricted_schema: schema }] });
    const application = tempScript(`#!/bin/sh\necho '${document}'\n`);
    const daemon = await startDaemon({ url: nats.url, identity: 'versions', application });
    const ping = (await caller.nc.request('$SRV.PING.versions')).json<Record<string, unknown>>();
    assert.equal(ping['version'], '0.0.0');
    assert.equal((ping['metadata'] as Record<string, string>)['agent_version'], '1.2.3');
    assert.equal((await cardOf('versions'))['version'], '1.2.3');
    await daemon.stop();
  }
});

test('the filters of the file leave what the agent has, those of serving what of it peers get', async () => {
  const daemon = await startDaemon({
    url: nats.url,
    identity: 'narrowed',
    tools: '{include: {tools: [e]}, exclude: {tags: ["ai:destructive", nowhere]}}',
    yaml: 'include: {tools: ["^(echo|exit|grade|big|signal)$"]}\nexclude: {tools: [exit]}',
  });
  const names = ((await cardOf('narrowed'))['tools'] as { name: string }[]).map(({ name }) => name);
  await daemon.stop();
  assert.deepEqual(names, ['echo']);
  const unmatched = daemon.lines.filter((line) => line['kind'] === 'filter_unmatched');
  assert.match(String(unmatched[0]?.['msg']), /expose\.agent\.tools\.exclude\.tags: "nowhere"/);
  assert.equal(unmatched.length, 1);
});

test('a global flag that the file lists is on the card, and reaches the command before its own', async () => {
  const application = tempScript(
    `#!/bin/sh\nif [ "$1" = --fisk-introspect ]; then echo '${JSON.stringify({
      name: 'x',
      commands: [{ name: 'c', help: 'C', restricted_schema: schema }],
      flags: [{ name: 'site', help: 'Site' }],
    })}'; else echo "$@"; fi\n`,
  );
  const daemon = await startDaemon({ url: nats.url, identity: 'sited', application, yaml: 'global_flags: [--site]' });
  const [tool] = (await cardOf('sited'))['tools'] as { input_schema: { properties: object } }[];
  const messages = await caller.call('sited', 'c', { site: 'north' });
  await daemon.stop();
  assert.deepEqual(tool?.input_schema.properties, { site: { type: 'string', description: 'Global flag: Site' } });
  assert.equal(messages.at(-1)?.json?.['output'], 'c --site=north\n');
});

test('a card that no message can carry is told at the start and to who asks, by the limit of the server too', async (t) => {
  const wordy = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `c${i}`, help: 'h'.repeat(10_000), restricted_schema: schema }));
  const TOO_LARGE = 'the card of wordy is larger than a message may be';
  const tellsSize = ({ lines }: TestDaemon) => lines.some((line) => /card is larger/.test(String(line['msg'])));
  for (const [count, told] of [
    [70, false],
    [80, true],
  ] as const) {
    const daemon = await serving('wordy', wordy(count));
    const { refusal } = await caller.card('wordy');
    assert.deepEqual(refusal, told ? { code: '500', description: TOO_LARGE } : undefined);
    await daemon.stop();
    assert.equal(tellsSize(daemon), told, `${count}`);
  }
  const narrow = await startNatsServer({ config: 'max_payload: 64KB' });
  t.after(() => narrow.stop());
  const document = tempFile('document.json', JSON.stringify({ name: 'x', commands: wordy(10) }));
  const application = tempScript(`#!/bin/sh\nexec cat ${document}\n`);
  const daemon = await startDaemon({ url: narrow.url, identity: 'wordy', application });
  const other = await WireCaller.connect(narrow.url);
  assert.deepEqual((await other.card('wordy')).refusal, { code: '500', description: TOO_LARGE });
  await other.close();
  await daemon.stop();
  assert.equal(tellsSize(daemon), true);
});

test('a flood of questions for a large card is refused beyond what may wait to be sent, and calls still get through', async () => {
  const commands = Array.from({ length: 50 }, (_, i) => ({
    name: `c${i}`,
    help: 'h'.repeat(10_000),
    restricted_schema: schema,
  }));
  const daemon = await serving('flooded', commands);
  const sets = Array.from({ length: 400 }, () =>
    caller.open('choria.fisk-ai.discovery.flooded', JSON.stringify(wireHeader('discovery.request', 'flooded'))),
  );
  const called = caller.call('flooded', 'nothing');
  await waitFor(() => sets.every((set) => set.messages.length === 1), { timeout: 20_000 });
  assert.equal((await called).at(-1)?.json?.['code'], 'unknown_tool');
  const refused = sets.flatMap((set) => set.messages).filter((message) => message.refusal !== undefined);
  assert.ok(refused.length > 200, `${refused.length} of 400 refused`);
  assert.match(refused[0]?.refusal?.description ?? '', /^busy/);
  assert.equal((await cardOf('flooded'))['name'], 'flooded', 'and afterwards it is given again');
  for (const set of sets) set.close();
  await daemon.stop();
  const told = daemon.lines.filter((line) => /more waits for the NATS server/.test(String(line['msg'])));
  assert.equal(told.length, 1);
});
