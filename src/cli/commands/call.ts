import { CallCancelledError, UsageError } from '../../errors.ts';
import type { CallEvent, Connection } from '../../nats/index.ts';
import { whatWasMeant, withAgentMeant } from '../advice.ts';
import { type ArgumentWord, inputText, needTypes, objectText, readArguments } from '../call-arguments.ts';
import { type CallResult, callJson, resultOf, resultOfFailure } from '../call-result.ts';
import { readDuration } from '../duration-flag.ts';
import type { CommandContext } from '../program.ts';
import { renderFailure } from '../render/errors.ts';
import { type Spinner, startSpinner } from '../render/spinner.ts';
import type { Terminal } from '../render/terminal.ts';
import { exitCodeOf, firstStopSignal } from '../signals.ts';
import { readStdin } from '../stdin.ts';
import { resolveTarget, type Target } from '../target.ts';

/** How long a peer may be silent when no file says, in ms. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Calls a tool of another agent. The output of the command goes to stdout as it came and its exit code is ours; an
 * answer that no command gave has an exit code that says why.
 */
export async function run(context: CommandContext): Promise<number> {
  const { terminal, flags } = context;
  const [agent, tool, words = []] = context.args as [string, string, string[]?];
  const started = performance.now();
  const result = await outcome(context, agent, tool, words);
  if (flags.json) terminal.out.json(callJson(agent, tool, result, Math.round(performance.now() - started)));
  else print(terminal, result);
  return result.exitCode;
}

/** Never rejects, but for a command line that is wrong while a person reads. */
async function outcome(
  context: CommandContext,
  agent: string,
  tool: string,
  words: readonly string[],
): Promise<CallResult> {
  const stop = firstStopSignal();
  const abort = new AbortController();
  const spinner = startSpinner(context.terminal.err, `calling ${agent} ${tool}`);
  const stopped = stop.heard.then((signal): CallResult => {
    abort.abort();
    const error = new CallCancelledError('stopped waiting for the call; its command may still run at the agent');
    return { ...resultOfFailure(error), exitCode: exitCodeOf(signal) };
  });
  try {
    return await Promise.race([call(context, agent, tool, words, spinner, abort.signal), stopped]);
  } catch (error) {
    if (error instanceof UsageError && !context.flags.json) throw error;
    return resultOfFailure(error);
  } finally {
    spinner.stop();
    stop.close();
  }
}

async function call(
  { flags, typed, env, terminal }: CommandContext,
  agent: string,
  tool: string,
  words: readonly string[],
  spinner: Spinner,
  signal: AbortSignal,
): Promise<CallResult> {
  const { toolSubject, MAX_BODY_BYTES } = await import('../../protocol/index.ts');
  // An illegal name is refused before anything is opened.
  toolSubject(agent);
  const given = readArguments(words);
  const timeoutMs = flags.timeout === undefined ? undefined : await readDuration('--timeout', flags.timeout);
  const target = await resolveTarget({ flags, typed, env, notice: (text) => terminal.err.warning(text) });
  const typedIn =
    given.form === 'stdin' ? objectText(await readStdin(MAX_BODY_BYTES), 'what came on stdin') : undefined;

  const { callTool, idleBound } = await import('../../nats/index.ts');
  const connection = await target.connect(signal);
  try {
    const read = given.form === 'words' ? await inputOf(given.words, agent, tool, target, connection) : undefined;
    const input = typedIn ?? read ?? (given.form === 'json' ? given.text : '{}');
    const { sender } = target;
    const outcome = await callTool(connection, {
      identity: agent,
      tool,
      input,
      sender,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      idleTimeoutMs: idleBound(target.requestTimeoutMs ?? REQUEST_TIMEOUT_MS),
      onEvent: (event) => {
        spinner.label = `${agent} ${tool}: ${stageOf(event)}`;
      },
    });
    const meant = outcome.isError
      ? await whatWasMeant(outcome.code, { connection, sender, agent, tool, input })
      : undefined;
    return resultOf(outcome, { agent, tool, meant });
  } catch (error) {
    throw await withAgentMeant(error, connection, agent);
  } finally {
    await connection.close();
  }
}

/** How far a call is, for whoever waits for it. */
function stageOf(event: CallEvent): string {
  if (event.type === 'ack') return event.message.accepted ? 'accepted' : 'refused';
  if (event.type === 'retry') return `${event.code === 'capacity' ? 'busy' : 'leaving'}, trying again`;
  return 'running';
}

/** The words as JSON; the card is fetched only where a value can be read in two ways. */
async function inputOf(
  words: readonly ArgumentWord[],
  agent: string,
  tool: string,
  target: Target,
  connection: Connection,
): Promise<string> {
  if (!needTypes(words)) return inputText(words);
  const { discover } = await import('../../nats/index.ts');
  const timeoutMs = target.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const { card } = await discover(connection, agent, { sender: target.sender, timeoutMs });
  const properties = card.tools?.find((candidate) => candidate.name === tool)?.input_schema?.['properties'];
  return inputText(words, (name) => typeIn(properties, name));
}

function typeIn(properties: unknown, name: string): unknown {
  if (typeof properties !== 'object' || properties === null || !Object.hasOwn(properties, name)) return undefined;
  const property = (properties as Record<string, unknown>)[name];
  return typeof property === 'object' && property !== null ? (property as { type?: unknown }).type : undefined;
}

function print(terminal: Terminal, { output, exec, error, exitCode }: CallResult): void {
  if (error !== undefined) {
    terminal.err.write(renderFailure(error, terminal.err.style));
    return;
  }
  terminal.out.foreign(output);
  // The prompt of a shell would stand in the same line; a pipe gets the bytes as they came.
  if (terminal.out.isTerminal && output !== '' && !output.endsWith('\n')) terminal.out.line();
  if (exec?.truncated) terminal.err.line('note: the middle of the output was left out by the agent');
  if (exec !== undefined && exec.exitCode < 0) terminal.err.line(`note: a signal ended the command (exit ${exitCode})`);
}
