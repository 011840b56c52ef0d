export { type McpHttp, type McpHttpOptions, startMcpHttp } from './start.ts';
export { tokenFrom } from './token.ts';
