/** What an operator waits for: a scrape of many tools, the end of a daemon, and what its callers hear then. */
import { Crowd } from '../../test/support/crowd.ts';
import { freePort } from '../../test/support/free-port.ts';
import { tempScript } from '../../test/support/tmp.ts';
import { waitFor, waitGone } from '../../test/support/wait.ts';
import { type Bench, startFisk } from './contestants.ts';
import { median } from './numbers.ts';
import type { Row } from './results.ts';

const TOOLS = 231;
const SCRAPE_MS = 10;
const IDLE_EXIT_MS = 200;
const GOODBYE_MS = 100;

/** An application with many commands, each of which ends with the code that it is told. */
function largeApplication(): string {
  const schema = { type: 'object', properties: { code: { type: 'string' } } };
  const command = { help: 'Ends', schema, restricted_schema: schema, args: [{ name: 'code' }] };
  const commands = Array.from({ length: TOOLS }, (_, at) => ({ ...command, name: `a_tool_of_some_length_${at}` }));
  const document = JSON.stringify({ name: 'large', commands });
  return tempScript(`#!/bin/sh\nif [ "$1" = --fisk-introspect ]; then echo '${document}'; exit; fi\nexit "\${3:-0}"\n`);
}

/** Times in ms of scraping a daemon all of whose tools have been called with two outcomes. */
async function scrapes(bench: Bench, rounds: number): Promise<number[]> {
  const port = await freePort();
  const daemon = await startFisk(bench, 'large', largeApplication(), { env: { FISK_METRICS_ADDRESS: String(port) } });
  const crowd = await Crowd.connect(bench.server, daemon.identity);
  for (let tool = 0; tool < TOOLS; tool++) {
    for (const code of ['0', '3']) crowd.start(`a_tool_of_some_length_${tool}`, { code });
    await crowd.allEnded(10_000);
  }
  await crowd.close();
  const times: number[] = [];
  let text = '';
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    times.push(performance.now() - started);
  }
  await daemon.stop();
  const series = text.match(/^fisk_tool_calls_total\{/gm)?.length;
  if (series !== 2 * TOOLS) throw new Error(`${series} series for ${TOOLS} tools with two outcomes each`);
  return times;
}

/** From the signal to the end of a daemon that runs nothing, in ms. */
async function idleExits(bench: Bench, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const daemon = await startFisk(bench, 'idle', bench.tiny);
    const started = performance.now();
    await daemon.stop();
    times.push(performance.now() - started);
  }
  return times;
}

/** From the signal to the goodbye that a caller hears whose command runs, in ms. */
async function goodbyes(bench: Bench, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const daemon = await startFisk(bench, 'busy', bench.tiny);
    const crowd = await Crowd.connect(bench.server, daemon.identity);
    const call = crowd.start('wait', { seconds: 2 });
    await waitFor(() => call.ack?.accepted);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const started = performance.now();
    process.kill(daemon.pid, 'SIGTERM');
    await crowd.ended(call, 10_000);
    const [final] = call.finals;
    if (final?.code !== 'interrupted') throw new Error(`the caller heard ${JSON.stringify(final)}`);
    times.push(final.at - started);
    await waitGone(daemon.pid, 10_000);
    await crowd.close();
  }
  return times;
}

export async function measureOperating(
  bench: Bench,
  rounds: { readonly scrapes: number; readonly ends: number },
): Promise<Row[]> {
  return [
    row(`a scrape with ${TOOLS} tools that have all been called`, await scrapes(bench, rounds.scrapes), SCRAPE_MS),
    row('from SIGTERM to the end of an idle daemon', await idleExits(bench, rounds.ends), IDLE_EXIT_MS),
    row('from SIGTERM to what the caller of a running command hears', await goodbyes(bench, rounds.ends), GOODBYE_MS),
  ];
}

function row(what: string, times: readonly number[], bound: number): Row {
  const measured = `${median(times).toFixed(1)} ms (longest ${Math.max(...times).toFixed(1)} ms)`;
  return { what, measured, bound: `under ${bound} ms`, holds: median(times) < bound };
}
