/** The hosts and origins that requests may name. */
import { isIP } from 'node:net';
import { McpAllowedError } from '../../errors.ts';
import { isLoopbackIp } from './address.ts';

export interface Places {
  /** Whether a request for that value of the Host header is one for us. */
  host(header: string | undefined): boolean;
  /** Whether a page of that origin may call. */
  origin(header: string): boolean;
}

export interface PlaceOptions {
  readonly loopback: boolean;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/**
 * On loopback, names of loopback and the allowed hosts are ours. Beyond it, where no list says what this machine is called, an address
 * or `localhost` is: the trick of a foreign page that gives its own name our address needs a name.
 * @throws {McpAllowedError} for an entry that no request could ever match.
 */
export function placesOf({ loopback, allowedHosts, allowedOrigins }: PlaceOptions): Places {
  const hosts = new Set(allowedHosts.map((entry) => hostName(entry) ?? unusable('allowed_hosts', entry, HOST_FORM)));
  const origins = new Set(
    allowedOrigins.map(
      (entry) => originOf(entry.replace(/\/$/, '')) ?? unusable('allowed_origins', entry, ORIGIN_FORM),
    ),
  );
  const anyAddress = !loopback && hosts.size === 0;
  return {
    host: (header) => {
      const name = hostName(header ?? '');
      if (name === undefined) return false;
      return isLoopbackName(name) || hosts.has(name) || (anyAddress && isIP(unbracketed(name)) !== 0);
    },
    origin: (header) => {
      const origin = originOf(header);
      return origin !== undefined && (origins.has(origin) || isLoopbackOrigin(origin));
    },
  };
}

const HOST_FORM = 'a host name or address, such as mcp.example.com';
const ORIGIN_FORM = 'an origin, such as https://app.example.com';

function unusable(key: string, entry: string, form: string): never {
  throw new McpAllowedError(
    `expose.agent.mcp.${key}: ${JSON.stringify(entry)} can match nothing; each entry is ${form}`,
  );
}

/** The host of `host`, `host:port` or `[v6]:port`, in small letters; nothing for what is none of these. */
function hostName(text: string): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)\.?(?::\d{1,5})?$/i.exec(text);
  return match?.[1]?.toLowerCase();
}

/** `scheme://host[:port]` as browsers write it; nothing for any other text, `null` among them. */
function originOf(text: string): string | undefined {
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):\/\/([a-z0-9._:[\]-]+)$/i.exec(text) ?? [];
  if (scheme === undefined || authority === undefined) return undefined;
  if (!/^https?$/i.test(scheme)) return text.toLowerCase();
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

function isLoopbackOrigin(origin: string): boolean {
  return /^https?:/.test(origin) && isLoopbackName(new URL(origin).hostname);
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || isLoopbackIp(unbracketed(name));
}

function unbracketed(name: string): string {
  return name.replace(/^\[|\]$/g, '');
}
