import { works } from "./run.js";

/** The languages that the library is packed for, those that take the least time first. */
export const LANGUAGES = ["js", "go", "python", "java"] as const;

/** A language that the library is packed for. */
export type Language = (typeof LANGUAGES)[number];

/** The languages that are named, in the order in which they are packed; all of them where none is. */
export function languagesOf(names: readonly string[]): readonly Language[] {
  const languages: readonly string[] = LANGUAGES;
  const unknown = names.find((name) => !languages.includes(name));
  if (unknown !== undefined) throw new Error(`"${unknown}" is not a language: use ${languages.join(", ")}`);
  return LANGUAGES.filter((language) => names.length === 0 || names.includes(language));
}

/** A command that must work, and what it belongs to. */
interface Tool {
  readonly command: string;
  readonly args: readonly string[];
  readonly is: string;
}

const PYTHON_CHECK = "import sys, venv, ensurepip; assert sys.version_info >= (3, 10)";

const TOOLS: Readonly<Record<Language, readonly Tool[]>> = {
  js: [{ command: "npm", args: ["--version"], is: "npm" }],
  go: [{ command: "go", args: ["version"], is: "Go 1.25 or newer" }],
  python: [{ command: "python3", args: ["-c", PYTHON_CHECK], is: "Python 3.10 or newer with venv" }],
  java: [
    { command: "javac", args: ["-version"], is: "a JDK, 11 or newer" },
    { command: "mvn", args: ["--version"], is: "Maven 3.6 or newer" },
  ],
};

/** What is missing on this machine to pack for a language and to run its apps; undefined: nothing. */
export function missingTools(language: Language): string | undefined {
  const missing = TOOLS[language].filter(({ command, args }) => !works(command, args));
  return missing.length === 0 ? undefined : missing.map(({ is }) => is).join(" and ");
}
