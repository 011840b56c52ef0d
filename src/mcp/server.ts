import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Implementation,
  type Tool as ListedTool,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type StandardSchemaV1,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { type Logger, logText } from '../observe/index.ts';
import type { Asking, CallRequest } from './calls/request.ts';
import type { ToolCalls } from './calls/tool-calls.ts';
import type { McpClient } from './contract.ts';

export interface ServerParts {
  readonly identity: string;
  readonly version: string;
  /** Sent to clients when they connect. */
  readonly instructions?: string | undefined;
  readonly listed: readonly ListedTool[];
  readonly calls: ToolCalls;
  readonly log: Logger;
  /** How a client's gated calls are treated, for its log line. */
  readonly treatment: (elicitation: unknown) => string;
}

/** Lets everything through as it came: we judge it ourselves, and a copy might lose what we have to judge. */
const ANYTHING: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': { version: 1, vendor: 'fisk', validate: (value) => ({ value: value as Record<string, unknown> }) },
};

/** The library checks answers of people with this; we ask it to check none. */
const NO_VALIDATOR = {
  getValidator: () => {
    throw new Error('nothing is validated by the protocol library');
  },
};

/** Makes the protocol server for one client, of whatever revision that speaks. */
export function createMcpServer(parts: ServerParts, client: McpClient): Server {
  const { identity, version, instructions, listed, calls, log } = parts;
  const server = new Server(
    { name: identity, version },
    {
      capabilities: { tools: { listChanged: false } },
      ...(instructions !== undefined && { instructions }),
      jsonSchemaValidator: NO_VALIDATOR,
    },
  );
  server.setRequestHandler('tools/list', { params: ANYTHING }, ({ cursor }) => {
    if (cursor !== undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the list of tools is one page, so there is no cursor');
    }
    return { tools: listed };
  });
  server.setRequestHandler('tools/call', { params: ANYTHING }, (params, context) =>
    calls.handle(requestOf(server, client, params, context)),
  );
  server.oninitialized = () => {
    const { name, version: of } = server.getClientVersion() ?? {};
    log.info(
      {
        client: shown(name, of),
        protocol: server.getNegotiatedProtocolVersion(),
        ...(client.session !== undefined && { session: client.session }),
        approvals: parts.treatment(server.getClientCapabilities()?.elicitation),
      },
      'client connected',
    );
  };
  server.onerror = (error) => log.debug({ error: logText(error.message) }, 'the protocol library reports an error');
  return server;
}

/** A `tools/call`, whose shape the library has checked, in the terms of no revision. */
function requestOf(
  server: Server,
  client: McpClient,
  params: Record<string, unknown>,
  { mcpReq }: ServerContext,
): CallRequest {
  const newer = speaksNewerRevision(server);
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const info = (newer ? envelope?.[CLIENT_INFO_META_KEY] : server.getClientVersion()) as Implementation | undefined;
  const capabilities = newer ? envelope?.[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
  return {
    id: mcpReq.id,
    name: params['name'] as string,
    arguments: params['arguments'] as CallRequest['arguments'],
    client,
    clientName: info && shown(info.name, info.version),
    capabilities: capabilities as CallRequest['capabilities'],
    asking: newer ? withTheResult(mcpReq) : withARequest(mcpReq),
    signal: mcpReq.signal,
    progress: progressOf(mcpReq),
  };
}

/** Whether the server is bound to a revision that knows no requests from a server. */
function speaksNewerRevision(server: Server): boolean {
  const version = server.getNegotiatedProtocolVersion();
  return version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version);
}

type McpReq = ServerContext['mcpReq'];

function withARequest({ send }: McpReq): Asking {
  return {
    by: 'request',
    ask: (question, { timeoutMs: timeout, signal }) =>
      send({ method: 'elicitation/create', params: { ...question } }, ANYTHING, { timeout, signal }),
  };
}

function withTheResult({ inputResponses, requestState }: McpReq): Asking {
  return { by: 'result', answers: inputResponses, seal: requestState<string>() };
}

function progressOf({ _meta, notify }: McpReq): CallRequest['progress'] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress, message) => {
    // A client that is gone hears nothing; its call ends by its signal.
    notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {});
  };
}

function shown(name: Implementation['name'] | undefined, version: Implementation['version'] | undefined): string {
  return `${String(name ?? 'unknown').slice(0, 100)}/${String(version ?? '?').slice(0, 100)}`;
}
