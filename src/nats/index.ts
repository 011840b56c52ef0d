export { type CallEvent, type CallOptions, callTool, idleBound, type RemoteOutcome } from './caller/call.ts';
export { type Discovered, discover } from './caller/discover.ts';
export { type AgentSummary, listAgents, MOST_AGENTS } from './caller/list.ts';
export { type Connection, type ConnectOptions, connect, type PermissionRefusal, type Watcher } from './connection.ts';
export { mintId } from './ids.ts';
export { type ReceiveOptions, receive } from './micro/receive.ts';
export { type MicroService, type ServiceCounts, type ServiceRequest, startMicroService } from './micro/service.ts';
export { withoutUserInfo } from './options.ts';
export { KEEPALIVE_MS, ReplySet, type ReplySetOptions } from './reply-set.ts';
