import { NothingToServeError } from '../errors.ts';
import { factsOf, type Host, selectForSurface } from '../host/index.ts';
import { type MicroService, mintId, receive, type ServiceRequest, startMicroService } from '../nats/index.ts';
import { type DaemonState, Lifecycle, type Logger, type ServeObserver, silentObserver } from '../observe/index.ts';
import { endLiveGroups, Slots } from '../process/index.ts';
import { discoverySubject, MESSAGE, toolSubject } from '../protocol/index.ts';
import { createToolSet, isTagged, type LoadedApplication, type ServedSelection } from '../tools/index.ts';
import { CardWriter, cardBody } from './card.ts';
import { effectiveConcurrency } from './concurrency.ts';
import { ToolCalls } from './tool-calls.ts';
import { watchServing } from './watch.ts';

/** Where a daemon is in its life. */
export type State = DaemonState;

export interface ServerOptions {
  readonly host: Host;
  /** What the card says about this program. */
  readonly version: string;
  readonly log: Logger;
  /** Told what the daemon does; nobody is when it is absent. */
  readonly observer?: ServeObserver | undefined;
  /** How long leaving may take at most, in ms. */
  readonly drainTimeoutMs?: number | undefined;
}

/** Served tools are not waited for: what leaving waits for is the server, which is to take what was said. In ms. */
const GOODBYE_MS = 2_000;

/** A daemon that answers. */
export interface RunningServer {
  readonly state: State;
  readonly served: ServedSelection;
  /** Commands at a time. */
  readonly concurrency: number;
  /** Calls whose command runs now. */
  readonly running: number;
  /** Resolves when everything is closed, with the fault that ended it, if one did. Never rejects. */
  readonly done: Promise<{ readonly fault?: Error }>;
  /**
   * Leaves: takes no further calls, answers those that run, closes. It waits for no command. Calling it again does
   * nothing.
   */
  drain(reason: string): void;
  /** Ends every running command with its whole process group. */
  kill(): Promise<void>;
}

/**
 * Builds everything a daemon answers with, puts it on the air together, and waits until the server has confirmed it.
 * The host is the daemon's from then on, and closed by it, also when this throws.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, version, log, observer = silentObserver, drainTimeoutMs = GOODBYE_MS } = options;
  const lifecycle = new Lifecycle(log, observer);
  try {
    const { config, application } = host;
    if (application === undefined) {
      throw new NothingToServeError('application_path is not set, and only the commands of an application are served');
    }
    const served = selectForSurface('a2a', application, config);
    const concurrency = effectiveConcurrency(config, log);
    const card = new CardWriter(cardBody(config.identity, version, served.served));
    warn(log, application, served);
    warnOfSize(log, card, host.connection.bodyLimit);
    const service = await startMicroService(host.connection, { identity: config.identity, agentVersion: version, log });
    const { storms } = service;
    const slots = new Slots(concurrency);
    const tools = factsOf(served, config.harness.confirmTags);
    watchServing(observer, host, { tools, slots, counts: service.counts, held: () => service.heldCounts });
    const calls = new ToolCalls({
      identity: config.identity,
      tools: createToolSet(served.served).tools,
      slots,
      timeoutMs: config.expose.a2a.toolTimeoutMs,
      counts: service.counts,
      storms,
      log,
      observer,
    });
    service.addEndpoint(
      'discovery',
      discoverySubject(config.identity),
      answerWith(card, service, config.identity, log),
    );
    service.addEndpoint('tool', toolSubject(config.identity), (request) => calls.handle(request));
    await service.ready();
    lifecycle.to('ready', 'every subscription is confirmed');
    log.info({ channels: [], services: ['a2a'], concurrency, tools: served.served.length }, 'serving');
    const goodbyeMs = Math.min(GOODBYE_MS, drainTimeoutMs);
    return new Server({ host, lifecycle, service, calls, served, concurrency, goodbyeMs, log });
  } catch (error) {
    lifecycle.to('failed', 'the start failed');
    await host.close();
    throw error;
  }
}

function answerWith(card: CardWriter, service: MicroService, identity: string, log: Logger) {
  return (request: ServiceRequest): void => {
    if (request.refuseIfBusy()) {
      return;
    }
    const { counts, storms } = service;
    const received = receive(request, { identity, accept: [MESSAGE.discoveryRequest], counts, storms, log });
    if (received === undefined) {
      return;
    }
    const answer = card.write(received.message, { now: Date.now(), mintId });
    if (answer.length <= request.bodyLimit) {
      request.send(answer);
    } else {
      request.refuse(500, `the card of ${identity} is larger than a message may be`);
    }
  };
}

/** Everything an operator should know about the tools, once, at the start. */
function warn(log: Logger, application: LoadedApplication, served: ServedSelection): void {
  const tagsOf = new Map(application.tools.map(({ name, tags }) => [name, tags]));
  for (const { kind, tool, message } of [...application.notices, ...served.notices]) {
    log.warn({ kind, tool, ...(tool && { tags: tagsOf.get(tool) }) }, message);
  }
  for (const { tool, reason } of served.withheld) {
    log.warn({ tool: tool.name, tags: isTagged(tool) ? tool.tags : [], reason }, 'tool withheld from peers');
  }
}

/** Said now, since nobody would think of it when a caller finds no card. */
function warnOfSize(log: Logger, { bytes }: CardWriter, limit: number): void {
  if (bytes > limit) {
    log.warn({ bytes, limit }, 'the card is larger than a message may be, and no caller can get it: serve fewer tools');
  }
}

interface ServerParts {
  readonly host: Host;
  readonly lifecycle: Lifecycle;
  readonly service: MicroService;
  readonly calls: ToolCalls;
  readonly served: ServedSelection;
  readonly concurrency: number;
  readonly goodbyeMs: number;
  readonly log: Logger;
}

class Server implements RunningServer {
  readonly served: ServedSelection;
  readonly concurrency: number;
  readonly done: Promise<{ readonly fault?: Error }>;
  readonly #parts: ServerParts;
  #finish: (end: { readonly fault?: Error }) => void = () => {};

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.served = parts.served;
    this.concurrency = parts.concurrency;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
    void parts.service.fault.then((fault) => this.#leave(fault.message, fault));
  }

  get state(): State {
    return this.#parts.lifecycle.state;
  }

  get running(): number {
    return this.#parts.calls.running;
  }

  drain(reason: string): void {
    void this.#leave(reason);
  }

  kill(): Promise<void> {
    return endLiveGroups(this.#parts.log);
  }

  /** The one way out, for an operator's wish and for a fault alike. Only the first counts. */
  async #leave(reason: string, fault?: Error): Promise<void> {
    const { lifecycle, service, calls, host, goodbyeMs, log } = this.#parts;
    if (lifecycle.state !== 'ready') {
      return;
    }
    lifecycle.to('draining', reason);
    calls.drain();
    const until = performance.now() + goodbyeMs;
    let failure = fault;
    try {
      // A server that does not confirm this in half of the time will not confirm the goodbyes any faster.
      await service.stop(goodbyeMs / 2);
      const interrupted = calls.interrupt();
      if (interrupted > 0) {
        log.warn({ calls: interrupted }, 'left calls whose commands still run');
      }
      service.dropHeld();
      service.storms.close();
      await host.close(Math.max(0, until - performance.now()));
    } catch (error) {
      failure ??= error instanceof Error ? error : new Error(String(error));
    }
    lifecycle.to(failure ? 'failed' : 'stopped', failure?.message ?? reason);
    this.#finish(failure ? { fault: failure } : {});
  }
}
