import type { CallRequest } from './request.ts';

/** How often a client that asked for it is told that its call goes on, in ms. */
export const PROGRESS_MS = 10_000;

/** Tells the client of a call that it goes on, with what `phase` says, until the returned function is called. */
export function startProgress({ progress }: CallRequest, phase: () => string, everyMs: number): () => void {
  if (progress === undefined) return () => {};
  let count = 0;
  const timer = setInterval(() => progress(++count, phase()), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
