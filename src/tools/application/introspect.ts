/** Asks an application for its commands. */
import {
  ApplicationDocumentError,
  CommandCancelledError,
  CommandTimeoutError,
  FiskError,
  IntrospectionError,
} from '../../errors.ts';
import { type ChildEnvironment, captureCommand } from '../../process/index.ts';
import { sanitize } from '../display.ts';
import { type ApplicationDocument, readDocument } from './document.ts';

export interface IntrospectOptions {
  /** The binary, as it will be run for calls too. */
  readonly path: string;
  readonly environment: ChildEnvironment;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; absent means {@link DEFAULT_TIMEOUT_MS}. */
  readonly timeoutMs?: number | undefined;
}

const INTROSPECT_FLAG = '--fisk-introspect';
const DEFAULT_TIMEOUT_MS = 30_000;
/** One byte more and the document is refused; it is never cut. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const QUOTED_STDERR_BYTES = 2048;
const QUOTED_STDOUT_CHARACTERS = 200;

/**
 * Runs the application with its introspection flag, in the directory of this process, and reads what it prints on
 * standard output. What it prints on standard error is only quoted when something fails.
 *
 * Throws IntrospectionError and ApplicationDocumentError, both naming the binary.
 */
export async function introspect(options: IntrospectOptions): Promise<ApplicationDocument> {
  const { path } = options;
  const ran = await capture(options);
  const complaint = quoteStderr(ran.stderr);
  if (ran.stdoutOverflow) {
    throw new ApplicationDocumentError(`${path} prints a document of more than ${MAX_DOCUMENT_BYTES} bytes`);
  }
  if (ran.exitCode !== 0) {
    const ending = ran.signal === null ? `exited with ${ran.exitCode}` : `was ended by ${ran.signal}`;
    const said = complaint || quoteStdout(ran.stdout);
    throw new IntrospectionError(`${path} ${INTROSPECT_FLAG} ${ending}${said}`);
  }
  try {
    return readDocument(parse(ran.stdout));
  } catch (error) {
    if (!(error instanceof ApplicationDocumentError)) throw error;
    const said = error.cause === undefined ? '' : quoteStdout(ran.stdout);
    throw new ApplicationDocumentError(`${path} ${INTROSPECT_FLAG}: ${error.message}${said}${complaint}`, {
      cause: error.cause,
    });
  }
}

async function capture(options: IntrospectOptions) {
  const { path, environment, signal } = options;
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  try {
    return await captureCommand({
      path,
      args: [INTROSPECT_FLAG],
      environment,
      timeoutMs,
      signal,
      stdoutLimit: MAX_DOCUMENT_BYTES,
      stderrLimit: QUOTED_STDERR_BYTES,
    });
  } catch (error) {
    if (!(error instanceof FiskError)) throw error;
    throw new IntrospectionError(`${path} ${INTROSPECT_FLAG} ${whyNot(error, signal)}`, { cause: error });
  }
}

function whyNot(error: FiskError, signal: AbortSignal | undefined): string {
  if (error instanceof CommandTimeoutError) {
    const said = quoteStderr(Buffer.from(error.partial.output));
    return `did not end within ${error.timeoutMs / 1000} s${said}`;
  }
  if (error instanceof CommandCancelledError) return `was cancelled: ${reasonOf(signal)}`;
  return `did not start: ${error.message}`;
}

function reasonOf(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason.message : String(reason ?? 'no longer wanted');
}

function parse(stdout: Buffer): unknown {
  try {
    return JSON.parse(stdout.toString('utf8'));
  } catch (cause) {
    const problem = stdout.length === 0 ? 'nothing was printed' : 'what is printed is not one JSON document';
    throw new ApplicationDocumentError(problem, { cause });
  }
}

function quoteStderr(bytes: Buffer): string {
  const text = sanitize(bytes.toString('utf8'), QUOTED_STDERR_BYTES);
  return text === '' ? '' : `; it says: ${text}`;
}

function quoteStdout(bytes: Buffer): string {
  const text = sanitize(bytes.subarray(0, 4 * QUOTED_STDOUT_CHARACTERS).toString('utf8'), QUOTED_STDOUT_CHARACTERS);
  return text === '' ? '' : `; it begins: ${text}`;
}
