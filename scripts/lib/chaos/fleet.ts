/** What the chaos is made in: one server, two members of one identity behind a way each that can break, and callers. */
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type JumpingClock, jumpingClock } from '../../../test/support/clock.ts';
import { type Away, Crowd } from '../../../test/support/crowd.ts';
import { startNatsServer, type TestNatsServer } from '../../../test/support/nats-server.ts';
import { startProxy, type TestProxy } from '../../../test/support/proxy.ts';
import { fixture, tempDir } from '../../../test/support/tmp.ts';
import { type WorkLedger, workLedger } from '../../../test/support/work-ledger.ts';
import { IDENTITY, Member } from './member.ts';

/** What a member's user lacks. */
export interface Lacks {
  readonly member: number;
  readonly subscribe?: string;
  readonly publish?: string;
  readonly password?: boolean;
}

/** A span of time in which something stood between a member and its callers. */
export interface Trouble extends Away {
  /** Absent for what concerns every member. */
  readonly member?: number;
  readonly kind: 'server away' | 'cut off' | 'silent' | 'may not answer' | 'thrown out by the server';
}

const APPLICATION = ['trouble.sh', 'trouble.json', 'stubborn.sh', 'leaver.sh', 'stops-itself.sh', 'endless.sh'];
APPLICATION.push('closes-output.sh');

export const guestName = (index: number): string => `guest-${index}`;

export class Fleet {
  readonly nats: TestNatsServer;
  readonly proxies: readonly TestProxy[];
  readonly members: readonly Member[];
  readonly callers: Crowd;
  /** Callers with a connection of their own. */
  readonly guests: Crowd[] = [];
  readonly ledger: WorkLedger;
  readonly troubles: Trouble[] = [];
  /** Of the second member; absent where a clock cannot be made to jump. */
  readonly clock: JumpingClock | undefined;
  readonly #application: string;

  private constructor(nats: TestNatsServer, proxies: readonly TestProxy[], callers: Crowd) {
    this.nats = nats;
    this.proxies = proxies;
    this.callers = callers;
    this.ledger = workLedger();
    this.clock = jumpingClock();
    const dir = tempDir();
    for (const name of APPLICATION) copyFileSync(fixture(name), join(dir, name));
    this.#application = join(dir, 'trouble.sh');
    this.members = proxies.map((proxy, number) => {
      const env = { ...this.ledger.env, ...(number === 1 ? this.clock?.env : {}) };
      const url = proxy.url.replace('://', `://m${number}:p@`);
      return new Member({ number, url, env, application: this.#application });
    });
  }

  /** Starts all of it and waits until both members serve. */
  static async start(): Promise<Fleet> {
    const nats = await startNatsServer({ config: configuration() });
    const proxies = await Promise.all([startProxy(nats.port), startProxy(nats.port)]);
    const callers = await Crowd.connect(nats.url, IDENTITY, { user: 'c', pass: 'p' });
    const fleet = new Fleet(nats, proxies, callers);
    for (const member of fleet.members) member.supervise();
    await Promise.all(fleet.members.map((member) => member.ready()));
    return fleet;
  }

  /** Begins a span of trouble; what it returns ends it. */
  trouble(kind: Trouble['kind'], member?: number): () => void {
    const trouble: Trouble = {
      kind,
      from: performance.now(),
      to: Number.POSITIVE_INFINITY,
      ...(member !== undefined && { member }),
    };
    this.troubles.push(trouble);
    return () => {
      trouble.to = performance.now();
    };
  }

  /** Lets the server read who may do what. */
  reload(lacks?: Lacks): Promise<void> {
    return this.nats.reload(configuration(lacks));
  }

  /** A caller with a connection of its own, and the name of its one call. */
  async guest(): Promise<[Crowd, string]> {
    const guest = await Crowd.connect(this.nats.url, IDENTITY, { user: 'c', pass: 'p' });
    return [guest, guestName(this.guests.push(guest) - 1)];
  }

  removeApplication(): void {
    rmSync(this.#application, { force: true });
  }

  /** Puts the application in place in one step, also where there is one. */
  replaceApplication(): void {
    const next = `${this.#application}.next`;
    copyFileSync(fixture('trouble.sh'), next);
    renameSync(next, this.#application);
  }

  async close(): Promise<void> {
    for (const crowd of [this.callers, ...this.guests]) await crowd.close();
    for (const proxy of this.proxies) await proxy.close();
    await this.nats.stop();
  }
}

/** A server that gives up on a silent client within seconds, with a user for each member and one for the callers. */
function configuration(lacks?: Lacks): string {
  const member = (number: number): string => {
    const own = lacks?.member === number ? lacks : undefined;
    const rights = `subscribe: { deny: "${own?.subscribe ?? 'nothing'}" }, publish: { deny: "${own?.publish ?? 'nothing'}" }`;
    return `{ user: m${number}, password: ${own?.password ? 'other' : 'p'}, permissions: { ${rights} } }`;
  };
  return `ping_interval: "1s"
ping_max: 2
lame_duck_grace_period: "1s"
lame_duck_duration: "30s"
authorization: { users: [ ${member(0)}, ${member(1)}, { user: c, password: p } ] }`;
}
