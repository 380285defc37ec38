import { works } from "./run-command.js";

/** The languages of the packages, the fastest to pack first. */
export const LANGUAGES = ["js", "go", "python", "java"] as const;

/** A language of the packages. */
export type Language = (typeof LANGUAGES)[number];

/** The given languages in packing order; all languages if none is given. */
export function languagesOf(names: readonly string[]): readonly Language[] {
  const languages: readonly string[] = LANGUAGES;
  const unknown = names.find((name) => !languages.includes(name));
  if (unknown !== undefined) throw new Error(`"${unknown}" is not a language: use ${languages.join(", ")}`);
  return LANGUAGES.filter((language) => names.length === 0 || names.includes(language));
}

/** A command that must work, and the name of its tool. */
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

/** The tools that this machine lacks to pack for a language and to run its apps; undefined if it has all of them. */
export function missingTools(language: Language): string | undefined {
  const missing = TOOLS[language].filter(({ command, args }) => !works(command, args));
  return missing.length === 0 ? undefined : missing.map(({ is }) => is).join(" and ");
}
