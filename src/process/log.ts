/** Where the process room says what nobody waits for. A structured logger fits as it is. It must not throw or block. */
export interface ProcessLog {
  warn(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
}

/** For callers that want no log. */
export const silentLog: ProcessLog = { warn: () => {}, info: () => {} };
