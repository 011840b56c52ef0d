/** A property that is there only when it has a value, for objects whose optional properties are never undefined. */
export function some<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [key in Name]?: Exclude<Value, undefined> } {
  return (value === undefined ? {} : { [name]: value }) as { [key in Name]?: Exclude<Value, undefined> };
}
