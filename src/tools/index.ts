export { type Binary, CommandTool } from './application/command-tool.ts';
export type { GlobalFlagInfo } from './application/globals.ts';
export { type LoadedApplication, type LoadOptions, loadApplication, type RemovedCommand } from './application/load.ts';
export { type Behavior, cardBehavior, RESERVED_TAGS, readTags, type TagReading } from './behavior.ts';
export {
  type ArgumentValidator,
  type BehaviorDescriber,
  type CallInfo,
  type CommandLineRenderer,
  type Confirmable,
  type Describer,
  describeCall,
  isArgumentValidator,
  isBehaviorDescriber,
  isCommandLineRenderer,
  isConfirmable,
  isDescriber,
  isPreparable,
  isTagged,
  type Kind,
  type Preparable,
  type PreparedCall,
  type Presentation,
  type Tagged,
} from './capabilities.ts';
export type {
  CallContext,
  ExecDeps,
  ExecRecord,
  JsonObject,
  Outcome,
  Tool,
  ToolDefinition,
  ToolInput,
} from './contract.ts';
export { displayLine, sanitize, shellQuote } from './display.ts';
export { DeferredEnding, PromptAbortedEnding } from './endings.ts';
export { inputFromText } from './input.ts';
export type { NoticeKind, ToolNotice } from './notices.ts';
export { type CommandEnvelope, commandResult, resultText } from './outcome.ts';
export { type Approval, denyingPrompter, type GateRequest, type PromptAnswer, type Prompter } from './prompter.ts';
export { type ServedSelection, selectServed, type WithheldTool } from './selection.ts';
export { createToolSet, type ToolSet } from './tool-set.ts';
