/** The tables of the status page. */
import type { CallOutcome, ConnectionEvent } from '../observer.ts';
import type { EndedCall, Tally } from '../tally.ts';
import { clockText, countText, secondsText } from './format.ts';
import { type Html, html } from './html.ts';

const OUTCOME_TONES: Readonly<Record<CallOutcome, string>> = {
  ok: 'good',
  nonzero: 'warn',
  timeout: 'bad',
  error: 'bad',
  cancelled: 'idle',
  interrupted: 'idle',
};

const EVENT_TONES: Readonly<Record<ConnectionEvent, string>> = {
  connected: 'good',
  reconnected: 'good',
  disconnected: 'bad',
  'lame duck': 'warn',
  lost: 'bad',
};

const NUMERIC = new Set(['Duration', 'Calls', 'Count', 'Away', 'Time spent']);

function table(columns: readonly string[], rows: readonly Html[], empty: string): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const head = columns.map((name) =>
    NUMERIC.has(name) ? html`<th class="num" scope="col">${name}</th>` : html`<th scope="col">${name}</th>`,
  );
  return html`<table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table>`;
}

const pill = (tone: string, text: string): Html => html`<span class="pill ${tone}">${text}</span>`;

export function runningTable(tally: Tally): Html {
  const now = performance.now();
  const rows = [...tally.running].map(
    ({ tool, kind, since }) =>
      html`<tr><td class="name">${tool}</td><td>${kind}</td><td class="num">${secondsText((now - since) / 1_000)}</td></tr>`,
  );
  return table(['Tool', 'Kind', 'Duration'], rows, 'No call runs now.');
}

export function recentCalls(tally: Tally): Html {
  const calls = tally.recent.list();
  const rows = calls.map(
    ({ tool, kind, outcome, seconds, endedAt }) =>
      html`<tr><td>${clockText(endedAt)}</td><td class="name">${tool}</td><td>${kind}</td><td>${pill(
        OUTCOME_TONES[outcome],
        outcome,
      )}</td><td class="num">${secondsText(seconds)}</td></tr>`,
  );
  const list = table(['Ended', 'Tool', 'Kind', 'Outcome', 'Duration'], rows, 'No call has ended yet.');
  return calls.length === 0 ? list : html`${strip(calls)}${list}`;
}

const STRIP_PLACES = 50;
const STRIP_HEIGHT = 44;

/** One bar a call, oldest first; its height grows with the logarithm of the duration from 1 ms to 10 minutes. */
function strip(calls: readonly EndedCall[]): Html {
  const bars = [...calls].reverse().map(({ seconds, outcome }, at) => {
    const share = Math.log(Math.max(1, seconds * 1_000)) / Math.log(600_000);
    const height = Math.max(3, Math.min(1, share) * STRIP_HEIGHT);
    const x = STRIP_PLACES - calls.length + at;
    return html`<rect class="${OUTCOME_TONES[outcome]}" x="${x * 10 + 1}" y="${(STRIP_HEIGHT - height).toFixed(1)}" width="8" height="${height.toFixed(1)}" rx="1.5"/>`;
  });
  return html`<svg class="strip" viewBox="0 0 ${STRIP_PLACES * 10} ${STRIP_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="Durations of the last ${calls.length} calls">${bars}</svg>`;
}

export function toolTable(tally: Tally): Html {
  const rows = (tally.what?.tools ?? []).map(({ name, kind, behavior, gate, withheld }) => {
    const numbers = tally.tools.get(name);
    const calls = [...(numbers?.outcomes.values() ?? [])].reduce((sum, count) => sum + count, 0);
    const tones = behavior.map((word) => html`${pill(word === 'destructive' ? 'bad' : 'idle', word)} `);
    const state = withheld === undefined ? pill('good', 'served') : html`${pill('idle', 'withheld')} ${withheld}`;
    return html`<tr><td class="name">${name}</td><td>${kind}</td><td>${tones}</td><td>${
      gate === undefined ? 'none' : `approval (${gate})`
    }</td><td>${state}</td><td class="num">${countText(calls)}</td><td class="num">${secondsText(numbers?.seconds ?? 0)}</td></tr>`;
  });
  const columns = ['Tool', 'Kind', 'Behaviour', 'Gate', 'State', 'Calls', 'Time spent'];
  return table(columns, rows, 'The tools are not known yet.');
}

export function refusalTable(tally: Tally): Html {
  const refused = [...tally.refusals.values()].map(({ code, count }) => ({ what: code, why: 'refused', count }));
  const malformed = [...(tally.what?.counts?.malformed ?? [])].map(([what, count]) => ({
    what,
    why: 'malformed',
    count,
  }));
  const rows = [...refused, ...malformed].map(
    ({ what, why, count }) => html`<tr><td>${what}</td><td>${why}</td><td class="num">${countText(count)}</td></tr>`,
  );
  return table(['Code', 'What', 'Count'], rows, 'Nothing was refused.');
}

export function connectionTable(tally: Tally): Html {
  const rows = tally.notes
    .list()
    .map(
      ({ event, server, awayMs, at }) =>
        html`<tr><td>${clockText(at)}</td><td>${pill(EVENT_TONES[event], event)}</td><td>${server ?? ''}</td><td class="num">${
          awayMs === undefined ? '' : secondsText(awayMs / 1_000)
        }</td></tr>`,
    );
  return table(['Time', 'Event', 'Server', 'Away'], rows, 'There was no connection yet.');
}
