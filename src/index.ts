/**
 * The door for programs that embed fisk: load a configuration, serve its tools, find other agents and call theirs.
 * Everything exported here is meant to stay.
 */
export {
  type Config,
  type LoadedConfig,
  type LoadRequest,
  loadConfig,
  loadNatsContext,
  type NatsContext,
} from './config/index.ts';
export { type ErrorInfo, errorList, FiskError } from './errors.ts';
export { type Host, type HostOptions, openHost } from './host/index.ts';
export {
  type AgentSummary,
  type CallEvent,
  type CallOptions,
  type Connection,
  type ConnectOptions,
  callTool,
  connect,
  type Discovered,
  discover,
  listAgents,
  type RemoteOutcome,
} from './nats/index.ts';
export { createLogger, type Logger, type LoggerOptions } from './observe/index.ts';
export type { AgentCard, Behavior, ToolDescriptor } from './protocol/index.ts';
export { type RunningServer, type ServerOptions, type State, startServer } from './serve/index.ts';
export type {
  ArgumentValidator,
  BehaviorDescriber,
  CallContext,
  CallInfo,
  Confirmable,
  Describer,
  ExecDeps,
  ExecRecord,
  Kind,
  Outcome,
  Presentation,
  Tagged,
  Tool,
  ToolDefinition,
  ToolInput,
} from './tools/index.ts';
