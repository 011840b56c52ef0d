/** What became of every call: one end, or one of the reasons for which a call may have none. */
import { type Crowd, type CrowdCall, doubled, hasEnded } from '../../../test/support/crowd.ts';
import type { Work, WorkLedger } from '../../../test/support/work-ledger.ts';
import { guestName, type Trouble } from './fleet.ts';
import { type Life, TOOL_TIMEOUT_MS } from './member.ts';

type Calls = Pick<Crowd, 'calls' | 'away'>;

/** All that is known of a run. A fleet is that. */
export interface Evidence {
  readonly callers: Calls;
  readonly guests: readonly Calls[];
  readonly ledger: Pick<WorkLedger, 'read'>;
  readonly members: readonly { readonly lives: readonly Life[] }[];
  readonly troubles: readonly Trouble[];
}

export interface Accounts {
  /** Calls by how they ended. */
  readonly ends: Map<string, number>;
  /** Of those, calls whose reply waited for a connection. */
  heldAndHeard: number;
  /** Calls without an end, by the reason. */
  readonly reasons: Map<string, number>;
  /** Calls without an end and without a reason, each with all that is known of it. */
  readonly unaccounted: string[];
  /** Calls with more than one end, that ran more than once, or whose end belies what ran. */
  readonly wrong: string[];
}

/** How far apart what happened and what was noted of it may lie, and how long something is on its way, in ms. */
const MARGIN_MS = 400;
/** A command that does not end is given this long between the two signals and after the second one. */
const ENDING_MS = 3_300;

interface Span {
  readonly from: number;
  readonly to: number;
}

const touches = (a: Span, b: Span): boolean => a.from <= b.to + MARGIN_MS && b.from <= a.to + MARGIN_MS;
const moment = (at: number): Span => ({ from: at, to: at });

/** Accounts for every call of the callers and of the guests. */
export function account(fleet: Evidence): Accounts {
  const works = fleet.ledger.read();
  const lives = fleet.members.flatMap((member) => member.lives);
  const accounts: Accounts = { ends: new Map(), heldAndHeard: 0, reasons: new Map(), unaccounted: [], wrong: [] };
  const all = [
    ...fleet.callers.calls.map((call, index) => [fleet.callers, call, String(index)] as const),
    ...fleet.guests.flatMap((guest, index) => guest.calls.map((call) => [guest, call, guestName(index)] as const)),
  ];
  for (const [crowd, call, name] of all) {
    const work = works.get(name);
    const known = () => `${name}: ${JSON.stringify({ ...call, work, away: crowd.away })}`;
    if (isWrong(call, work)) accounts.wrong.push(known());
    if (hasEnded(call)) {
      const end = call.finals[0]?.code ?? call.refusal ?? 'nobody';
      accounts.ends.set(end, (accounts.ends.get(end) ?? 0) + 1);
      if (work !== undefined && heldOf(call, work, lives) !== undefined) accounts.heldAndHeard++;
      continue;
    }
    const reason =
      work === undefined
        ? reasonUnseen(call, crowd, fleet.troubles, lives)
        : reasonLost(call, work, crowd, fleet.troubles, lives);
    if (reason === undefined) accounts.unaccounted.push(known());
    else accounts.reasons.set(reason, (accounts.reasons.get(reason) ?? 0) + 1);
  }
  return accounts;
}

function isWrong(call: CrowdCall, work: Work | undefined): boolean {
  if (doubled([call]).length > 0 || (work?.times ?? 0) > 1) return true;
  const end = call.finals[0]?.code ?? (call.nobody ? 'nobody' : undefined);
  if (end === 'ok') return work?.endedAt === undefined && !wasTakenAway(call);
  // What was refused has started nothing.
  return work !== undefined && (end === 'capacity' || end === 'draining' || end === 'nobody' || end === 'unknown_tool');
}

/** The application was removed after the kernel had found it and before its interpreter opened it. */
function wasTakenAway(call: CrowdCall): boolean {
  return /cannot open \S+: No such file/.test(call.finals[0]?.output ?? '');
}

/** The reason for a call that never began: its request, or a refusal that followed at once, was lost. */
function reasonUnseen(
  call: CrowdCall,
  crowd: Calls,
  troubles: readonly Trouble[],
  lives: readonly Life[],
): string | undefined {
  // With an acknowledgement it was seen, and was about to begin.
  const seen: Span = { from: call.sentAt, to: call.ack?.at ?? call.sentAt };
  if (crowd.away.some((span) => touches(span, seen))) return 'sent while the caller had no server';
  if (lives.some((life) => wasKilled(life) && touches(moment(life.endedAt ?? 0), seen))) {
    return 'on its way to a member that was killed';
  }
  const trouble = troubles.find((one) => touches(one, seen));
  return trouble && `on its way when this began or while it lasted: ${trouble.kind}`;
}

/** The reason for a call that began: its member ended without a word, or its reply was lost. */
function reasonLost(
  call: CrowdCall,
  work: Work,
  crowd: Calls,
  troubles: readonly Trouble[],
  lives: readonly Life[],
): string | undefined {
  const life = lives.find(({ pid }) => pid === work.daemon);
  if (life === undefined) return undefined;
  const due = dueOf(call, work, life);
  if (wasKilled(life) && touches({ from: life.endedAt ?? 0, to: Number.POSITIVE_INFINITY }, due)) {
    return 'ran on a member that was killed';
  }
  const held = heldOf(call, work, lives);
  if (held !== undefined) {
    // Such a reply waits, and must arrive: unless its member ended before, or lost the connection again over it.
    if (life.endedAt !== undefined && life.endedAt <= held.to) {
      return wasKilled(life)
        ? 'its reply was held by a member that was killed'
        : 'its reply was held by a member that left without a server';
    }
    return life.lostWhileSending.some((at) => at >= held.to)
      ? 'the connection was lost over the replies that had waited'
      : undefined;
  }
  if (life.away.some((span) => touches(moment(span.from), due)))
    return 'its reply was on its way when the connection broke';
  if (crowd.away.some((span) => touches(span, due))) return 'answered while the caller had no server';
  const trouble = troubles.find((one) => (one.member === undefined || one.member === life.member) && touches(one, due));
  return trouble && `answered while this lasted: ${trouble.kind}`;
}

/** The span without a connection in which the reply fell due, if it did. */
function heldOf(call: CrowdCall, work: Work, lives: readonly Life[]): Span | undefined {
  const life = lives.find(({ pid }) => pid === work.daemon);
  if (life === undefined) return undefined;
  const due = dueOf(call, work, life);
  return life.away.find((span) => span.from + MARGIN_MS < due.from && due.to < span.to);
}

/** When the reply was due, at the latest when its member had left. */
function dueOf(call: CrowdCall, work: Work, life: Life): Span {
  const late = work.beganAt + TOOL_TIMEOUT_MS;
  const own =
    work.endedAt === undefined || call.tool !== 'work' ? { from: late, to: late + ENDING_MS } : moment(work.endedAt);
  const left = life.drainingAt ?? life.endedAt ?? Number.POSITIVE_INFINITY;
  return own.from > left ? moment(left) : own;
}

function wasKilled({ child }: Life): boolean {
  return child.signalCode === 'SIGKILL' || child.exitCode === 143;
}
