/**
 * Runs one program again and again through the process room alone, without a server and a wire, for a number of seconds,
 * and prints calls per second: node bench/process-alone.ts PROGRAM COMMAND IN-FLIGHT SECONDS
 */
import { setFlagsFromString } from 'node:v8';
import { growNewSpaceWhenBusy } from '../src/cli/new-space.ts';
import { childEnvironment, runCommand } from '../src/process/index.ts';

setFlagsFromString('--semi-space-growth-factor=1');
growNewSpaceWhenBusy();
const [path = '', command = '', inFlight = '1', seconds = '1'] = process.argv.slice(2);
const environment = childEnvironment({ base: process.env, remove: [] });
const until = performance.now() + Number(seconds) * 1000;
let calls = 0;

async function caller(): Promise<void> {
  while (performance.now() < until) {
    const result = await runCommand({ path, args: [command], environment, timeoutMs: 30_000 });
    if (result.exitCode !== 0 || result.output !== 'ok\n') throw new Error(`${path} failed: ${result.output}`);
    calls++;
  }
}

const startedAt = performance.now();
await Promise.all(Array.from({ length: Number(inFlight) }, caller));
console.log(JSON.stringify({ perSecond: (calls / (performance.now() - startedAt)) * 1000 }));
