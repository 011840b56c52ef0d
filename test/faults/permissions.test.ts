import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { stubbornPair } from '../support/marked.ts';
import { natsServerVersions, type ServerAge, startNatsServer } from '../support/nats-server.ts';
import { type Served, startServed } from '../support/served.ts';
import { isAlive, waitFor, waitGone } from '../support/wait.ts';
import { WireCaller, wireCall } from '../support/wire-caller.ts';

const TOOL = 'choria.fisk-ai.tool.lab';

/** A server with a user for the daemon, who lacks what is given, and one for its caller. */
const users = ({ subscribe = 'nothing', publish = 'nothing', password = 'p' } = {}) => `authorization: { users: [
  { user: d, password: ${password}, permissions: { subscribe: { deny: "${subscribe}" }, publish: { deny: "${publish}" } } }
  { user: c, password: p } ] }`;

async function served(t: TestContext, version: ServerAge, toolTimeout = '30s') {
  const nats = await startNatsServer({ version, config: users() });
  const daemon = await startServed({ url: nats.url.replace('://', '://d:p@'), toolTimeout });
  const caller = await WireCaller.connect(nats.url, { user: 'c', pass: 'p' });
  t.after(async () => {
    await caller.close();
    await daemon.stop('SIGKILL');
    await nats.stop();
  });
  return { nats, daemon, caller };
}

/** Waits for the end and gives all that the log says last. */
async function leftWith(daemon: Served, code: number) {
  await waitGone(daemon.pid, 15_000);
  assert.equal((await daemon.ended).code, code, daemon.stderr());
  return {
    state: String(daemon.lines().at(-1)?.['reason']),
    last: daemon.stderr().slice(-2_000),
    final: daemon.lastLine(),
  };
}

for (const version of natsServerVersions()) {
  describe(`rights that a server ${version} takes away while fisk serves`, { concurrency: true }, () => {
    for (const [what, denied, named] of [
      ['to hear discovery', 'choria.fisk-ai.discovery.lab', /choria\.fisk-ai\.discovery\.lab/],
      ['to hear calls', TOOL, /choria\.fisk-ai\.tool\.lab/],
      ['to answer as a service', '$SRV.>', /\$SRV\.(PING|INFO|STATS)/],
    ] as const) {
      test(`without the right ${what} it leaves with 1 and says last which one it needs`, async (t) => {
        const { nats, daemon } = await served(t, version);
        await nats.reload(users({ subscribe: denied }));
        const { state, last, final } = await leftWith(daemon, 1);
        assert.match(state, named);
        assert.match(state, /needs permission to subscribe to/);
        assert.match(last, /^fisk: error: .*needs permission to subscribe to/m);
        assert.match(final, /\[FISK_SERVICE_STOPPED\]/);
      });
    }

    test('a command that runs when it has to leave so is told to its caller, and lives on to its deadline', async (t) => {
      const { nats, daemon, caller } = await served(t, version, '5s');
      const call = caller.open(TOOL, wireCall('lab', 'stubborn'));
      const commands = await stubbornPair(daemon.pid);
      const began = performance.now();
      await nats.reload(users({ subscribe: TOOL }));
      await waitFor(() => call.ended());
      assert.equal(call.messages.at(-1)?.json?.['code'], 'interrupted');
      await waitGone(daemon.pid);
      assert.ok(performance.now() - began < 4_000);
      for (const pid of commands) assert.ok(isAlive(pid), 'the command outlives the daemon');
      for (const pid of commands) await waitGone(pid, 10_000);
      await leftWith(daemon, 1);
    });

    test('without the right to answer it lives on, and answers again once it may', async (t) => {
      const { nats, daemon, caller } = await served(t, version);
      await nats.reload(users({ publish: '_INBOX.>' }));
      const unheard = caller.open(TOOL, wireCall('lab', 'echo', { words: ['a'] }));
      await daemon.printed(/"msg":"refused by NATS"/);
      await daemon.printed(/"msg":"tool call completed"/);
      assert.match(daemon.stderr(), /"operation":"publish","subject":"_INBOX\./);
      await nats.reload(users());
      const answer = await caller.call('lab', 'echo', { words: ['b'] });
      assert.equal(answer.at(-1)?.json?.['output'], '[b]\n');
      assert.deepEqual(unheard.messages, []);
      assert.equal((await daemon.stop()).code, 0);
    });

    test('with another password it leaves with 1 and says why, and does not sit idle', async (t) => {
      const { nats, daemon } = await served(t, version);
      await nats.reload(users({ password: 'q' }));
      const { state, last, final } = await leftWith(daemon, 1);
      assert.match(state, /authorization/i);
      assert.match(last, /^fisk: error: .*authorization/im);
      assert.match(final, /\[FISK_NATS_CONNECTION_LOST\]/);
    });
  });
}
