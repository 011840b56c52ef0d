export type { McpClient, McpServerFactory, McpService } from './contract.ts';
export { type McpFront, type McpStart, type McpTiming, type RunningMcp, startMcp } from './start.ts';
export { openStdio, type StdioFront, type StdioLimits, type StdioOptions } from './stdio/open.ts';
