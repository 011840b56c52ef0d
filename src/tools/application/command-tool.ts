/** A command of the application as a tool: a call becomes one process. */
import { ArgumentNulError, ArgumentsInvalidError, ArgumentTooLongError } from '../../errors.ts';
import { type ChildEnvironment, checkStartable, runCommand } from '../../process/index.ts';
import { type Advertised, argumentsInvalid, checkArguments, missingNames } from '../arguments/check.ts';
import { type Behavior, NO_DEFER_TAG, readTags } from '../behavior.ts';
import type {
  ArgumentValidator,
  BehaviorDescriber,
  CallInfo,
  CommandLineRenderer,
  Confirmable,
  Describer,
  Preparable,
  PreparedCall,
  Tagged,
} from '../capabilities.ts';
import { confirmTrigger } from '../confirm.ts';
import type { CallContext, ExecDeps, JsonObject, Outcome, Tool, ToolDefinition, ToolInput } from '../contract.ts';
import { COMMAND_LINE_LIMIT, displayLine, sanitize, shortLine } from '../display.ts';
import { argvOf, type Rendered, render } from './argv.ts';
import { type Leaf, modelDescription, plainDescription } from './leaves.ts';
import type { Parameters } from './parameters.ts';

/** The binary that all commands of one application are run with. */
export interface Binary {
  readonly path: string;
  readonly environment: ChildEnvironment;
}

/** What loading found out about one command. */
export interface CommandParts {
  readonly leaf: Leaf;
  readonly binary: Binary;
  readonly inputSchema: JsonObject;
  readonly parameters: Parameters;
  readonly advertised: Advertised;
}

export class CommandTool
  implements Tool, Describer, BehaviorDescriber, Confirmable, ArgumentValidator, Tagged, CommandLineRenderer, Preparable
{
  readonly name: string;
  readonly description: string;
  readonly modelDescription: string;
  readonly inputSchema: JsonObject;
  readonly mcpExposable = true;
  readonly a2aExposable = true;
  readonly command: string;
  readonly tags: readonly string[];
  readonly #path: readonly string[];
  readonly #binary: Binary;
  readonly #parameters: Parameters;
  readonly #advertised: Advertised;

  constructor({ leaf, binary, inputSchema, parameters, advertised }: CommandParts) {
    this.name = leaf.toolName;
    this.description = plainDescription(leaf);
    this.modelDescription = modelDescription(leaf);
    this.inputSchema = inputSchema;
    this.command = leaf.command;
    this.tags = leaf.document.tags;
    this.#path = leaf.path;
    this.#binary = binary;
    this.#parameters = parameters;
    this.#advertised = advertised;
  }

  definition(deferLoading: boolean): ToolDefinition {
    return {
      name: this.name,
      description: this.modelDescription,
      inputSchema: this.inputSchema,
      deferLoading: deferLoading && !this.tags.includes(NO_DEFER_TAG),
    };
  }

  async execute(context: CallContext, input: ToolInput, deps: ExecDeps): Promise<Outcome> {
    return this.prepare(input).run(context, deps);
  }

  /** Judges and renders the arguments. Throws ArgumentsInvalidError; nothing has run then. */
  prepare(input: ToolInput): PreparedCall {
    const argv = argvOf(this.#path, this.#render(input));
    this.#refuseUnstartable(argv);
    return {
      argv,
      commandLine: argv.join(' '),
      get displayLine() {
        return displayLine(argv);
      },
      run: (context, deps) => this.#run(argv, context, deps),
    };
  }

  commandLine(input: ToolInput): string {
    return this.prepare(input).commandLine;
  }

  describe(input: ToolInput): CallInfo {
    return {
      present: 'command',
      kind: 'application',
      display: this.traceLine(input),
      displayShort: this.#orCommand(input, ({ flags, positionals }) => shortLine(this.#path, flags, positionals)),
      needsPrompter: false,
      needsWorkDir: true,
      operatorPaced: false,
    };
  }

  traceLine(input: ToolInput): string {
    return this.#orCommand(input, (rendered) => displayLine(argvOf(this.#path, rendered)));
  }

  behavior(): Behavior {
    return readTags(this.tags).behavior;
  }

  needsConfirm(confirmTags: readonly string[]): boolean {
    return this.confirmTrigger(confirmTags) !== undefined;
  }

  confirmTrigger(confirmTags: readonly string[]): string | undefined {
    return confirmTrigger(this.tags, confirmTags);
  }

  missingRequired(input: ToolInput): string[] {
    return missingNames(this.#advertised, input);
  }

  missingRequiredMessage(missing: readonly string[]): string {
    const problems = missing.map((name) => `${JSON.stringify(name)} is required`);
    return argumentsInvalid(this.name, this.#advertised, problems).message;
  }

  #render(input: ToolInput): Rendered {
    const { values, problems } = checkArguments(this.#advertised, input);
    if (problems.length > 0) throw this.#invalid(problems);
    const rendered = render(this.#parameters, values, problems);
    if (problems.length > 0) throw this.#invalid(problems);
    return rendered;
  }

  #refuseUnstartable(argv: readonly string[]): void {
    try {
      checkStartable(this.#binary.path, argv, undefined);
    } catch (error) {
      if (error instanceof ArgumentTooLongError || error instanceof ArgumentNulError) {
        throw this.#invalid([error.message]);
      }
      throw error;
    }
  }

  #invalid(problems: readonly string[]): ArgumentsInvalidError {
    return argumentsInvalid(this.name, this.#advertised, problems);
  }

  /** The line of a call, or the bare command when its arguments do not fit. */
  #orCommand(input: ToolInput, line: (rendered: Rendered) => string): string {
    try {
      return line(this.#render(input));
    } catch (error) {
      if (error instanceof ArgumentsInvalidError) return sanitize(this.command, COMMAND_LINE_LIMIT);
      throw error;
    }
  }

  async #run(argv: readonly string[], context: CallContext, { workDir }: ExecDeps): Promise<Outcome> {
    const ran = await runCommand({
      ...this.#binary,
      args: argv,
      ...(workDir === undefined ? {} : { cwd: workDir }),
      timeoutMs: context.timeoutMs,
      signal: context.signal,
      log: context.log,
      onStart: context.onStart,
    });
    return {
      output: ran.output,
      exec: {
        command: argv.join(' '),
        exitCode: ran.exitCode,
        truncated: ran.truncated,
        ...(ran.signal === null ? {} : { signal: ran.signal }),
      },
    };
  }
}
