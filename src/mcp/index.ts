export type { McpClient, McpServerFactory, McpService } from './contract.ts';
export { urlOf } from './http/address.ts';
export { openHttp } from './http/open.ts';
export type { McpHttp, McpHttpOptions } from './http/start.ts';
export { tokenFrom } from './http/token.ts';
export { type McpFront, type McpStart, type McpTiming, type RunningMcp, startMcp } from './start.ts';
export { openStdio, type StdioFront, type StdioLimits, type StdioOptions } from './stdio/open.ts';
