import { UsageError } from '../errors.ts';

/**
 * The value of a flag that takes a duration, in ms.
 * @throws {UsageError} for what is no duration, or not above zero.
 */
export async function readDuration(flag: string, text: string): Promise<number> {
  const { parseDuration } = await import('../config/index.ts');
  const wanted = 'give a number with a unit, such as 500ms, 90s or 1h30m';
  let ms: number;
  try {
    ms = parseDuration(text);
  } catch (error) {
    throw new UsageError(`${flag} ${text} ${(error as Error).message}: ${wanted}`);
  }
  if (ms <= 0) throw new UsageError(`${flag} ${text} is not above zero: ${wanted}`);
  return ms;
}
