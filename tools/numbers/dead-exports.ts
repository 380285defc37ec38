/** Exported names that no code uses. */

const DECLARATION = /^export (?:declare |abstract |async )*(?:function\*?|const|class|interface|type|enum) (\w+)/gm;

/** `file: name` of each export whose name is nowhere else in the code, tests included. */
export function deadExports(texts: ReadonlyMap<string, string>): readonly string[] {
  const uses = new Map<string, number>();
  for (const text of texts.values())
    for (const [name] of text.matchAll(/\w+/g)) uses.set(name, (uses.get(name) ?? 0) + 1);
  return [...texts].flatMap(([file, text]) =>
    [...text.matchAll(DECLARATION)]
      .filter(([, name = ""]) => uses.get(name) === 1)
      .map(([, name = ""]) => `${file}: ${name}`),
  );
}
