import type { Msg } from '@nats-io/nats-core';
import { type Service, Svcm } from '@nats-io/services';
import { ServiceStoppedError } from '../../errors.ts';
import { type Logger, StormLog } from '../../observe/index.ts';
import { IMPLEMENTATION, NAMESPACE, parseSubject } from '../../protocol/index.ts';
import { Backlog } from '../backlog.ts';
import type { Connection, PermissionRefusal } from '../connection.ts';
import { type HeldCounts, HeldReplies } from '../held-replies.ts';
import { type EndpointContext, IncomingRequest, type ServiceCounts, type ServiceRequest } from './request.ts';
import { EndpointStats } from './stats.ts';

export type { ServiceCounts, ServiceRequest } from './request.ts';

/** Handles one request. What it throws or rejects with becomes a 500, and nobody else notices. */
export type ServiceHandler = (request: ServiceRequest) => void | Promise<void>;

/** The one micro service of an identity in this process. */
export interface MicroService {
  readonly counts: ServiceCounts;
  /** For what callers can cause as often as they like; whoever ends the service closes it. */
  readonly storms: StormLog;
  /** What became of the final replies that found no connection, and how many of them wait now. */
  readonly heldCounts: HeldCounts & { readonly waiting: number };
  /** Names are `discovery`, `tool`, `task`, each once. The queue group is the identity. */
  addEndpoint(name: string, subject: string, handler: ServiceHandler): void;
  /** Resolves when the server has taken every subscription; throws what {@link fault} would resolve to otherwise. */
  ready(): Promise<void>;
  /** Resolves when the service ended for any cause but {@link stop}, with that cause. Never rejects. */
  readonly fault: Promise<Error>;
  /** Leaves the queue groups at once, waiting `timeoutMs` (2 000 when absent) for the server to confirm. */
  stop(timeoutMs?: number): Promise<void>;
  /** Gives up the final replies that wait for a connection, because nobody will be there to send them. */
  dropHeld(): void;
}

export interface MicroServiceOptions {
  readonly identity: string;
  /** The version on the card; the service's own is fixed. */
  readonly agentVersion: string;
  readonly log?: Logger;
}

const SERVICE_VERSION = '0.0.0';
const DESCRIPTION = 'fisk-ai a2a tool server';
const STOP_MS = 2_000;
const EXPLANATION_MS = 50;

/** Starts the service, which answers pings and questions about itself but has no endpoints yet. */
export async function startMicroService(connection: Connection, options: MicroServiceOptions): Promise<MicroService> {
  const metadata = { protocol: NAMESPACE, agent_version: options.agentVersion, implementation: IMPLEMENTATION };
  const service = await new Svcm(connection.nc).add({
    name: options.identity,
    version: SERVICE_VERSION,
    description: DESCRIPTION,
    queue: options.identity,
    metadata,
  });
  return new RunningService(service, connection, options, metadata);
}

class RunningService implements MicroService {
  readonly fault: Promise<Error>;
  readonly counts: ServiceCounts = { malformed: new Map(), foreignRecipients: 0, failedSends: 0 };
  readonly storms: StormLog;
  readonly #service: Service;
  readonly #connection: Connection;
  readonly #options: MicroServiceOptions;
  readonly #metadata: Record<string, string>;
  readonly #held: HeldReplies;
  readonly #backlog: Backlog;
  readonly #unwatch: () => void;
  #fail: (error: Error) => void = () => {};
  #failed: Error | undefined;
  #stopping = false;

  constructor(
    service: Service,
    connection: Connection,
    options: MicroServiceOptions,
    metadata: Record<string, string>,
  ) {
    this.#service = service;
    this.#connection = connection;
    this.#options = options;
    this.#metadata = metadata;
    this.storms = new StormLog(options.log);
    this.#held = new HeldReplies(connection, options.log);
    this.#backlog = new Backlog(connection, options.log);
    this.fault = new Promise((resolve) => {
      this.#fail = resolve;
    });
    this.#unwatch = connection.watch({
      refused: (refusal) => this.#refused(refusal),
      lost: (error) => this.#end(error),
    });
    void service.stopped.then((error) => {
      // A connection that ends for good closes its subscriptions first, but is the better explanation.
      setTimeout(() => this.#end(stopped(error)), EXPLANATION_MS);
    });
  }

  get heldCounts(): MicroService['heldCounts'] {
    return { ...this.#held.counts, waiting: this.#held.size };
  }

  addEndpoint(name: string, subject: string, handler: ServiceHandler): void {
    if (this.#service.info().endpoints?.some((endpoint) => endpoint.name === name)) {
      // Both would listen, and each request would go to one of them at random.
      throw new TypeError(`the service has an endpoint ${name} already`);
    }
    const stats = new EndpointStats(name, subject, this.#options.identity);
    const context = {
      connection: this.#connection,
      stats,
      counts: this.counts,
      held: this.#held,
      backlog: this.#backlog,
      storms: this.storms,
      log: this.#options.log,
    };
    this.#service.addEndpoint(name, {
      subject,
      metadata: this.#metadata,
      handler: (_error, msg) => handle(msg, handler, context),
    });
    countWith(this.#service, stats);
  }

  async ready(): Promise<void> {
    await this.#connection.flush();
    // A refusal arrives before the confirmation, but reaches the watchers a few microtasks later.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#failed !== undefined) throw this.#failed;
  }

  async stop(timeoutMs = STOP_MS): Promise<void> {
    this.#stopping = true;
    this.#unwatch();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    const stopped = this.#service.stop();
    // Without a server there is nobody to confirm anything, and nothing that could still arrive.
    if (this.#connection.connected) await Promise.race([stopped, late]);
    clearTimeout(timer);
    this.#options.log?.debug({ identity: this.#options.identity }, 'service stopped');
  }

  dropHeld(): void {
    this.#held.dropAll();
  }

  #refused(refusal: PermissionRefusal): void {
    const { operation, subject, text } = refusal;
    if (operation === 'publish') {
      if (parseSubject(subject ?? '') === undefined) this.counts.failedSends++;
      return;
    }
    // An older server leaves the queue out of its text, and the client then finds no subscription to tell.
    if (subject !== undefined && !this.#listensOn(subject)) return;
    const why = subject === undefined ? text : `the user needs permission to subscribe to ${subject}`;
    this.#end(new ServiceStoppedError(`the NATS server refused a subscription of the service: ${why}`));
  }

  #listensOn(subject: string): boolean {
    const { endpoints, name, id } = this.#service.info();
    if (endpoints?.some((endpoint) => endpoint.subject === subject)) return true;
    const control = /^\$SRV\.(?:PING|INFO|STATS)(?:\.([^.]+))?(?:\.([^.]+))?$/.exec(subject);
    return control !== null && (control[1] ?? name) === name && (control[2] ?? id) === id;
  }

  #end(error: Error): void {
    if (this.#stopping || this.#failed !== undefined) return;
    this.#failed = error;
    this.#unwatch();
    this.#options.log?.error({ identity: this.#options.identity, error: error.message }, 'service stopped');
    this.#fail(error);
  }
}

/** Never throws and never rejects: either would end more than this request. */
function handle(msg: Msg, handler: ServiceHandler, context: EndpointContext): void {
  const started = performance.now();
  const request = new IncomingRequest(msg, context);
  try {
    const pending = handler(request);
    if (pending !== undefined) pending.catch((error: unknown) => broken(request, error, context));
  } catch (error) {
    broken(request, error, context);
  } finally {
    context.stats.countRequest(performance.now() - started);
  }
}

function broken(request: ServiceRequest, error: unknown, context: EndpointContext): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  context.log?.error({ request: request.id, subject: request.subject, error: text }, 'a request could not be handled');
  request.refuse(500, 'the request could not be handled');
}

/** Puts our numbers in the place of the library's for the endpoint added last. */
function countWith(service: Service, stats: EndpointStats): void {
  const { handlers } = service as unknown as { handlers: { stats: unknown }[] };
  const added = handlers.at(-1);
  if (added === undefined) throw new TypeError('the micro service library no longer keeps its endpoints in handlers');
  added.stats = stats;
}

function stopped(error: Error | null | undefined): Error {
  const cause = error?.message ?? 'it was ended from outside';
  return new ServiceStoppedError(`the micro service stopped: ${cause}`, { cause: error ?? undefined });
}
