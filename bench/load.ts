/**
 * Puts load on one served tool, from a process of its own, and prints what it saw as one JSON line. It speaks to the
 * server with the plain client library and knows nothing of fisk's own code.
 *
 *   node bench/load.ts --server URL --identity NAME --tool NAME [--input JSON] --in-flight N (--seconds S | --calls N)
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createInbox } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { quantile } from './lib/numbers.ts';
import type { LoadResult } from './lib/results.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: { server: text, identity: text, tool: text, input: text, 'in-flight': text, seconds: text, calls: text },
});
const { server = '', identity = '', tool = '' } = values;
const inFlight = Number(values['in-flight'] ?? 1);
const limit = Number(values.calls ?? Number.POSITIVE_INFINITY);
const seconds = Number(values.seconds ?? Number.POSITIVE_INFINITY);

const nc = await connect({ servers: server });
const inbox = createInbox();
const subject = `choria.fisk-ai.tool.${identity}`;
const encoder = new TextEncoder();
const run = randomBytes(6).toString('hex');

interface Caller {
  request: string;
  sentAt: number;
  acked: boolean;
}
const callers: Caller[] = [];
const acks: number[] = [];
const replies: number[] = [];
const codes: Record<string, number> = Object.create(null);
let started = 0;
let finished = 0;
let failed = 0;
let running = inFlight;
let startedAt = 0;
const over = Promise.withResolvers<void>();

function send(index: number): void {
  const request = `${run}-${started++}`;
  const body = {
    protocol: 'io.choria.fisk-ai.v1.tool.request',
    id: `${request}-m`,
    request,
    conversation: request,
    sequence: 0,
    time: new Date().toISOString(),
    sender: { name: 'bench' },
    recipient: { name: identity },
    name: tool,
    ...(values.input !== undefined && { input: JSON.parse(values.input) }),
  };
  callers[index] = { request, sentAt: performance.now(), acked: false };
  nc.publish(subject, encoder.encode(JSON.stringify(body)), { reply: `${inbox}.${index}` });
}

nc.subscribe(`${inbox}.*`, {
  callback: (error, message) => {
    const now = performance.now();
    if (error !== null) return over.reject(error);
    const index = Number(message.subject.slice(inbox.length + 1));
    const caller = callers[index];
    if (caller === undefined) return;
    const final = message.headers?.get('Fisk-AI-Stream-Final') ?? '';
    const refused = message.headers?.get('Nats-Service-Error-Code') ?? '';
    if (message.headers?.code === 503 || refused !== '') {
      return over.reject(new Error(`${identity} refused the request: ${refused || 'nobody listens'}`));
    }
    if (final === '') {
      if (!caller.acked) acks.push(now - caller.sentAt);
      caller.acked = true;
      return;
    }
    const reply = message.json<{
      request: string;
      is_error?: boolean;
      code?: string;
      output?: string;
      exec?: object;
    }>();
    if (reply.request !== caller.request) return;
    replies.push(now - caller.sentAt);
    finished++;
    if (reply.is_error === true || reply.exec === undefined || !caller.acked) {
      failed++;
      const code = reply.code ?? reply.output ?? 'none';
      codes[code] = (codes[code] ?? 0) + 1;
    }
    if (started < limit && now - startedAt < seconds * 1000) return send(index);
    running--;
    if (running === 0) over.resolve();
  },
});
await nc.flush();

startedAt = performance.now();
for (let index = 0; index < inFlight; index++) send(index);
const stuck = setInterval(() => {
  const oldest = Math.min(...callers.map((caller) => caller.sentAt));
  if (performance.now() - oldest > 60_000) over.reject(new Error('a call was not answered in 60 s'));
}, 1_000);
await over.promise;
clearInterval(stuck);
const elapsed = (performance.now() - startedAt) / 1000;
await nc.close();

const result: LoadResult = {
  calls: finished,
  failed,
  codes,
  perSecond: (finished - failed) / elapsed,
  ackP50: quantile(acks, 0.5),
  ackP99: quantile(acks, 0.99),
  replyP50: quantile(replies, 0.5),
  replyP99: quantile(replies, 0.99),
};
console.log(JSON.stringify(result));
