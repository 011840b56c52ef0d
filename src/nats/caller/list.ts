import { parseSubject } from '../../protocol/index.ts';
import type { Connection } from '../connection.ts';
import { converse } from './converse.ts';

/** One agent that answers on this system, with however many processes. */
export interface AgentSummary {
  readonly identity: string;
  readonly members: number;
  readonly tools: boolean;
  readonly prompts: boolean;
}

export interface ListOptions {
  /** Bounds the whole, in milliseconds. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Identities that are kept: a listing for people, and no answer of anybody is to be trusted. */
export const MOST_AGENTS = 1_000;
/** Endpoints of one answer that are looked at. */
const MOST_ENDPOINTS = 100;
/** How long after the last answer another one is waited for, in milliseconds. */
const QUIET_MS = 300;
const TOTAL_MS = 2_000;
const INFO_SUBJECT = '$SRV.INFO';
const INFO_TYPE = 'io.nats.micro.v1.info_response';

/** Asks all micro services and keeps those that answer discovery, by identity in alphabetical order. Nobody: an empty list. It ends with the first thousand. */
export async function listAgents(connection: Connection, options: ListOptions = {}): Promise<AgentSummary[]> {
  const { timeoutMs = TOTAL_MS, signal } = options;
  const agents = new Map<string, { members: number; tools: boolean; prompts: boolean }>();
  const deadline = performance.now() + timeoutMs;
  await converse<void>(connection, {
    subject: INFO_SUBJECT,
    body: new Uint8Array(0),
    signal,
    flushMs: timeoutMs,
    open: (turn) => waitOn(turn, timeoutMs),
    heard: (msg, turn) => {
      if (msg.headers?.code === 503) {
        turn.done();
        return;
      }
      note(msg.data, agents);
      if (agents.size >= MOST_AGENTS) {
        turn.done();
        return;
      }
      waitOn(turn, Math.min(QUIET_MS, deadline - performance.now()));
    },
  }).catch((error: unknown) => {
    if (error !== ENOUGH) throw error;
  });
  return [...agents]
    .map(([identity, seen]) => ({ identity, ...seen }))
    .sort((a, b) => (a.identity < b.identity ? -1 : 1));
}

/** Ends the waiting; silence is how this question ends and no failure. */
const ENOUGH = new Error('no further answer');

function waitOn(turn: { expect(ms: number, late: () => Error): void }, ms: number): void {
  turn.expect(Math.max(0, ms), () => ENOUGH);
}

function note(body: Uint8Array, agents: Map<string, { members: number; tools: boolean; prompts: boolean }>): void {
  const subjects = endpointSubjects(body).map(parseSubject);
  for (const found of subjects) {
    if (found?.purpose !== 'discovery') continue;
    const { identity } = found;
    const serves = (purpose: string) => subjects.some((s) => s?.purpose === purpose && s.identity === identity);
    const seen = agents.get(identity) ?? { members: 0, tools: false, prompts: false };
    agents.set(identity, {
      members: seen.members + 1,
      tools: seen.tools || serves('tool'),
      prompts: seen.prompts || serves('task'),
    });
  }
}

/** The subjects of a service, from an answer of any service at all: nothing about its shape is certain. */
function endpointSubjects(body: Uint8Array): string[] {
  try {
    const info = JSON.parse(Buffer.from(body).toString('utf8')) as { type?: unknown; endpoints?: unknown } | null;
    if (info?.type !== INFO_TYPE || !Array.isArray(info.endpoints)) return [];
    return info.endpoints
      .slice(0, MOST_ENDPOINTS)
      .map((endpoint: { subject?: unknown } | null) => endpoint?.subject)
      .filter((subject) => typeof subject === 'string');
  } catch {
    return [];
  }
}
