import { isIP } from 'node:net';
import { AddressInvalidError } from '../errors.ts';

/**
 * Checks the base address of a service that credentials are sent to. Host names are not resolved.
 * @param label names the flag and its variable, or the key, in the error.
 * @throws {AddressInvalidError}
 */
export function checkBaseUrl(text: string, label: string): URL {
  const fault = baseUrlFault(text);
  if (fault !== undefined) {
    throw new AddressInvalidError(`${label} ${fault}`);
  }
  return new URL(text);
}

/** What is wrong with a base address, completing "<label> …", or undefined. Never repeats user information. */
export function baseUrlFault(text: string): string | undefined {
  if (!URL.canParse(text)) {
    return 'is not an address; write https://host/path';
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return `must begin with https:// or http://, not ${url.protocol}`;
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a user name or password';
  }
  return url.protocol === 'http:' && !isLoopback(url.hostname)
    ? 'must use https, since its host is not localhost or a loopback address'
    : undefined;
}

/** Whether a host as URLs have it is this machine without asking anyone. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}
