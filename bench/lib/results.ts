/** What one run of the load process saw. Times are in ms, from the publish of a call on. */
export interface LoadResult {
  /** Calls that got their final reply. */
  calls: number;
  /** Those among them that did not run a command. */
  failed: number;
  /** How often each reason for that came. */
  codes: Record<string, number>;
  /** Of the calls that ran. */
  perSecond: number;
  ackP50: number;
  ackP99: number;
  replyP50: number;
  replyP99: number;
}

/** One line of the table: what was measured, for whom, against what bound. */
export interface Row {
  what: string;
  measured: string;
  /** The bound in words; absent for a line that only informs. */
  bound?: string;
  holds?: boolean;
}
