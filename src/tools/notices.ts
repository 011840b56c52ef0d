/** What an operator should know about the tools that were loaded, none of it fatal. */

export type NoticeKind =
  | 'tool_name_invalid'
  | 'tool_name_long'
  | 'unknown_reserved_tag'
  | 'behavior_tag_conflict'
  | 'confirm_tag_unmatched'
  | 'filter_unmatched'
  | 'shared_name'
  | 'schema_unusable';

export interface ToolNotice {
  readonly kind: NoticeKind;
  /** The tool it is about, absent when it is about the configuration. */
  readonly tool?: string;
  readonly message: string;
}
