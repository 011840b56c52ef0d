export { type DatagramSender, datagramSender } from './datagram.ts';
export { signalTarget } from './kill.ts';
export { makePipe, type PipeOutcome, readAvailable, setNonBlocking } from './pipe.ts';
export { closeQuietly, type SpawnOutcome, type SpawnRequest, spawnProcess, startsSettled } from './spawn.ts';
export { type PackedStrings, packStrings } from './strings.ts';
export { type ExitStatus, reap } from './wait.ts';
