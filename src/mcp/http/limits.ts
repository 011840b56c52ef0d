/** What one client, and all of them together, may take of the server. Times in ms, sizes in bytes. */
export interface HttpLimits {
  /** Sessions of the older revisions at a time. */
  readonly sessions: number;
  /** A session that nobody used for so long, and that has no stream open, is ended. */
  readonly sessionIdle: number;
  /** With all sessions taken, one that was idle for so long makes room for a new one. */
  readonly sessionSpare: number;
  /** Unanswered requests in one session. */
  readonly sessionRequests: number;
  /** A comment is written on an open stream so often, so that no proxy takes it for dead. */
  readonly keepAlive: number;
  readonly connections: number;
  /** Unanswered requests on one connection. */
  readonly pipelined: number;
  readonly body: number;
  readonly headers: number;
  /** From the first byte of a request, or the connection, to the last one of its headers. */
  readonly headersTime: number;
  /** From the first byte of a request to its last one. */
  readonly requestTime: number;
  /** A connection without a request is closed. */
  readonly quietConnection: number;
  /** What may wait for a client that reads slowly before more is written for it. */
  readonly unread: number;
  /** How long a client may read nothing while something waits for it. */
  readonly unreadTime: number;
  /** From the wish to end to the last connection closed. */
  readonly closing: number;
}

export const HTTP_LIMITS: HttpLimits = {
  sessions: 256,
  sessionIdle: 30 * 60_000,
  sessionSpare: 5 * 60_000,
  sessionRequests: 64,
  keepAlive: 15_000,
  connections: 1_024,
  pipelined: 16,
  body: 4 * 1024 * 1024,
  headers: 16 * 1024,
  headersTime: 10_000,
  requestTime: 30_000,
  // Longer than the usual minute of a proxy, so that it is never ours that closes under its next request.
  quietConnection: 75_000,
  unread: 1024 * 1024,
  unreadTime: 30_000,
  closing: 5_000,
};
