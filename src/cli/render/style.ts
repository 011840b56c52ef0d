/** How text may be emphasised. On anything but a colour terminal every function returns its argument. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
}

const wrap = (open: number, close: number) => (text: string) => `\u001b[${open}m${text}\u001b[${close}m`;

const styled: Style = { bold: wrap(1, 22), dim: wrap(2, 22), red: wrap(31, 39) };

const same = (text: string) => text;

/** The style that changes nothing. */
export const unstyled: Style = { bold: same, dim: same, red: same };

/**
 * The style for a stream. Any text in the variable NO_COLOR switches emphasis off, `0` and `false` included: that is
 * what the convention asks for. A terminal that calls itself `dumb` gets none either.
 */
export function styleFor(isTerminal: boolean, env: NodeJS.ProcessEnv): Style {
  return isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? styled : unstyled;
}
