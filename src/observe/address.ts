import { isIP } from 'node:net';
import { MonitorAddressError } from '../errors.ts';

/** Where the listener for metrics, health and the status page is. */
export interface MonitorAddress {
  readonly host: string;
  /** 0 asks for a free one. */
  readonly port: number;
}

const LOOPBACK = '127.0.0.1';

/**
 * Reads `HOST:PORT`, `[IPV6]:PORT`, or a port alone, which is one on loopback.
 * @throws {MonitorAddressError} for anything else.
 */
export function parseMonitorAddress(text: string): MonitorAddress {
  const match = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]*)):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[3] ?? Number.NaN);
  const [, six, name] = match ?? [];
  if (match === null || port > 65_535 || (six !== undefined && isIP(six) !== 6)) {
    throw new MonitorAddressError(`${JSON.stringify(text)} is no address for metrics: give HOST:PORT or PORT`);
  }
  return { host: six || name || LOOPBACK, port };
}

/** The address as a person would type it. */
export function addressText({ host, port }: MonitorAddress): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

const REASONS = new Map([
  ['EADDRINUSE', 'the address is in use'],
  ['EADDRNOTAVAIL', 'this machine has no such address'],
  ['EACCES', 'this user may not listen on that port'],
  ['ENOTFOUND', 'the host name is unknown'],
  ['EAI_AGAIN', 'the host name could not be looked up'],
  ['ERR_SOCKET_BAD_PORT', 'a port is a number from 1 to 65535'],
]);

/** Why an address cannot be listened on, in words. */
export function listenFault(cause: unknown): string {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  return REASONS.get(code) ?? message;
}
