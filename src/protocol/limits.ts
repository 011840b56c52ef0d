/** Largest body of a message in bytes (768 KiB), both directions, looked at before anything is parsed. */
export const MAX_BODY_BYTES = 786_432;

/** Deepest nesting of objects and arrays in a message; the message itself is level 1. */
export const MAX_DEPTH = 64;

/** Longest text of an error header in characters, after control characters were folded. */
export const MAX_HEADER_TEXT = 512;

/** Room that the headers of a message take from what the server lets through, in bytes. */
export const HEADER_ROOM = 1_024;
