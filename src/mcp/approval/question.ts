import { sanitize, shellQuote } from '../../tools/index.ts';

/** A call as the person who decides about it is shown it. */
export interface GatedCall {
  /** Who asks. */
  readonly identity: string;
  readonly tool: string;
  /** The tag that asks for the approval. */
  readonly tag: string;
  /** What runs if it is approved: the very vector. */
  readonly argv: readonly string[];
  readonly arguments: unknown;
}

/** What a client is asked to put before a person. */
export interface Question {
  readonly mode: 'form';
  readonly message: string;
  readonly requestedSchema: {
    readonly type: 'object';
    readonly properties: {
      readonly approve: { readonly type: 'boolean'; readonly title: string; readonly description: string };
    };
    readonly required: ['approve'];
  };
}

/** Code points of a part of the question. */
const LONGEST_PART = 4_000;

/** The question for one call. */
export function questionFor(call: GatedCall): Question {
  const message = [
    `${call.identity} asks for an approval to run this command, which is tagged ${sanitize(call.tag, 200)}:`,
    cut(commandLine(call.argv)),
    'Arguments:',
    cut(plainJson(call.arguments)),
  ].join('\n\n');
  return {
    mode: 'form',
    message,
    requestedSchema: {
      type: 'object',
      properties: {
        approve: {
          type: 'boolean',
          title: 'Run this command',
          description: 'True runs it once, as shown. Anything else leaves it alone.',
        },
      },
      required: ['approve'],
    },
  };
}

/** The vector as a shell would need it written, on one line and without anything that a terminal would obey. */
function commandLine(argv: readonly string[]): string {
  return sanitize(argv.map(shellQuote).join(' '), Number.POSITIVE_INFINITY);
}

/** JSON escapes most control characters itself; the others, and those that turn the direction of text, are written out here. */
function plainJson(value: unknown): string {
  return (JSON.stringify(value, null, 2) ?? 'null').replace(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Says how much is not shown, so that nobody takes a part for the whole. */
function cut(text: string): string {
  if (text.length <= LONGEST_PART) return text;
  const points = [...text];
  if (points.length <= LONGEST_PART) return text;
  return `${points.slice(0, LONGEST_PART).join('')}\n[cut here: ${points.length - LONGEST_PART} more characters are not shown]`;
}
