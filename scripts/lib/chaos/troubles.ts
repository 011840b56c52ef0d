/** Everything that is done to the fleet. Each puts in order what it has broken before it returns. */
import { setTimeout as delay } from 'node:timers/promises';
import { hasEnded } from '../../../test/support/crowd.ts';
import { run } from '../../../test/support/run.ts';
import { waitFor } from '../../../test/support/wait.ts';
import type { Fleet } from './fleet.ts';
import { type Expected, type Life, SLOTS } from './member.ts';

export interface Act {
  readonly name: string;
  run(fleet: Fleet): Promise<void>;
}

export interface Scale {
  /** Seconds of ten times the capacity. */
  readonly burstSeconds: number;
  /** Callers that come at once. */
  readonly callers: number;
  /** How long the server is away, in seconds. */
  readonly away: readonly number[];
}

const either = (): number => (Math.random() < 0.5 ? 0 : 1);

/** What is done to the server, to the ways to it and to the rights that it gives; one at a time. */
export function actsOnTheWay(scale: Scale): Act[] {
  return [
    ...scale.away.map((seconds) => ({ name: `server killed, back after ${seconds} s`, run: away(seconds) })),
    { name: 'server says that it goes, goes, and comes back', run: lameDuck },
    { name: 'a member cut off for 2 s', run: cutOff },
    { name: 'a member behind silence for 1 s', run: silence(1_000) },
    { name: 'a member behind silence until the server gives it up', run: silence(5_000) },
    { name: 'right to hear calls taken', run: shutOut({ subscribe: 'choria.fisk-ai.tool.chaos' }) },
    { name: 'right to hear discovery taken', run: shutOut({ subscribe: 'choria.fisk-ai.discovery.chaos' }) },
    { name: 'right to be a service taken', run: shutOut({ subscribe: '$SRV.>' }) },
    { name: 'password changed', run: shutOut({ password: true }) },
    { name: 'right to answer taken for 2 s', run: unheard },
  ];
}

/** What is done to the members, and by their callers; one at a time, beside the above. */
export function actsOnMembers(scale: Scale): Act[] {
  return [
    { name: 'SIGKILL', run: signal([['SIGKILL', 0]], ['SIGKILL']) },
    { name: 'SIGTERM', run: signal([['SIGTERM', 0]], [0]) },
    {
      name: 'SIGTERM twice',
      run: signal(
        [
          ['SIGTERM', 0],
          ['SIGTERM', 350],
        ],
        [0],
      ),
    },
    {
      name: 'SIGTERM three times',
      run: signal(
        [
          ['SIGTERM', 0],
          ['SIGTERM', 350],
          ['SIGTERM', 350],
        ],
        [0, 143],
      ),
    },
    { name: 'SIGTERM while the server is away', run: leaveWithoutServer },
    { name: 'application replaced', run: async (fleet) => fleet.replaceApplication() },
    { name: 'application removed for 1 s', run: removed },
    { name: 'no descriptor left for 2 s', run: noDescriptors },
    { name: 'clock an hour ahead, then an hour behind', run: clockJumps },
    { name: `ten times the capacity for ${scale.burstSeconds} s`, run: burst(scale.burstSeconds) },
    { name: `${scale.callers} callers at once`, run: guests(scale.callers) },
  ];
}

function away(seconds: number): Act['run'] {
  return async (fleet) => {
    const over = fleet.trouble('server away');
    await fleet.nats.stop();
    await delay(seconds * 1_000);
    await fleet.nats.restart();
    over();
    await everybodyBack(fleet);
  };
}

async function lameDuck(fleet: Fleet): Promise<void> {
  const over = fleet.trouble('server away');
  const { pid } = fleet.nats;
  process.kill(pid, 'SIGUSR2');
  await waitFor(() => fleet.callers.away.at(-1)?.to === Number.POSITIVE_INFINITY, { timeout: 20_000 });
  await fleet.nats.restart();
  over();
  await everybodyBack(fleet);
}

async function cutOff(fleet: Fleet): Promise<void> {
  const member = either();
  const over = fleet.trouble('cut off', member);
  fleet.proxies[member]?.cut();
  await delay(2_000);
  await fleet.proxies[member]?.heal();
  over();
  await everybodyBack(fleet);
}

function silence(ms: number): Act['run'] {
  return async (fleet) => {
    const member = either();
    const over = fleet.trouble('silent', member);
    fleet.proxies[member]?.silence();
    await delay(ms);
    await fleet.proxies[member]?.heal();
    over();
    await everybodyBack(fleet);
  };
}

function shutOut(lacks: { subscribe?: string; password?: boolean }): Act['run'] {
  return async (fleet) => {
    const number = either();
    const member = fleet.members[number];
    const life = await member?.ready();
    if (life === undefined) return;
    life.expected.add(1);
    // A member that may no longer listen still has its connection, and answers what it got before it leaves.
    const over = lacks.password ? fleet.trouble('thrown out by the server', number) : () => {};
    await fleet.reload({ member: number, ...lacks });
    // It has to leave by itself: a member that sits idle is never replaced.
    await waitFor(() => life.endedAt !== undefined, { timeout: 30_000, what: `member ${number} to leave` });
    over();
    await fleet.reload();
    await everybodyBack(fleet);
  };
}

async function unheard(fleet: Fleet): Promise<void> {
  const member = either();
  const over = fleet.trouble('may not answer', member);
  await fleet.reload({ member, publish: '_INBOX.>' });
  await delay(2_000);
  await fleet.reload();
  over();
}

function signal(signals: readonly (readonly [NodeJS.Signals, number])[], ends: readonly Expected[]): Act['run'] {
  return async (fleet) => {
    const life = await fleet.members[either()]?.ready();
    if (life === undefined) return;
    for (const end of ends) life.expected.add(end);
    for (const [name, after] of signals) {
      await delay(after);
      life.child.kill(name);
    }
    await ended(life);
    await everybodyBack(fleet);
  };
}

async function leaveWithoutServer(fleet: Fleet): Promise<void> {
  const number = either();
  const life = await fleet.members[number]?.ready();
  const proxy = fleet.proxies[number];
  if (life === undefined || proxy === undefined) return;
  life.expected.add(0);
  const over = fleet.trouble('cut off', number);
  proxy.cut();
  await delay(500);
  life.child.kill('SIGTERM');
  await ended(life);
  await proxy.heal();
  over();
  await everybodyBack(fleet);
}

async function removed(fleet: Fleet): Promise<void> {
  fleet.removeApplication();
  await delay(1_000);
  fleet.replaceApplication();
}

async function noDescriptors(fleet: Fleet): Promise<void> {
  const life = await fleet.members[either()]?.ready();
  if (life === undefined) return;
  await run('prlimit', ['--pid', String(life.pid), '--nofile=1:']);
  await delay(2_000);
  await run('prlimit', ['--pid', String(life.pid), '--nofile=1024:']);
}

async function clockJumps({ clock }: Fleet): Promise<void> {
  for (const seconds of [3_600, -3_600, 0]) {
    clock?.jump(seconds);
    await delay(1_000);
  }
}

function burst(seconds: number): Act['run'] {
  return async ({ callers }) => {
    const until = performance.now() + seconds * 1_000;
    await callers.keepCalling(SLOTS * 2 * 10, until, 5_000, () => {
      return callers.start('work', { call: String(callers.calls.length), seconds: '0.2' });
    });
  };
}

/** They come when there is a server, and each stays until it has its answer and nothing more can follow. */
function guests(count: number): Act['run'] {
  return async (fleet) => {
    await Promise.allSettled(
      Array.from({ length: count }, async () => {
        const [guest, name] = await fleet.guest();
        await guest.ended(guest.start('work', { call: name, seconds: '0.1' }), 10_000);
        await delay(1_000);
        if (guest.calls.every(hasEnded)) await guest.close();
      }),
    );
  };
}

function ended(life: Life): Promise<true> {
  return waitFor(() => life.endedAt !== undefined || undefined, {
    timeout: 30_000,
    what: `process ${life.pid} to end`,
  });
}

/** Until both members serve and are connected. */
async function everybodyBack(fleet: Fleet): Promise<void> {
  await Promise.all(
    fleet.members.map(async (member) => {
      await waitFor(
        () => {
          const life = member.life;
          return life !== undefined && (life.away.at(-1)?.to ?? 0) < performance.now();
        },
        { timeout: 60_000, what: `member ${member.number} to be back` },
      );
    }),
  );
}
