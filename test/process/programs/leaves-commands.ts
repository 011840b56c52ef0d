/**
 * Plays a daemon: starts commands with a time limit, waits until each has spoken, and leaves in the way that is asked
 * for: with a keeper, or by dying on the spot.
 *
 *   node leaves-commands.ts keeper|die TIMEOUT_MS PROGRAM...
 */
import { setTimeout as delay } from 'node:timers/promises';
import { childEnvironment, keepDeadlines, liveGroups, runCommand, silentLog } from '../../../src/process/index.ts';

const [how, timeout, ...programs] = process.argv.slice(2);
const environment = childEnvironment({ base: process.env, remove: [] });
for (const path of programs) {
  runCommand({ path, args: [], environment, timeoutMs: Number(timeout) }).catch(() => {});
}
while (liveGroups.size < programs.length) await delay(5);
await delay(200);
process.stdout.write(`${[...liveGroups].map((group) => group.pid)}\n`);
if (how === 'die') process.kill(process.pid, 'SIGKILL');
process.stdout.write(`${await keepDeadlines(silentLog)} kept\n`);
process.exit(0);
