/** The process group of a command that runs at this moment. */
export interface LiveGroup {
  /** The number of the group and the pid of its leader. */
  readonly pid: number;
  /** The value of the variable that everything the command starts inherits. */
  readonly mark: string;
  /** `performance.now()` just before the start. */
  readonly startedAt: number;
  /** When the command must be over by the clock of `monotonicMs`; 0 = no bound. */
  readonly deadline: number;
  /** The read end of its output; `undefined` for a companion, which is no command and has no deadline. */
  readonly output: number | undefined;
  /** Signals the whole group; nothing happens once it is gone. */
  signal(name: NodeJS.Signals): void;
  /** Waits until the group is gone, for at most `boundMs`. */
  waitGone(boundMs: number): Promise<boolean>;
}

/** Those running, oldest first. One that is over is taken out; what it left running on purpose is nobody's to end. */
export const liveGroups = new Set<LiveGroup>();
