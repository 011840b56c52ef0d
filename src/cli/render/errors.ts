import { FiskError } from '../../errors.ts';
import { type Style, unstyled } from './style.ts';
import { cut, oneLine, plain } from './text.ts';

/** Characters of a code and of a remedy; both may come from a peer. */
const LONGEST_CODE = 64;
const LONGEST_REMEDY = 2_000;

/** What a block about a failure says. */
export interface FailureText {
  readonly message: string;
  readonly code?: string | undefined;
  readonly remedy?: string | undefined;
}

/** The block about a failure: what happened, and under it what to do about it. */
export function renderFailure({ message, code, remedy }: FailureText, style: Style = unstyled): string {
  const name = code === undefined ? undefined : `[${cut(oneLine(code), LONGEST_CODE)}]`;
  const advice = remedy === undefined ? undefined : cut(oneLine(remedy), LONGEST_REMEDY);
  const hint = [advice, name].filter((part) => part !== undefined).join(' ');
  const under = hint === '' ? '' : `${style.dim(`  ${hint}`)}\n`;
  return `${style.red(style.bold('fisk: error:'))} ${plain(message).trimEnd()}\n${under}`;
}

/** The same for anything thrown. A failure without a name is a fault of ours, and its stack the most useful of it. */
export function renderError(error: unknown, style: Style = unstyled): string {
  if (error instanceof FiskError) return renderFailure(error, style);
  if (!(error instanceof Error)) return renderFailure({ message: String(error) }, style);
  // An errno of the system explains itself; anything else is unforeseen.
  const explained = (error as NodeJS.ErrnoException).syscall !== undefined;
  return renderFailure({ message: explained ? error.message : (error.stack ?? error.message) }, style);
}
