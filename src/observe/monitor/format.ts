/** Numbers and times as the status page shows them. */

/** `4.2 ms`, `1.25 s`, `3 min 20 s`. */
export function secondsText(seconds: number): string {
  if (seconds === 0) return '0';
  if (seconds < 0.01) return `${(seconds * 1_000).toFixed(1)} ms`;
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(2)} s`;
  return spanText(seconds);
}

/** A longer span by its two largest units: `45 s`, `2 h 5 min`, `3 d 4 h`. */
export function spanText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3_600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** Hours, minutes and seconds of a moment in UTC. */
export function clockText(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(11, 19);
}

/** `1,234,567` */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
