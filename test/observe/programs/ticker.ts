/** Logs half a megabyte every 50 ms without end and says on stdout, as often, how many lines it dropped. */
import { createLogger, stderrSink } from '../../../src/observe/index.ts';

const log = createLogger({ level: 'info', format: 'json' });
const filler = 'x'.repeat(1_000);
setInterval(() => {
  for (let i = 0; i < 500; i++) log.info({ filler }, 'line');
  process.stdout.write(`${JSON.stringify({ dropped: stderrSink().dropped })}\n`);
}, 50);
