/** Whether the reason of an exit reaches a log whose reader is slow: the same tests, as often as it is asked for. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fiskEntry } from './fisk.ts';
import { startNatsServer } from './nats-server.ts';
import { type IntoPipe, startIntoPipe } from './slow-pipe.ts';
import { fixture, tempFile } from './tmp.ts';

/** By the first page that is read the program wants to leave, and has done half of the waiting that it is allowed. */
const ASLEEP_MS = 1_000;
const READ_MS = 30;
const AT_ONCE = 4;

/** A server with a user for the daemon, who may not subscribe to what is given. */
const users = (denied: string) =>
  `authorization: { users: [ { user: d, password: p, permissions: { subscribe: { deny: "${denied}" } } } ] }`;

function serve(url: string, application: string): IntoPipe {
  const config = tempFile(
    'agent.yaml',
    `identity: lab\napplication_path: ${application}\nexpose: { agent: { a2a: { serve_tools: true } } }\n`,
  );
  const args = ['serve', '--dev', '--server', url, '--log-format', 'json', '--config', config];
  return startIntoPipe(process.execPath, [fiskEntry, ...args]);
}

async function inTurns(times: number, once: () => Promise<void>): Promise<void> {
  let left = times;
  const turns = async (): Promise<void> => {
    while (left-- > 0) await once();
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, times) }, turns));
}

export function testLastWords(times: number): void {
  test(`an error at the start reaches a full log that is read slowly, ${times} times of ${times}`, async () => {
    await inTurns(times, async () => {
      const daemon = serve('nats://127.0.0.1:1', '/nowhere/application');
      daemon.fill();
      daemon.readSlowly(READ_MS, ASLEEP_MS);
      assert.equal(await daemon.ended, 1, daemon.text());
      assert.match(daemon.text(), /^fisk: error: .*\/nowhere\/application/m);
      assert.match(daemon.text(), /\[FISK_APPLICATION_NOT_FOUND\]\n$/);
    });
  });

  test(`the fault that ends a daemon reaches a full log that is read slowly, ${times} times of ${times}`, async (t) => {
    const servers = await Promise.all(Array.from({ length: AT_ONCE }, () => deniable(t)));
    await inTurns(times, async () => {
      const server = servers.pop();
      assert.ok(server !== undefined);
      const daemon = serve(server.url, fixture('lab.sh'));
      await daemon.printed(/Exposed:/);
      daemon.fill();
      daemon.readSlowly(READ_MS, ASLEEP_MS);
      await server.deny('choria.fisk-ai.tool.lab');
      assert.equal(await daemon.ended, 1, daemon.text());
      assert.match(
        daemon.text(),
        /"msg":"the daemon is failed".*needs permission to subscribe to choria\.fisk-ai\.tool\.lab/,
      );
      assert.match(daemon.text(), /^fisk: error: .*needs permission to subscribe to choria\.fisk-ai\.tool\.lab/m);
      assert.match(daemon.text(), /\[FISK_SERVICE_STOPPED\]\n$/);
      await server.deny('nothing');
      servers.push(server);
    });
  });
}

async function deniable(t: TestContext) {
  const nats = await startNatsServer({ config: users('nothing') });
  t.after(() => nats.stop());
  return { url: nats.url.replace('://', '://d:p@'), deny: (subject: string) => nats.reload(users(subject)) };
}
