import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { RELEASE } from "../api/release";
import { checkManifests, type ManifestProblem, unreadableProblem } from "../manifests/check";
import { importManifests, LANGUAGES } from "../manifests/import";
import { type ManifestFile, type ReadResult, readManifests } from "../manifests/read";

/** The outside of the command. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly stdin: () => string;
}

const STANDARD: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  stdin: () => readFileSync(0, "utf8"),
};

const EXIT = { ok: 0, problems: 1, usage: 2 } as const;

const HELP = `cdk8s-flipop checks manifests of flipop, and converts them into code.

  cdk8s-flipop validate FILE...                       checks objects of the five kinds by the rules of the constructs
  cdk8s-flipop import [--language NAME] FILE...       prints an app that synthesises to the same objects
  cdk8s-flipop --version

FILE is YAML or JSON, a folder with such files, or - for the standard input. NAME is ${Object.keys(LANGUAGES).join(" or ")}.
Exit codes: 0 without problems, 1 with problems, 2 if the command line is wrong.
`;

/** Runs the command; returns the exit code. */
export function main(args: readonly string[], terminal: Terminal = STANDARD): number {
  try {
    return run(args, terminal);
  } catch (error) {
    terminal.err(`cdk8s-flipop: ${error instanceof Error ? error.message : String(error)}\n`);
    return EXIT.usage;
  }
}

function run(args: readonly string[], terminal: Terminal): number {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h" }, version: { type: "boolean" }, language: { type: "string" } },
  });
  const [command = "help", ...paths] = positionals;
  if (values.version) return print(terminal, `${RELEASE}\n`);
  if (values.help || command === "help") return print(terminal, HELP);
  if (command === "import") return convert(readAll(paths, terminal), values.language ?? "typescript", terminal);
  if (command !== "validate") throw new Error(`"${command}" is not a command: use validate or import`);
  if (values.language !== undefined) throw new Error("--language belongs to import: remove it");
  return validate(readAll(paths, terminal), terminal);
}

function readAll(paths: readonly string[], terminal: Terminal): ReadResult {
  if (paths.length === 0) throw new Error("no file is given: name one, or - for the standard input");
  return readManifests(paths.flatMap((path) => filesAt(path, terminal)));
}

function print(terminal: Terminal, text: string): number {
  terminal.out(text);
  return EXIT.ok;
}

function validate({ sources, unreadable }: ReadResult, { out }: Terminal): number {
  const problems = [...unreadable.map(unreadableProblem), ...checkManifests(sources)];
  for (const problem of problems) out(`${lineOf(problem)}\n`);
  const errors = problems.filter(({ isWarning }) => !isWarning);
  const counts = [`${sources.length} objects`, `${errors.length} problems`];
  out(`${counts.map((text) => (text.startsWith("1 ") ? text.slice(0, -1) : text)).join(", ")}\n`);
  return errors.length > 0 ? EXIT.problems : EXIT.ok;
}

function convert({ sources, unreadable }: ReadResult, language: string, { out, err }: Terminal): number {
  const write = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined;
  if (!write) throw new Error(`--language: "${language}" is not supported: use ${Object.keys(LANGUAGES).join(" or ")}`);
  for (const problem of unreadable) err(`${lineOf(unreadableProblem(problem))}\n`);
  if (unreadable.length > 0) return EXIT.problems;
  const { code, notes } = importManifests(sources, write);
  for (const note of notes) err(`${note}\n`);
  return print({ out, err, stdin: () => "" }, code);
}

function lineOf({ file, line, title, path, message, isWarning }: ManifestProblem): string {
  return [`${file}:${line}`, isWarning ? "warning" : "", title, path, message].filter((part) => part !== "").join(": ");
}

/** The files of a path, with their text. */
function filesAt(path: string, { stdin }: Terminal): readonly ManifestFile[] {
  if (path === "-") return [{ name: "standard input", text: stdin() }];
  if (!existsSync(path)) throw new Error(`${path} does not exist: correct the path`);
  if (!statSync(path).isDirectory()) return [{ name: path, text: readFileSync(path, "utf8") }];
  const found = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => /\.(ya?ml|json)$/.test(name));
  if (found.length === 0) throw new Error(`${path} contains no .yaml, .yml or .json file: name a file`);
  return found.sort().map((name) => ({ name: join(path, name), text: readFileSync(join(path, name), "utf8") }));
}
