/** A clock that jumps, for one process and what it starts. What measures spans of time stays as it is. */
import { globSync, writeFileSync } from 'node:fs';
import { tempFile } from './tmp.ts';

export interface JumpingClock {
  /** What the process must be started with. */
  readonly env: NodeJS.ProcessEnv;
  /** Puts the clock that many seconds beside the real one. */
  jump(seconds: number): void;
}

/** Nothing where the library that does it (of the package faketime) is not installed. */
export function jumpingClock(): JumpingClock | undefined {
  const [library] = globSync('/usr/lib/{*/,}faketime/libfaketimeMT.so.1');
  if (library === undefined) return undefined;
  const file = tempFile('clock', '+0');
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    jump: (seconds) => writeFileSync(file, seconds < 0 ? String(seconds) : `+${seconds}`),
  };
}
