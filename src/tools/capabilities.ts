/**
 * What some kinds of tool can answer and others cannot. Each consumer decides what an absent answer means; above all,
 * a tool that cannot say whether it is gated is not the same as one that says it is not.
 */
import type { Behavior } from './behavior.ts';
import type { CallContext, ExecDeps, Outcome, Tool, ToolInput } from './contract.ts';

/** Who stands behind a tool, for accounting: a stable token in logs and a label in metrics. */
export type Kind = 'application' | 'builtin' | 'remote' | 'custom' | 'mcp' | 'unknown';

/** How a call is shown. Independent of {@link Kind}: built-ins share one kind and are shown either way. */
export type Presentation = 'command' | 'remote' | 'self-rendered' | 'traced';

/** What is known about a call before it runs. */
export interface CallInfo {
  readonly present: Presentation;
  readonly kind: Kind;
  /** The whole call on one line, safe for a terminal. */
  readonly display: string;
  /** The same with long values shortened; for display alone. */
  readonly displayShort: string;
  /** The agent behind a remote tool. Whether a tool is remote is read from `present`, never from this. */
  readonly agent?: string;
  readonly needsPrompter: boolean;
  readonly needsWorkDir: boolean;
  /** A person sets how long the call takes, so no time limit holds. */
  readonly operatorPaced: boolean;
}

/** Tells about one call without side effects, also when the arguments do not fit. */
export interface Describer {
  describe(input: ToolInput): CallInfo;
}

/** Declares what a tool does to the world. Absent: nothing is declared, and consumers assume the worst. */
export interface BehaviorDescriber {
  behavior(): Behavior;
}

/** Can say whether a person has to approve a call. Absent: serving surfaces refuse the tool. */
export interface Confirmable {
  needsConfirm(confirmTags: readonly string[]): boolean;
  /** The tag that asks for the approval, undefined when none does. */
  confirmTrigger(confirmTags: readonly string[]): string | undefined;
  /** The command in its displayed form: the path joined with spaces. */
  readonly command: string;
  /** One line for the person who approves, safe for a terminal. */
  traceLine(input: ToolInput): string;
}

/** Knows which arguments a call may not leave out. */
export interface ArgumentValidator {
  /** The required names that are absent or null; none for an input that is no object. */
  missingRequired(input: ToolInput): string[];
  missingRequiredMessage(missing: readonly string[]): string;
}

export interface Tagged {
  /** In the author's order. */
  readonly tags: readonly string[];
}

export interface CommandLineRenderer {
  /** The argument vector joined with single spaces, unquoted. Throws ArgumentsInvalidError. */
  commandLine(input: ToolInput): string;
}

/** A call whose arguments have been judged and rendered, and that nothing but running it is left of. */
export interface PreparedCall {
  /** What follows the binary. */
  readonly argv: readonly string[];
  /** `argv` joined with single spaces, unquoted. */
  readonly commandLine: string;
  /** The same quoted as a shell would need it, sanitised for a terminal. */
  readonly displayLine: string;
  run(context: CallContext, deps: ExecDeps): Promise<Outcome>;
}

/** Can judge arguments ahead of running, so that a call that does not fit takes no slot. */
export interface Preparable {
  /** Throws ArgumentsInvalidError. */
  prepare(input: ToolInput): PreparedCall;
}

export const isDescriber = (tool: Tool): tool is Tool & Describer => answers<Describer>(tool, 'describe');

export const isBehaviorDescriber = (tool: Tool): tool is Tool & BehaviorDescriber =>
  answers<BehaviorDescriber>(tool, 'behavior');

export const isConfirmable = (tool: Tool): tool is Tool & Confirmable => answers<Confirmable>(tool, 'needsConfirm');

export const isArgumentValidator = (tool: Tool): tool is Tool & ArgumentValidator =>
  answers<ArgumentValidator>(tool, 'missingRequired');

export const isTagged = (tool: Tool): tool is Tool & Tagged => Array.isArray((tool as Partial<Tagged>).tags);

export const isCommandLineRenderer = (tool: Tool): tool is Tool & CommandLineRenderer =>
  answers<CommandLineRenderer>(tool, 'commandLine');

export const isPreparable = (tool: Tool): tool is Tool & Preparable => answers<Preparable>(tool, 'prepare');

const NO_INPUT: ToolInput = { value: {}, source: () => ({}) };

/** What is known about a call of any tool, or of all of its calls without an input; one that cannot tell is traced by its name. */
export function describeCall(tool: Tool, input: ToolInput = NO_INPUT): CallInfo {
  if (isDescriber(tool)) return tool.describe(input);
  return {
    present: 'traced',
    kind: 'unknown',
    display: tool.name,
    displayShort: tool.name,
    needsPrompter: false,
    needsWorkDir: false,
    operatorPaced: false,
  };
}

function answers<Capability>(tool: Tool & Partial<Capability>, member: keyof Capability): boolean {
  return typeof tool[member] === 'function';
}
