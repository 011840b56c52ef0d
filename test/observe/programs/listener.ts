/** Opens the listener and has nothing else to do. */
import { pino } from 'pino';
import { startMonitor, Tally } from '../../../src/observe/index.ts';

await startMonitor({ host: '127.0.0.1', port: 0 }, new Tally('x', '1'), pino({ level: 'silent' }));
process.stdout.write('listening\n');
