/**
 * Every failure that has a name. Each is a class made by {@link define}, with a stable code, the exit code that `call`
 * ends with when nothing catches it, and the two texts that the error reference is kept true against: what it means
 * and what to do about it.
 */

/** What the error reference says about one failure. */
export interface ErrorInfo {
  /** Stable, `FISK_…`; scripts may match it. */
  readonly code: string;
  /** The exit code of `fisk call` when this failure ends it; every other command ends with 1. */
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

/** Puts what to do in this very case in place of the general remedy. */
export function withRemedy<Failure extends FiskError>(error: Failure, remedy: string): Failure {
  return Object.assign(error, { remedy });
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

export class DevServerError extends define(
  'FISK_DEV_SERVER',
  1,
  'The private NATS server of serve --dev could not be started.',
  'Install nats-server on PATH or name it in FISK_NATS_SERVER, or use a server of your own with --server.',
) {}

export class ContextMissingError extends define(
  'FISK_CONTEXT_MISSING',
  1,
  'Nothing says which NATS to connect to.',
  'Give --context NAME or --server URL, or set nats_context in the configuration file.',
) {}

export class ToolUnknownError extends define(
  'FISK_TOOL_UNKNOWN',
  1,
  'The card of an agent does not list the tool that was asked for.',
  'fisk discover with the name of the agent lists its tools.',
) {}

// --- processes ----------------------------------------------------------------------------------------------------

export class CommandNotFoundError extends define(
  'FISK_COMMAND_NOT_FOUND',
  1,
  'The program to run does not exist, or the interpreter that its first line names does not.',
  'Check application_path; a name without a slash is looked up on PATH and then in the working directory.',
) {}

export class CommandNotExecutableError extends define(
  'FISK_COMMAND_NOT_EXECUTABLE',
  1,
  'The program to run exists but cannot be executed: no permission, a directory, or no executable format.',
  'Give the file execute permission, or name the program instead of a directory or a script without #! line.',
) {}

export class DirectoryMissingError extends define(
  'FISK_DIRECTORY_MISSING',
  1,
  'The working directory a command should run in does not exist or cannot be entered.',
  'Create the directory. A call that is served runs in the directory that fisk serve was started in.',
) {}

export class ArgumentTooLongError extends define(
  'FISK_ARGUMENT_TOO_LONG',
  1,
  'One argument of a command is over 128 KiB, or all of them together are over 1 MiB. Nothing was started.',
  'Pass less text, or have the command read a file.',
) {}

export class ArgumentNulError extends define(
  'FISK_ARGUMENT_NUL',
  1,
  'An argument, path, directory or variable holds a NUL character, where the text would be cut. Nothing was started.',
  'Remove the NUL character.',
) {}

export class NoDescriptorsError extends define(
  'FISK_NO_DESCRIPTORS',
  1,
  'No file descriptor was left to start a command with.',
  'Raise the limit (ulimit -n, LimitNOFILE=), or lower max_concurrent_tools.',
) {}

export class NoProcessesError extends define(
  'FISK_NO_PROCESSES',
  1,
  'The system refused one more process or the memory for it.',
  'Raise the limit (ulimit -u, TasksMax=), or lower max_concurrent_tools.',
) {}

export class SpawnFailedError extends define(
  'FISK_SPAWN_FAILED',
  1,
  'The system refused to start a command for a reason without a name of its own here; the message carries it.',
  'Look up the system error in the message.',
) {}

/** The output gathered before a command was ended, already cut to its bound. */
export interface PartialOutput {
  readonly output: string;
  readonly truncated: boolean;
}

export class CommandTimeoutError extends define(
  'FISK_COMMAND_TIMEOUT',
  1,
  'A command did not end within its time limit and was ended with its whole process group.',
  'Raise tool_timeout, or ask the command for less work.',
) {
  readonly partial: PartialOutput;
  readonly timeoutMs: number;
  constructor(message: string, timeoutMs: number, partial: PartialOutput) {
    super(message);
    this.timeoutMs = timeoutMs;
    this.partial = partial;
  }
}

export class CommandCancelledError extends define(
  'FISK_COMMAND_CANCELLED',
  1,
  'A command was ended with its whole process group because whoever asked for it no longer wants it.',
  'Ask again if the work is still wanted; what it had done until then stays done.',
) {
  readonly partial: PartialOutput;
  constructor(message: string, partial: PartialOutput) {
    super(message);
    this.partial = partial;
  }
}

// --- configuration ------------------------------------------------------------------------------------------------

/** One thing that is wrong with the configuration. */
export interface ConfigProblem {
  /** Where it was said: `agent.yaml:7:9`, `agent.yaml`, `--workers` or the name of a variable. */
  readonly where: string;
  /** From 1; absent when the value came from a flag or variable, or is missing. */
  readonly line?: number;
  readonly column?: number;
  /** The source line with a caret below it. */
  readonly excerpt?: string;
  /** Key path, `remote_tools[0].name`; empty for the file as a whole. */
  readonly key: string;
  readonly rule: string;
  readonly remedy: string;
}

export class ConfigUnreadableError extends define(
  'FISK_CONFIG_UNREADABLE',
  1,
  'The configuration file cannot be read.',
  'Check the path; --config names another file.',
) {}

export class ConfigInvalidError extends define(
  'FISK_CONFIG_INVALID',
  1,
  'The configuration is not valid for this command. Every problem found is listed, the most important first.',
  'Correct the keys that the message names; docs/configuration.md describes each.',
) {
  readonly problems: readonly ConfigProblem[];
  constructor(message: string, problems: readonly ConfigProblem[]) {
    super(message);
    this.problems = problems;
  }
}

export class NothingEnabledError extends define(
  'FISK_NOTHING_ENABLED',
  1,
  'The configuration enables no endpoint, so fisk serve has nothing to do.',
  'Add the block that the message shows first.',
) {}

export class NatsContextError extends define(
  'FISK_NATS_CONTEXT',
  1,
  'A NATS context does not exist, cannot be read, or asks for what is not supported.',
  'List the contexts with nats context ls, correct one with nats context edit NAME.',
) {}

export class ApplicationNotFoundError extends define(
  'FISK_APPLICATION_NOT_FOUND',
  1,
  'The application to wrap does not exist or cannot be executed.',
  'Correct application_path; a name without a slash is looked up on PATH and then in the working directory.',
) {}

export class WorkDirError extends define(
  'FISK_WORK_DIR',
  1,
  'The directory given with --work-dir is relative, missing, or no directory.',
  'Give the absolute path of an existing directory. It is for hosted runs; served calls run where fisk was started.',
) {}

export class AddressInvalidError extends define(
  'FISK_ADDRESS_INVALID',
  1,
  'A base address is not acceptable.',
  'Use https, or http on localhost or a loopback address, without user information.',
) {}

// --- application and tools ----------------------------------------------------------------------------------------

export class IntrospectionError extends define(
  'FISK_INTROSPECTION_FAILED',
  1,
  'The application could not be asked for its commands: it did not start, did not end in time, failed, or said too much.',
  'Run the application with --fisk-introspect by hand; it must print one JSON object and exit 0.',
) {}

export class ApplicationDocumentError extends define(
  'FISK_APPLICATION_DOCUMENT',
  1,
  "The application's description of itself cannot be read, or is deeper or larger than is accepted.",
  'Nothing but one JSON object may be printed on standard output; the application must be built with the framework choria-io/fisk v0.9 or newer.',
) {}

export class SchemaMissingError extends define(
  'FISK_SCHEMA_MISSING',
  1,
  'A command of the application comes without a restricted_schema, which is what a caller is shown of its arguments.',
  'Build the application with the framework choria-io/fisk v0.9 or newer, or write a restricted_schema for the command.',
) {}

export class ToolNameDuplicateError extends define(
  'FISK_TOOL_NAME_DUPLICATE',
  1,
  'Two commands become one tool, so that a call could run the wrong one.',
  'Rename one of the two commands in the application.',
) {}

export class GlobalFlagUnknownError extends define(
  'FISK_GLOBAL_FLAG_UNKNOWN',
  1,
  'global_flags names a flag that the application does not have.',
  'Correct the name, or remove it from global_flags.',
) {}

export class GlobalFlagRefusedError extends define(
  'FISK_GLOBAL_FLAG_REFUSED',
  1,
  'global_flags names a flag that is hidden or belongs to the framework, and such a flag is never exposed.',
  'Remove it from global_flags.',
) {}

export class ArgumentsInvalidError extends define(
  'FISK_ARGUMENTS_INVALID',
  65,
  'The arguments of a call do not fit the tool. Nothing was run.',
  'Correct the arguments that the message names; the card of the agent shows what a tool takes.',
) {}

// --- protocol -----------------------------------------------------------------------------------------------------

export class IdentityInvalidError extends define(
  'FISK_IDENTITY_INVALID',
  1,
  'A name cannot be that of an agent, since it would become part of a subject.',
  'Use letters, digits, - and _ only.',
) {
  constructor(identity: string) {
    super(`${JSON.stringify(identity.slice(0, 100))} cannot name an agent: only letters, digits, - and _ are allowed`);
  }
}

/** Which check a message failed, in the order the checks are made; `family` is a good message on the wrong subject. */
export type MessageFault = 'size' | 'json' | 'depth' | 'protocol' | 'schema' | 'family';

export class MessageInvalidError extends define(
  'FISK_MESSAGE_INVALID',
  1,
  'A message breaks the protocol: it is too large, no JSON object, too deep, of an unknown kind, or not of the shape its kind has.',
  'Correct the sender; the message says which property breaks which rule.',
) {
  readonly reason: MessageFault;
  /** What is wrong with the message and nothing about us, fit to be sent back. */
  readonly description: string;
  /** Who claims to have sent it, where that much could be read. */
  readonly sender: string | undefined;
  constructor(reason: MessageFault, description: string, sender?: string) {
    super(description);
    this.reason = reason;
    this.description = description;
    this.sender = sender;
  }
}

export class MessageTooLargeError extends define(
  'FISK_MESSAGE_TOO_LARGE',
  65,
  'A message to be sent is larger than the protocol or the NATS server lets through.',
  'Pass less, or raise max_payload of the NATS server where that is the lower limit.',
) {
  readonly bytes: number;
  constructor(bytes: number, limit: number) {
    super(`the message has ${bytes} bytes, ${limit} can be sent`);
    this.bytes = bytes;
  }
}

// --- connection and peers -----------------------------------------------------------------------------------------

export class ConnectFailedError extends define(
  'FISK_NATS_CONNECT',
  1,
  'No NATS server could be connected to: none answers at the address, or it refuses the credentials.',
  'Check that the server runs, and the url and credentials of the NATS context.',
) {}

export class ConnectionLostError extends define(
  'FISK_NATS_CONNECTION_LOST',
  1,
  'The connection to NATS ended for good, or does not carry messages any more.',
  'Check the NATS server and its log; credentials that it refuses after a reconnect end a connection for good.',
) {}

export class NotPermittedError extends define(
  'FISK_NATS_NOT_PERMITTED',
  1,
  'The NATS server does not let this user publish to or subscribe to a subject that is needed.',
  'Grant the subject that the message names; docs/protocol.md lists what each side needs.',
) {}

export class ServiceStoppedError extends define(
  'FISK_SERVICE_STOPPED',
  1,
  'The micro service ended although nobody asked it to, so that no request would be heard any more.',
  'The message names the cause: mostly a subject that the user may not subscribe to.',
) {}

export class NoRespondersError extends define(
  'FISK_NO_RESPONDERS',
  69,
  'Nobody listens on the subject of that agent: it does not run, or it serves something else.',
  'Check the name with fisk discover, and that both sides use the same NATS account.',
) {}

export class NoAnswerError extends define(
  'FISK_NO_ANSWER',
  124,
  'An agent listens but did not answer in time.',
  'Try again, or raise request_timeout.',
) {}

export class NoAckError extends define(
  'FISK_NO_ACK',
  124,
  'A call was not acknowledged, although that happens before any work starts. Whether it arrived is not known.',
  'Check the agent and the connection; repeat the call only if running it twice does no harm.',
) {}

export class PeerSilentError extends define(
  'FISK_PEER_SILENT',
  124,
  'A call was acknowledged and then nothing more was heard, not even that it still runs. Its outcome is not known.',
  'Check whether the agent still runs; repeat the call only if running it twice does no harm.',
) {}

export class CallTimeoutError extends define(
  'FISK_CALL_TIMEOUT',
  124,
  'The time that the caller allows for a whole call is over. The command may still run at the agent.',
  'Allow more time.',
) {}

export class CallCancelledError extends define(
  'FISK_CALL_CANCELLED',
  130,
  'The caller no longer waits for a call. The command may still run at the agent.',
  'Repeat the call only if running it twice does no harm.',
) {}

export class RequestRefusedError extends define(
  'FISK_REQUEST_REFUSED',
  1,
  'An agent refused a request before it looked at what was asked: 400 for a bad message, 404 for a question that is gone, 500 for a fault of its own.',
  'The description says what was wrong; mostly the two sides speak different versions.',
) {
  /** 400, 404 or 500. */
  readonly status: number;
  readonly description: string;
  constructor(message: string, status: number, description: string) {
    super(message);
    this.status = status;
    this.description = description;
  }
}

export class ReplyInvalidError extends define(
  'FISK_REPLY_INVALID',
  1,
  'An agent answered with something that the protocol does not allow there.',
  'Update whichever side is older.',
) {}

export class ReplyIncompleteError extends define(
  'FISK_REPLY_INCOMPLETE',
  1,
  'The answers to a call ended without its result. Whether the command succeeded is not known.',
  'Look at the agent and its log before repeating the call.',
) {}

// --- serving ------------------------------------------------------------------------------------------------------

export class NothingToServeError extends define(
  'FISK_NOTHING_TO_SERVE',
  1,
  'No tool is left that may be served to peers: filtered out, in need of an approval, or otherwise unservable.',
  'Look at include, exclude and expose.agent.tools, and at the tags of the commands; fisk info shows both.',
) {}

// --- watching -----------------------------------------------------------------------------------------------------

export class MonitorAddressError extends define(
  'FISK_METRICS_ADDRESS',
  1,
  'The address for metrics, health and the status page cannot be used.',
  'Give --metrics-address (or FISK_METRICS_ADDRESS) as HOST:PORT or PORT, with a port that nobody else listens on.',
) {}

// --- serving over MCP ---------------------------------------------------------------------------------------------

export class McpAddressError extends define(
  'FISK_MCP_ADDRESS',
  1,
  'The address that MCP is to be served on cannot be listened on.',
  'Give an address of this machine and a free port, with --address and --port or in expose.agent.mcp.',
) {}

export class McpTokenError extends define(
  'FISK_MCP_TOKEN',
  1,
  'MCP is to be served where other machines can reach it but no bearer token is set, or the token is unset, short or no token at all.',
  'Put a random text of at least 16 characters into a variable and name that variable in expose.agent.mcp.token_env.',
) {}

export class McpAllowedError extends define(
  'FISK_MCP_ALLOWED',
  1,
  'An entry of expose.agent.mcp.allowed_hosts or allowed_origins can match no request.',
  'Write hosts as mcp.example.com and origins as https://app.example.com; wildcards are not supported.',
) {}
