/** Preloaded into a program: at each SIGUSR2 it adds one line to the file named by FISK_TEST_RESOURCES with what it holds. */
import { appendFileSync } from 'node:fs';

const file = process.env['FISK_TEST_RESOURCES'] ?? '';

process.on('SIGUSR2', () => {
  const handles: Record<string, number> = Object.create(null);
  for (const name of process.getActiveResourcesInfo()) handles[name] = (handles[name] ?? 0) + 1;
  const { rss, heapUsed } = process.memoryUsage();
  appendFileSync(file, `${JSON.stringify({ handles, rss, heapUsed })}\n`);
});
