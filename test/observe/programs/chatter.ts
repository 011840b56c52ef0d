/** Logs as its arguments say, then exits with 7: `chatter.ts LINES LENGTH [text]`. The last line is the reason. */
import { createLogger } from '../../../src/observe/index.ts';

const [lines = '1', length = '10', format = 'json'] = process.argv.slice(2);
const log = createLogger({ level: 'info', format: format === 'text' ? 'text' : 'json' });
const filler = 'x'.repeat(Number(length));
const started = performance.now();
for (let i = 0; i < Number(lines); i++) log.info({ i, filler }, 'line');
process.stdout.write(`${Math.round(performance.now() - started)}\n`);
log.error({ error: 'the reason' }, 'service stopped');
process.exit(7);
