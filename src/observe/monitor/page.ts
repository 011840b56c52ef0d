import type { DaemonState } from '../observer.ts';
import type { Tally } from '../tally.ts';
import { SCRIPT, STYLE } from './assets.ts';
import { countText, spanText } from './format.ts';
import { Html, html } from './html.ts';
import { connectionTable, recentCalls, refusalTable, runningTable, toolTable } from './tables.ts';

const STATE_TONES: Readonly<Record<DaemonState, string>> = {
  starting: 'idle',
  ready: 'good',
  draining: 'warn',
  stopped: 'idle',
  failed: 'bad',
};

/** Slots beyond this many are a number and no row of boxes. */
const MOST_PIPS = 64;

/** The status page: complete in itself, safe whatever the names in it are, and without anything to press. */
export function statusPage(tally: Tally, now = Date.now()): string {
  const { identity, version } = tally;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${tally.currentState} · ${identity}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the numbers</a>
<div class="wrap">
<header>
<h1>${identity}<small>fisk ${version}</small></h1>
<div id="state" data-live role="status">${stateLine(tally)}</div>
</header>
<nav aria-label="On this page"><a href="#calls">Calls</a><a href="#tools">Tools</a><a href="#refusals">Refusals</a><a href="#connection">Connection</a><a href="/metrics">Metrics</a><a href="/readyz">Readiness</a></nav>
<div id="stale" class="bad" role="alert">The daemon does not answer. What stands here is what it said last.</div>
<main id="content">
<dl class="tiles" id="tiles" data-live>${tiles(tally, now)}</dl>
${section('calls', 'Running now', runningTable(tally))}
${section('recent', 'Last calls', recentCalls(tally))}
${section('tools', 'Tools', toolTable(tally))}
<div class="cols">
${section('refusals', 'Refusals and malformed requests', refusalTable(tally))}
${section('connection', 'Connection', connectionTable(tally))}
</div>
</main>
<footer>Times are in UTC. This page changes nothing and renews itself every two seconds.</footer>
</div>
<script>${new Html(SCRIPT)}</script>
</body>
</html>
`.text;
}

/** The place that scrolls takes the focus, so that the arrow keys move it. */
function section(id: string, title: string, content: Html): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="${id}-title" id="${id}-part" data-live>${content}</div></section>`;
}

function stateLine(tally: Tally): Html {
  const { connection } = tally.what ?? {};
  const state = tally.currentState;
  const away = connection !== undefined && !connection.connected && state === 'ready';
  return html`<span class="pill ${STATE_TONES[state]}">${state}</span> ${
    away ? html`<span class="pill bad">not connected</span>` : ''
  } <span class="note">${tally.reason}</span>`;
}

function tiles(tally: Tally, now: number): Html[] {
  const { slots } = tally.what ?? { slots: { inUse: 0, limit: 0 } };
  const lost = (tally.what?.counts?.failedSends ?? 0) + (tally.what?.held?.().dropped ?? 0);
  return [
    tile('Slots in use', `${slots.inUse} of ${slots.limit}`, pips(slots.inUse, slots.limit)),
    tile('Calls', countText(tally.calls), html`<span class="note">${tally.running.size} in flight</span>`),
    tile('Failed', countText(tally.failed), html`<span class="note">timeout, error, cancelled, interrupted</span>`),
    tile('Refused', countText(tally.refusedCalls), html`<span class="note">nothing was started</span>`),
    tile(
      'Replies lost',
      countText(lost),
      html`<span class="note">${tally.what?.held?.().waiting ?? 0} held back now</span>`,
    ),
    tile(
      'Up for',
      spanText((now - tally.startedAt) / 1_000),
      html`<span class="note">since ${dayText(tally.startedAt)}</span>`,
    ),
  ];
}

function tile(label: string, number: string, note: Html): Html {
  return html`<div><dt>${label}</dt><dd><div class="number">${number}</div>${note}</dd></div>`;
}

function pips(inUse: number, limit: number): Html {
  if (limit > MOST_PIPS) return html``;
  const boxes = Array.from({ length: limit }, (_, at) => (at < inUse ? html`<i class="on"></i>` : html`<i></i>`));
  return html`<div class="pips" aria-hidden="true">${boxes}</div>`;
}

function dayText(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 16).replace('T', ' ');
}
