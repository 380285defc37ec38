/** Names of variables and construct ids, each given once. */
export class Names {
  private readonly taken: Set<string>;

  /** @param reserved names that must not be given */
  constructor(reserved: readonly string[] = []) {
    this.taken = new Set(reserved);
  }

  /** The wanted name, with a number if it is taken. */
  give(wanted: string, separator = ""): string {
    let name = wanted;
    for (let number = 2; this.taken.has(name); number += 1) name = `${wanted}${separator}${number}`;
    this.taken.add(name);
    return name;
  }
}

/** A variable for an object: `webPool` for name `web` and word `Pool`. */
export function variableName(name: string, word: string): string {
  const camel = name
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== "")
    .map((part, index) => (index === 0 ? part.charAt(0).toLowerCase() : part.charAt(0).toUpperCase()) + part.slice(1))
    .join("");
  return /^[a-z]/.test(camel) ? `${camel}${word}` : `${word.toLowerCase()}${camel}`;
}

/** A name in the style of Python, as jsii translates it. */
export function snakeCase(name: string): string {
  const split = name.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").replaceAll(/([A-Z])([A-Z][a-z])/g, "$1_$2");
  return split.toLowerCase();
}
