/**
 * Preloaded into a program: at each SIGUSR2 it adds one line to the file named by FISK_TEST_RESOURCES with
 * what it holds. Started with --expose-gc, it tells what is left of its memory after a collection.
 */
import { appendFileSync } from 'node:fs';

const file = process.env['FISK_TEST_RESOURCES'] ?? '';

process.on('SIGUSR2', () => {
  const handles: Record<string, number> = Object.create(null);
  for (const name of process.getActiveResourcesInfo()) handles[name] = (handles[name] ?? 0) + 1;
  // Before anything is collected: what the system sees. After it: what is really held.
  const { rss } = process.memoryUsage();
  globalThis.gc?.();
  const { heapUsed } = process.memoryUsage();
  appendFileSync(file, `${JSON.stringify({ handles, rss, live: heapUsed })}\n`);
});
