import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { McpAddressError } from '../../errors.ts';
import { listenFault } from '../../observe/index.ts';

/** Where to listen, found out before anything is opened. */
export interface ListenAddress {
  readonly ip: string;
  readonly loopback: boolean;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether text is an address of this machine alone. */
export function isLoopbackIp(text: string): boolean {
  const family = isIP(text);
  return family !== 0 && LOOPBACK.check(text, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Looks a name up, so that what is decided about the address is about the one that is listened on.
 * @throws {McpAddressError} when the name is unknown.
 */
export async function resolveAddress(address: string, port: number): Promise<ListenAddress> {
  const host = bare(address);
  if (isIP(host) !== 0) return { ip: host, loopback: isLoopbackIp(host) };
  try {
    const { address: ip } = await lookup(host);
    return { ip, loopback: isLoopbackIp(ip) };
  } catch (cause) {
    throw cannotListen(address, port, cause);
  }
}

/** The one error for an address that cannot be used, with the reason in words. */
export function cannotListen(address: string, port: number, cause: unknown): McpAddressError {
  return new McpAddressError(`cannot serve MCP on ${authority(address, port)}: ${listenFault(cause)}`, { cause });
}

/** What a client of this machine puts into its configuration. */
export function urlOf(address: string, port: number): string {
  const host = bare(address);
  return `http://${authority(host === '0.0.0.0' || /^[:0]+$/.test(host) ? 'localhost' : host, port)}/`;
}

function authority(address: string, port: number): string {
  const host = bare(address);
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function bare(address: string): string {
  return /^\[(.*)\]$/.exec(address)?.[1] ?? address;
}
