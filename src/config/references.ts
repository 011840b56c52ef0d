const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The names of the variables that a text refers to as `${NAME}`; `$${` stands for a literal `${`. */
export function referencedNames(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map(([, name]) => name).filter((name) => name !== undefined);
}

/** The text with each reference replaced, for judging the rest of it. */
export function withReferences(text: string, stand: string): string {
  return text.replace(REFERENCE, (whole, name) => (name === undefined ? whole.slice(1) : stand));
}
