import type { Durations } from '../durations.ts';
import type { DaemonState } from '../observer.ts';
import type { Tally } from '../tally.ts';

export type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels, value: number];
export type Timed = readonly [labels: Labels, value: Durations];

interface Described {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** One metric, and where its values are. */
export type Series =
  | (Described & { readonly type: 'counter' | 'gauge'; read(tally: Tally): Iterable<Sample> })
  | (Described & { readonly type: 'histogram'; read(tally: Tally): Iterable<Timed> });

const STATES: readonly DaemonState[] = ['starting', 'ready', 'draining', 'stopped', 'failed'];
/** There from the start with 0, so that the first of each is seen as an increase. */
const CODES = ['capacity', 'draining', 'invalid_input', 'unknown_tool'];
const CLASSES = ['size', 'json', 'depth', 'protocol', 'schema', 'family'];

const one = (value: number): Sample[] => [[{}, value]];

/** Every metric of ours. Those of the process and of Node are prom-client's. */
export const SERIES: readonly Series[] = [
  {
    name: 'fisk_build_info',
    type: 'gauge',
    help: 'Always 1; the labels tell what runs.',
    labels: ['version', 'identity'],
    read: ({ version, identity }) => [[{ version, identity }, 1]],
  },
  {
    name: 'fisk_state',
    type: 'gauge',
    help: '1 for the state the daemon is in, 0 for the others.',
    labels: ['state'],
    read: (tally) => STATES.map((state) => [{ state }, Number(tally.currentState === state)]),
  },
  {
    name: 'fisk_ready',
    type: 'gauge',
    help: '1 while the daemon takes calls: ready, registered and connected.',
    labels: [],
    read: (tally) => one(Number(tally.notReady().length === 0)),
  },
  {
    name: 'fisk_connected',
    type: 'gauge',
    help: '1 while there is a connection to NATS.',
    labels: [],
    // A daemon that never has one is not cut off.
    read: (tally) =>
      tally.what !== undefined && tally.what.connection === undefined
        ? []
        : one(Number(tally.what?.connection?.connected ?? false)),
  },
  {
    name: 'fisk_reconnects_total',
    type: 'counter',
    help: 'Connections to NATS that were lost and made again.',
    labels: [],
    read: (tally) => one(tally.reconnects),
  },
  {
    name: 'fisk_slots_limit',
    type: 'gauge',
    help: 'Commands that may run at a time.',
    labels: [],
    read: (tally) => one(tally.what?.slots.limit ?? 0),
  },
  {
    name: 'fisk_slots_in_use',
    type: 'gauge',
    help: 'Slots that are taken now.',
    labels: [],
    read: (tally) => one(tally.what?.slots.inUse ?? 0),
  },
  {
    name: 'fisk_calls_in_flight',
    type: 'gauge',
    help: 'Accepted calls that have not been answered yet.',
    labels: [],
    read: (tally) => one(tally.running.size),
  },
  {
    name: 'fisk_call_duration_seconds',
    type: 'histogram',
    help: 'Time from the acceptance of a call to its end.',
    labels: ['surface', 'kind', 'outcome'],
    read: (tally) =>
      [...tally.groups.values()].map(
        ({ surface, kind, outcome, durations }): Timed => [{ surface, kind, outcome }, durations],
      ),
  },
  {
    name: 'fisk_tool_calls_total',
    type: 'counter',
    help: 'Calls that ended, by tool on the card.',
    labels: ['tool', 'outcome'],
    read: function* (tally) {
      for (const [tool, { outcomes }] of tally.tools) {
        for (const [outcome, count] of outcomes) yield [{ tool, outcome }, count];
      }
    },
  },
  {
    name: 'fisk_tool_seconds_total',
    type: 'counter',
    help: 'Time spent in calls that ended, by tool on the card.',
    labels: ['tool'],
    read: function* (tally) {
      for (const [tool, { seconds }] of tally.tools) yield [{ tool }, seconds];
    },
  },
  {
    name: 'fisk_refusals_total',
    type: 'counter',
    help: 'Calls that were answered without running anything, by the code their caller got.',
    labels: ['surface', 'code'],
    read: function* (tally) {
      const surface = tally.what !== undefined && tally.what.connection === undefined ? 'mcp' : 'a2a';
      for (const code of CODES) if (!tally.refusals.has(`${surface} ${code}`)) yield [{ surface, code }, 0];
      for (const { surface, code, count } of tally.refusals.values()) yield [{ surface, code }, count];
    },
  },
  {
    name: 'fisk_malformed_requests_total',
    type: 'counter',
    help: 'Requests that were no valid message, by the check that they failed.',
    labels: ['class'],
    read: function* (tally) {
      const seen = tally.what?.counts?.malformed ?? new Map<string, number>();
      for (const name of new Set([...CLASSES, ...seen.keys()])) yield [{ class: name }, seen.get(name) ?? 0];
    },
  },
  {
    name: 'fisk_foreign_recipients_total',
    type: 'counter',
    help: 'Requests served although they named another agent as their recipient.',
    labels: [],
    read: (tally) => one(tally.what?.counts?.foreignRecipients ?? 0),
  },
  {
    name: 'fisk_reply_failures_total',
    type: 'counter',
    help: 'Messages to callers that could not be sent.',
    labels: [],
    read: (tally) => one(tally.what?.counts?.failedSends ?? 0),
  },
  {
    name: 'fisk_held_replies',
    type: 'gauge',
    help: 'Final replies that wait for the connection to come back.',
    labels: [],
    read: (tally) => one(tally.what?.held?.().waiting ?? 0),
  },
  {
    name: 'fisk_held_replies_total',
    type: 'counter',
    help: 'Final replies that ever had to wait for the connection.',
    labels: [],
    read: (tally) => one(tally.what?.held?.().held ?? 0),
  },
  {
    name: 'fisk_dropped_replies_total',
    type: 'counter',
    help: 'Final replies that were given up: too many had to wait, their callers stayed away, the connection was lost again while they were sent, or the daemon left.',
    labels: [],
    read: (tally) => one(tally.what?.held?.().dropped ?? 0),
  },
  {
    name: 'fisk_spawn_duration_seconds',
    type: 'histogram',
    help: 'Time to start the process of a call.',
    labels: [],
    read: (tally) => [[{}, tally.spawns]],
  },
  {
    name: 'fisk_event_loop_delay_seconds',
    type: 'histogram',
    help: 'How late a timer of the event loop was, looked at fifty times a second.',
    labels: [],
    read: (tally) => [[{}, tally.loopDelays]],
  },
  {
    name: 'fisk_drain_duration_seconds',
    type: 'gauge',
    help: 'How long leaving has taken so far; 0 before it began.',
    labels: [],
    read: (tally) => one(tally.drainSeconds),
  },
  {
    name: 'fisk_log_lines_dropped_total',
    type: 'counter',
    help: 'Log lines dropped because their reader was too slow or the disk full.',
    labels: [],
    read: (tally) => one(tally.droppedLogLines()),
  },
];
