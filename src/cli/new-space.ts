import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** What each half of the heap's new space has room for while the process is busy; the entry holds it to 1 MiB. */
const BUSY_HALF_BYTES = 4 * 1024 * 1024;
const GROWTH_FACTOR = 4;
/** V8 needs a while to fill what it has before it grows again, so that this is soon enough to stop it. */
const LOOK_MS = 250;
/** Share of the time that the event loop worked, from which on the process counts as busy. */
const BUSY = 0.25;

/**
 * Lets the new space of the heap grow while the process is busy, and no further than it helps. A small one keeps an
 * idle daemon small; under load it is collected so often that it costs every tenth call. V8 takes no size once it runs,
 * but it reads the factor of growth each time. It gives the space back by itself when nothing happens any more.
 * @param lookMs how often it looks, in ms.
 * @returns what ends it.
 */
export function growNewSpaceWhenBusy(lookMs = LOOK_MS): () => void {
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const busy = performance.eventLoopUtilization(now, before).utilization > BUSY;
    before = now;
    const factor = busy && halfBytes() < BUSY_HALF_BYTES / 2 ? GROWTH_FACTOR : 1;
    setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

function halfBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return space === undefined ? BUSY_HALF_BYTES : space.space_used_size + space.space_available_size;
}
