/**
 * Every failure that has a name. Each is a class made by {@link define}, with a stable code, the exit code a command
 * ends with when nothing catches it, and the two texts that the error reference is kept true against: what it means
 * and what to do about it.
 */

/** What the error reference says about one failure. */
export interface ErrorInfo {
  /** Stable, `FISK_…`; scripts may match it. */
  readonly code: string;
  /** The exit code of a command that ends with this failure. */
  readonly exitCode: number;
  readonly meaning: string;
  readonly remedy: string;
}

/** The base of all coded failures. The message is for people; `code` is for programs. */
export abstract class FiskError extends Error {
  abstract readonly code: string;
  abstract readonly exitCode: number;
  abstract readonly remedy: string;
}

/** All failures in the order they are defined, for the error reference. */
export const errorList: ErrorInfo[] = [];

function define(code: string, exitCode: number, meaning: string, remedy: string) {
  errorList.push({ code, exitCode, meaning, remedy });
  return class extends FiskError {
    override readonly name = code;
    readonly code = code;
    readonly exitCode: number = exitCode;
    readonly remedy = remedy;
  };
}

// --- command line -------------------------------------------------------------------------------------------------

export class UsageError extends define(
  'FISK_USAGE',
  1,
  'The command line cannot be understood: an unknown command or flag, or a value that is missing or unreadable.',
  'Run the command with --help.',
) {}

export class UnsupportedPlatformError extends define(
  'FISK_PLATFORM_UNSUPPORTED',
  1,
  'This machine is not one that fisk can start commands on.',
  'Run on Linux with glibc and Node.js 22.15 or newer.',
) {}

// --- processes ----------------------------------------------------------------------------------------------------

// --- configuration ------------------------------------------------------------------------------------------------

// --- application and tools ----------------------------------------------------------------------------------------

// --- protocol -----------------------------------------------------------------------------------------------------

// --- connection and peers -----------------------------------------------------------------------------------------

// --- serving ------------------------------------------------------------------------------------------------------
