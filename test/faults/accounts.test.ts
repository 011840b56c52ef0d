import assert from 'node:assert/strict';
import { test } from 'node:test';
import { account, type Evidence } from '../../scripts/lib/chaos/accounts.ts';
import type { Life } from '../../scripts/lib/chaos/member.ts';
import type { CrowdCall } from '../support/crowd.ts';
import type { Work } from '../support/work-ledger.ts';

const DAEMON = 4_711;

function call(over: Partial<CrowdCall> = {}): CrowdCall {
  const nothing = { refusal: undefined, nobody: false, misplaced: 0, sequence: 0, finals: [] };
  return { tool: 'work', sentAt: 10_000, ack: { at: 10_010, accepted: true }, ...nothing, ...over };
}

function life(over: Partial<Life> = {}): Life {
  const child = { exitCode: null, signalCode: null, kill: () => true };
  const ends = { readyAt: 0, drainingAt: undefined, endedAt: undefined };
  return { member: 0, pid: DAEMON, child, expected: new Set(), away: [], lostWhileSending: [], ...ends, ...over };
}

const worked: Work = { daemon: DAEMON, times: 1, beganAt: 10_050, endedAt: 11_000 };
const ok = { at: 11_010, code: 'ok', output: '' };

function accountOf(one: CrowdCall, work: Work | undefined, over: { lives?: Life[]; more?: Partial<Evidence> } = {}) {
  const works = new Map(work === undefined ? [] : [['0', work]]);
  return account({
    callers: { calls: [one], away: [] },
    guests: [],
    ledger: { read: () => works },
    members: [{ lives: over.lives ?? [life()] }],
    troubles: [],
    ...over.more,
  });
}

test('a call with one end that agrees with what ran is in order', () => {
  const { ends, unaccounted, wrong } = accountOf(call({ finals: [ok] }), worked);
  assert.deepEqual([[...ends], unaccounted, wrong], [[['ok', 1]], [], []]);
});

test('two ends, two runs, and an end that belies what ran are each found', () => {
  const refused = { ...ok, code: 'capacity' };
  for (const [one, work] of [
    [call({ finals: [ok, ok] }), worked],
    [call({ finals: [ok], misplaced: 1 }), worked],
    [call({ finals: [ok], nobody: true }), worked],
    [call({ finals: [ok] }), { ...worked, times: 2 }],
    [call(), { ...worked, times: 2 }],
    [call({ finals: [ok] }), undefined],
    [call({ finals: [refused] }), worked],
  ] as const) {
    assert.equal(accountOf(one, work).wrong.length, 1, JSON.stringify([one, work]));
  }
});

test('a command whose script was taken away before its interpreter opened it has run nothing, and its end is in order', () => {
  const output = '/bin/sh: 0: cannot open /tmp/trouble.sh: No such file\n';
  assert.deepEqual(accountOf(call({ finals: [{ ...ok, output }] }), undefined).wrong, []);
});

test('a call without an end is not accounted for where nothing happened that explains it', () => {
  const elsewhere = { from: 10_800, to: 11_500, kind: 'silent', member: 1 } as const;
  const longPast = life({ pid: 1, endedAt: 5_000, child: { ...life().child, signalCode: 'SIGKILL' } });
  const more = { troubles: [elsewhere] };
  for (const work of [worked, undefined]) {
    assert.equal(accountOf(call(), work).unaccounted.length, 1);
    assert.equal(accountOf(call(), work, { lives: [life(), longPast] }).unaccounted.length, 1);
  }
  assert.equal(accountOf(call(), worked, { more }).unaccounted.length, 1, 'what befell another member is no reason');
});

test('a reply that waited for the connection must arrive, whatever went on around it', () => {
  const away = [{ from: 10_100, to: 12_000 }];
  const more = { troubles: [{ from: 10_000, to: 12_000, kind: 'server away' }] as const, guests: [] };
  assert.equal(accountOf(call(), worked, { lives: [life({ away })], more }).unaccounted.length, 1);
  const left = life({ away: [{ from: 10_100, to: Number.POSITIVE_INFINITY }], endedAt: 11_800 });
  const reasons = [...accountOf(call(), worked, { lives: [left], more }).reasons];
  assert.deepEqual(reasons, [['its reply was held by a member that left without a server', 1]]);
});

test('a call without an end has a reason where its member was killed, or the way to it was broken just then', () => {
  const killed = life({ endedAt: 10_600, child: { ...life().child, signalCode: 'SIGKILL' } });
  const cut = { ...worked, endedAt: undefined };
  assert.deepEqual(
    [...accountOf(call(), cut, { lives: [killed] }).reasons.keys()],
    ['ran on a member that was killed'],
  );
  const broke = life({ away: [{ from: 11_100, to: 13_000 }] });
  assert.deepEqual(
    [...accountOf(call(), worked, { lives: [broke] }).reasons.keys()],
    ['its reply was on its way when the connection broke'],
  );
});
