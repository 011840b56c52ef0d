/** A worker made of the parts under test, with a handler in the place of commands. */
import {
  type Connection,
  connect,
  type MicroService,
  ReplySet,
  receive,
  startMicroService,
} from '../../src/nats/index.ts';
import { createLogger, type Logger } from '../../src/observe/index.ts';
import {
  type CardBody,
  discoverySubject,
  encode,
  MESSAGE,
  NAMESPACE,
  replyHeader,
  type ToolRequest,
  toolSubject,
} from '../../src/protocol/index.ts';

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A log whose lines a test can look at. */
export function memoryLog(): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const destination = { write: (line: string) => lines.push(JSON.parse(line) as LogLine) };
  return { log: createLogger({ level: 'debug', format: 'json', destination }), lines };
}

export interface TestWorker {
  readonly connection: Connection;
  readonly service: MicroService;
  readonly lines: LogLine[];
  /** How many tool requests got as far as the handler. */
  handled: number;
  close(): Promise<void>;
}

export type Handle = (set: ReplySet, message: ToolRequest) => void | Promise<void>;

const succeed: Handle = (set, message) => {
  if (!set.ack(true)) return;
  set.reply({ output: `ran ${message.name}\n`, exec: { command: message.name, exitCode: 0, truncated: false } });
};

export async function startWorker(
  url: string,
  identity: string,
  handle: Handle = succeed,
  card: Partial<CardBody> = {},
): Promise<TestWorker> {
  const { log, lines } = memoryLog();
  const connection = await connect({ servers: [url], name: identity, log });
  const service = await startMicroService(connection, { identity, agentVersion: '9.9.9-test', log });
  const { counts, storms } = service;
  const worker: TestWorker = {
    connection,
    service,
    lines,
    handled: 0,
    async close() {
      await service.stop();
      await connection.close();
    },
  };
  service.addEndpoint('discovery', discoverySubject(identity), (request) => {
    const decoded = receive(request, { identity, accept: [MESSAGE.discoveryRequest], counts, storms, log });
    if (decoded === undefined) return;
    const minting = { now: Date.now(), mintId: () => 'card' };
    const header = replyHeader(decoded.message, {
      protocol: MESSAGE.discoveryReply,
      sequence: 0,
      sender: identity,
      ...minting,
    });
    request.send(encode({ ...header, name: identity, version: '9.9.9-test', protocols: [NAMESPACE], ...card }));
  });
  service.addEndpoint('tool', toolSubject(identity), (request) => {
    const decoded = receive(request, { identity, accept: [MESSAGE.toolRequest], counts, storms, log });
    if (decoded === undefined) return;
    worker.handled++;
    return handle(new ReplySet(request, decoded.message, { sender: identity, log }), decoded.message as ToolRequest);
  });
  return worker;
}
