import type { McpHttp, McpHttpOptions } from './start.ts';

/**
 * Serves MCP over HTTP, as {@link McpHttpOptions} say. Only whoever calls this pays for the libraries behind it.
 * @throws {McpAddressError} when the address cannot be listened on.
 * @throws {McpTokenError} when the token is none, or is missing beyond loopback.
 * @throws {McpAllowedError} when an allowed origin or host can match nothing.
 */
export async function openHttp(options: McpHttpOptions): Promise<McpHttp> {
  const { startMcpHttp } = await import('./start.ts');
  return startMcpHttp(options);
}
