/** Starts commands under a limit that the test has set, and prints what became of them. */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { childEnvironment, liveGroups, runCommand } from '../../../src/process/index.ts';

const environment = childEnvironment({ base: process.env, remove: [] });
const attempt = () =>
  runCommand({ path: '/bin/true', args: [], environment, timeoutMs: 20_000 }).then(
    ({ exitCode }) => (exitCode === 0 ? 'ok' : `exit ${exitCode}`),
    (error: { code?: string }) => error.code ?? String(error),
  );
const say = (text: string) => process.stdout.write(`${text}\n`);

switch (process.argv[2]) {
  case 'descriptors': {
    // Once with everything loaded, so that only descriptors are short afterwards.
    await attempt();
    const held: number[] = [];
    try {
      for (;;) held.push(openSync('/dev/null', 'r'));
    } catch {
      say(await attempt());
    }
    for (const fd of held) closeSync(fd);
    say(await attempt());
    break;
  }
  case 'deadline': {
    const [path = ''] = process.argv.slice(3);
    const running = runCommand({ path, args: [], environment, timeoutMs: 1_000 }).catch((error) => error);
    while (liveGroups.size === 0) await delay(5);
    const [group] = [...liveGroups];
    await delay(300);
    const held: number[] = [];
    try {
      for (;;) held.push(openSync('/dev/null', 'r'));
    } catch {
      const error = await running;
      for (const fd of held) closeSync(fd);
      say(`${error.code} ${error.partial?.output.startsWith('waiting')}`);
    }
    await delay(500);
    say((await group?.waitGone(0)) ? 'gone' : 'alive');
    break;
  }
  case 'processes': {
    const sleepers = new AbortController();
    const spec = { path: '/bin/sleep', args: ['30'], environment, signal: sleepers.signal };
    const running: Promise<unknown>[] = [];
    let refused = '';
    for (let count = 0; count < 64 && refused === ''; count++) {
      const call = runCommand(spec).catch((error: { code?: string }) => error.code ?? String(error));
      running.push(call);
      const early = await Promise.race([call, delay(60, undefined)]);
      refused = typeof early === 'string' ? early : '';
    }
    say(refused);
    sleepers.abort();
    await Promise.all(running);
    say(await attempt());
    break;
  }
  case 'shown': {
    const path = join(import.meta.dirname, '..', '..', 'support', 'fixtures', 'descriptors.sh');
    say((await runCommand({ path, args: [], environment })).output);
    break;
  }
  default:
    say(await attempt());
}
