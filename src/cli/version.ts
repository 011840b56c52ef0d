/** Set by the build of a release; an unreleased checkout has none. */
declare const FISK_VERSION: string | undefined;

/** The version that `--version`, the banner and the card show. */
export const version: string = typeof FISK_VERSION === 'string' && FISK_VERSION !== '' ? FISK_VERSION : 'devel';
