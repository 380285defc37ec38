/** `stored` without the fields that `asked` does not have: the object without the server's defaults. */
export function askedPart(stored: unknown, asked: unknown): unknown {
  if (Array.isArray(asked) && Array.isArray(stored)) return stored.map((item, index) => askedPart(item, asked[index]));
  if (!isObject(asked) || !isObject(stored)) return stored;
  const common = Object.keys(asked).filter((key) => Object.hasOwn(stored, key));
  return Object.fromEntries(common.map((key) => [key, askedPart(stored[key], asked[key])]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
