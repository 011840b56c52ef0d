import { FiskError } from '../../errors.ts';
import { type Style, unstyled } from './style.ts';
import { plain } from './text.ts';

/**
 * The block that a failed command prints: what happened, and under it what to do about it. A failure without a name
 * is a fault of ours; its stack is the most useful thing we can show.
 */
export function renderError(error: unknown, style: Style = unstyled): string {
  const head = `${style.red(style.bold('fisk: error:'))} `;
  if (error instanceof FiskError) {
    const message = plain(error.message).trimEnd();
    return `${head}${message}\n${style.dim(`  ${error.remedy} [${error.code}]`)}\n`;
  }
  if (error instanceof Error) {
    // An errno of the system explains itself; anything else is unforeseen.
    const known = (error as NodeJS.ErrnoException).syscall !== undefined;
    return `${head}${plain(known ? error.message : (error.stack ?? error.message))}\n`;
  }
  return `${head}${plain(String(error))}\n`;
}
