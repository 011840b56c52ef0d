import type { MonitorAddress } from './address.ts';
import type { Logger } from './logger.ts';
import type { Monitor } from './monitor/index.ts';
import type { Tally } from './tally.ts';

/**
 * Serves the numbers of a daemon at `address`: `/metrics`, `/livez` (also `/healthz`), `/readyz`, and a page for people
 * at `/`. Only whoever calls this pays for the libraries behind it.
 * @throws {MonitorAddressError} when the address cannot be listened on.
 */
export async function startMonitor(address: MonitorAddress, tally: Tally, log: Logger): Promise<Monitor> {
  const { startListener } = await import('./monitor/index.ts');
  return startListener(address, tally, log);
}
