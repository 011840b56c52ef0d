/**
 * Breaks everything around two members of one identity that serve, for as long as it is told, while callers call, and then
 * accounts for every call: it has exactly one end, or a reason for which it may have none. Prints a table; the exit code
 * is 1 when a call is not accounted for, had two ends or ran twice, or a member ended as nothing explains.
 *
 *   npm run chaos                   ten minutes
 *   npm run chaos -- --minutes 2    shorter, and with smaller crowds
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { hasEnded } from '../test/support/crowd.ts';
import { commandsOf } from '../test/support/marked.ts';
import { account } from './lib/chaos/accounts.ts';
import { Fleet } from './lib/chaos/fleet.ts';
import { type Act, actsOnMembers, actsOnTheWay } from './lib/chaos/troubles.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, only: { type: 'string' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes takes a number above 0');
const whole = minutes >= 5;
const scale = { burstSeconds: whole ? 20 : 5, callers: whole ? 1_000 : 200, away: whole ? [1, 5, 30] : [1, 5] };

const CALLERS = 10;
const PATIENCE_MS = 5_000;
/** What was refused comes again after this. */
const AGAIN_MS = 100;
const SETTLE_MS = 12_000;
const NASTY = ['stubborn', 'leave', 'stop', 'fill', 'binary', 'close'];

const fleet = await Fleet.start();
const { callers } = fleet;
const until = performance.now() + minutes * 60_000;
const done = new Map<string, number>();
let calling = true;

await Promise.all([
  keepActing(actsOnTheWay(scale)),
  keepActing(actsOnMembers(scale)),
  stopCallingAfterwards(),
  ...Array.from({ length: CALLERS }, keepCalling),
]);
await settle();
const codes = await Promise.all(fleet.members.map((member) => member.stop()));
const left = await leftBehind();
await fleet.close();
process.exitCode = report() ? 0 : 1;

/** Goes through the acts in an order of chance, again and again. */
async function keepActing(acts: readonly Act[]): Promise<void> {
  const chosen = acts.filter(({ name }) => values.only === undefined || name.includes(values.only));
  while (chosen.length > 0 && performance.now() < until) {
    for (const { name, run } of chosen.toSorted(() => Math.random() - 0.5)) {
      if (performance.now() >= until) return;
      const at = performance.now();
      await run(fleet);
      done.set(name, (done.get(name) ?? 0) + 1);
      console.error(`${clock(at)} ${name}`);
      await delay(300 + Math.random() * 1_000);
    }
  }
}

async function stopCallingAfterwards(): Promise<void> {
  await delay(until - performance.now());
  await Promise.all(fleet.members.map((member) => member.ready(120_000)));
  await delay(1_000);
  calling = false;
}

async function keepCalling(): Promise<void> {
  while (calling) {
    const call = callers.start(...someCall(String(callers.calls.length)));
    await callers.ended(call, PATIENCE_MS);
    if (call.finals[0]?.code !== 'ok') await delay(AGAIN_MS);
  }
}

/** Mostly short work, now and then long, or a command that does what none should. */
function someCall(call: string): [string, unknown] {
  const chance = Math.random();
  if (chance < 0.05) return [NASTY[Math.floor(chance * 20 * NASTY.length)] ?? 'stop', { call }];
  if (chance < 0.07) return ['nonesuch', {}];
  if (chance < 0.09) return ['work', { call, hours: 1 }];
  if (chance < 0.2) return ['work', { call, seconds: (1 + Math.random() * 0.8).toFixed(2) }];
  return ['work', { call, seconds: chance < 0.4 ? '0' : (Math.random() * 0.3).toFixed(2) }];
}

/** What has waited for a connection may take a while. */
async function settle(): Promise<void> {
  const end = performance.now() + SETTLE_MS;
  const ended = () => [callers, ...fleet.guests].every((crowd) => crowd.calls.every(hasEnded));
  while (performance.now() < end && !ended()) await delay(100);
  await delay(1_000);
}

/** Commands of the first member, whose clock never jumped, that live beyond any deadline; and ends those of both. */
async function leftBehind(): Promise<number> {
  const [first = [], second = []] = fleet.members.map(({ lives }) => lives.map(({ pid }) => pid));
  const end = performance.now() + SETTLE_MS;
  while (performance.now() < end && commandsOf(first).length > 0) await delay(100);
  const left = commandsOf(first);
  for (const pid of [...left, ...commandsOf(second)]) process.kill(pid, 'SIGKILL');
  return left.length;
}

function clock(at: number): string {
  return `${(at / 1_000).toFixed(1).padStart(6)} s`;
}

/** Prints what happened and says whether all of it is as it should be. */
function report(): boolean {
  const { ends, heldAndHeard, reasons, unaccounted, wrong } = account(fleet);
  const surprises = fleet.members.flatMap((member) => member.surprises);
  const lives = fleet.members.flatMap((member) => member.lives).length;
  const total = [callers, ...fleet.guests].reduce((sum, crowd) => sum + crowd.calls.length, 0);
  const rows: [string, string | number][] = [
    ...[...done].sort().map(([name, times]): [string, number] => [`did: ${name}`, times]),
    ['starts of a member', lives],
    ['calls', total],
    ...[...ends].sort().map(([end, times]): [string, number] => [`ended: ${end}`, times]),
    ['of these, replies that waited for a connection', heldAndHeard],
    ...[...reasons].sort().map(([reason, times]): [string, number] => [`no end: ${reason}`, times]),
    ['no end and no reason', unaccounted.length],
    ['two ends, ran twice, or an end that belies what ran', wrong.length],
    ['ends of a member that nothing explains', surprises.length],
    ['exit codes of the members at the end', codes.join(', ')],
    ['processes left behind', left],
  ];
  console.log(['| what | how many |', '|---|---|', ...rows.map(([what, many]) => `| ${what} | ${many} |`)].join('\n'));
  if (fleet.clock === undefined) console.log('The package faketime is not installed: no clock has jumped.');
  for (const line of [...unaccounted, ...wrong, ...surprises].slice(0, 20)) console.error(line);
  const good = unaccounted.length + wrong.length + surprises.length + left === 0;
  return good && codes.every((code) => code === 0);
}
