/** A value that the compiler would refuse here: JavaScript, tsx and casts do not check types. */
export function untyped(value: unknown): never {
  return value as never;
}
