/**
 * Makes many calls to one daemon and looks at what it holds while it answers them. Prints the figures; the exit code is 1
 * when a call was lost, had two ends or did not end well, or when memory, descriptors or handles have grown.
 *
 *   npm run soak                      100 000 calls
 *   npm run soak -- --calls 10000     fewer
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Crowd, doubled, endsOf, hasEnded } from '../test/support/crowd.ts';
import { startNatsServer } from '../test/support/nats-server.ts';
import { startServed } from '../test/support/served.ts';
import { tempFile } from '../test/support/tmp.ts';
import { waitFor } from '../test/support/wait.ts';
import { projectDir } from './lib/programs.ts';

const { values } = parseArgs({ options: { calls: { type: 'string', default: '100000' } } });
const calls = Number(values.calls);
if (!(calls >= 100)) throw new Error('--calls takes a number from 100 on');

const SLOTS = 8;
const LOOKS = 10;
/** The first fifth warms up. What is held after it and at the end may differ by this much. */
const GROWTH_LIVE_MIB = 2;
const GROWTH_HANDLES = 2;
/**
 * What is thrown away is collected at each look. Without that a busy process takes some 40 MiB more for it in its first
 * tens of thousands of calls, and then no more.
 */
const GROWTH_RESIDENT_MIB = 8;
const MIB = 1024 ** 2;

interface Look {
  readonly calls: number;
  readonly rssMib: number;
  readonly liveMib: number;
  readonly descriptors: number;
  readonly handles: number;
}

const nats = await startNatsServer();
const file = tempFile('resources', '');
const hook = join(projectDir, 'test', 'support', 'resources.ts');
const daemon = await startServed({
  url: nats.url,
  slots: SLOTS,
  nodeArgs: ['--expose-gc', '--import', hook],
  env: { FISK_TEST_RESOURCES: file },
});
const crowd = await Crowd.connect(nats.url, 'lab');
const looks: Look[] = [await look()];
const began = performance.now();
for (let part = 1; part <= LOOKS; part++) {
  await callUntil(Math.round((calls * part) / LOOKS));
  looks.push(await look());
  console.error(`${crowd.calls.length} calls`);
}
const seconds = (performance.now() - began) / 1_000;
await delay(1_000);
const { code } = await daemon.stop();
await crowd.close();
await nats.stop();
process.exitCode = report() ? 0 : 1;

/** As many callers as slots, each with one call at a time, until so many calls were made. */
async function callUntil(made: number): Promise<void> {
  await Promise.all(
    Array.from({ length: SLOTS }, async () => {
      while (crowd.calls.length < made) {
        const word = String(crowd.calls.length);
        await crowd.ended(crowd.start('echo', { words: [word] }), 60_000);
      }
    }),
  );
}

/** What the daemon holds while nothing runs. */
async function look(): Promise<Look> {
  await delay(500);
  const before = readFileSync(file, 'utf8').length;
  daemon.kill('SIGUSR2');
  const line = await waitFor(() => {
    const text = readFileSync(file, 'utf8').slice(before);
    return text.endsWith('\n') && text;
  });
  const { handles, rss, live } = JSON.parse(line) as {
    handles: Record<string, number>;
    rss: number;
    live: number;
  };
  return {
    calls: crowd.calls.length,
    rssMib: rss / MIB,
    liveMib: live / MIB,
    descriptors: readdirSync(`/proc/${daemon.pid}/fd`).length,
    handles: Object.values(handles).reduce((sum, count) => sum + count, 0),
  };
}

/** Prints the figures and says whether all of them are as they should be. */
function report(): boolean {
  const lost = crowd.calls.filter((call) => !hasEnded(call)).length;
  const twice = doubled(crowd.calls).length;
  const ends = endsOf(crowd.calls);
  // Each must have got its own answer, and no other's.
  const mixed = crowd.calls.filter(({ finals }, index) => finals[0]?.output !== `[${index}]\n`).length;
  console.log('| calls | resident MiB | live MiB | descriptors | handles |\n|---|---|---|---|---|');
  for (const { calls, rssMib, liveMib, descriptors, handles } of looks) {
    console.log(`| ${calls} | ${rssMib.toFixed(1)} | ${liveMib.toFixed(1)} | ${descriptors} | ${handles} |`);
  }
  console.log(
    `\n${crowd.calls.length} calls in ${seconds.toFixed(0)} s, ${(crowd.calls.length / seconds).toFixed(0)} a second`,
  );
  console.log(
    `${lost} lost, ${twice} doubled, ${mixed} with another's answer; ends: ${JSON.stringify([...ends])}; exit ${code}`,
  );
  const [warm, last] = [looks[LOOKS / 5], looks.at(-1)];
  if (warm === undefined || last === undefined) return false;
  const flat =
    last.rssMib - warm.rssMib < GROWTH_RESIDENT_MIB &&
    last.liveMib - warm.liveMib < GROWTH_LIVE_MIB &&
    last.descriptors - warm.descriptors <= GROWTH_HANDLES &&
    last.handles - warm.handles <= GROWTH_HANDLES;
  console.log(flat ? 'what it holds has not grown' : 'WHAT IT HOLDS HAS GROWN');
  return flat && code === 0 && lost + twice + mixed === 0 && ends.get('ok') === crowd.calls.length;
}
