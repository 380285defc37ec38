import { FLAGS, type Flag, nearest, providerVariables, RELEASE } from "cdk8s-flipop/api";
import { Command, CommanderError, Option } from "commander";
import { readSettings, type Settings, SettingsError } from "./config.js";
import { USAGE } from "./exit-codes.js";

/** What `flipop sandbox` simulates. */
export const SANDBOX_APIS = ["kubernetes", "digitalocean", "cloudflare"] as const;
export type SandboxApi = (typeof SANDBOX_APIS)[number];

/** Options of `flipop sandbox`. */
export interface SandboxOptions {
  /** Starts this API alone; absent: all of them. */
  readonly only?: SandboxApi;
  /** Port of the Kubernetes API, or of the one that `only` names; 0: any free one. */
  readonly port: number;
  /** File that the kubeconfig is written to; absent: one in a temporary folder. */
  readonly kubeconfig?: string;
  /** File of the story to play; absent: the one that the program carries. */
  readonly scenario?: string;
  /** Story seconds in a real one; absent: the scenario's, or the usual. */
  readonly speed?: number;
  /** Ends with the story, or as soon as the one API is up. */
  readonly once: boolean;
  /** Goes on after the story until a signal, also without a terminal. */
  readonly keep: boolean;
}

/** What the command line starts. Each resolves to the exit code. */
export interface Commands {
  run(settings: Settings): Promise<number>;
  sandbox(options: SandboxOptions): Promise<number>;
}

/** What the command line is read with. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly podNamespace?: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Beyond it timers of the story come too late. */
const MOST_SPEED = 10_000;

/** Reads the command line and runs the command; `run` where none is named. Resolves to the exit code. */
export async function runCli(args: readonly string[], commands: Commands, context: CliContext): Promise<number> {
  let code = 0;
  const program = base("flipop", context).description(
    "Keeps public addresses, DNS records and firewalls on healthy Kubernetes nodes.",
  );
  const run = base("run", context).description("Run the operator (the default command)");
  for (const flag of FLAGS) run.addOption(toOption(flag));
  run.addHelpText("after", providerHelp());
  // What it does not know is told together with the values that it can't read.
  run.allowUnknownOption().allowExcessArguments();
  run.action(async (flags: Record<string, string | true>) => {
    code = await commands.run(readSettings({ ...context, flags: byName(flags), strange: strangeIn(run.args) }));
  });
  program.addCommand(run, { isDefault: true });
  // `flipop --help` is asked for more often than `flipop run --help`.
  program.addHelpText("after", () => `\n${run.helpInformation()}${providerHelp()}`);
  const sandbox = sandboxCommand(context).action(async (options: SandboxOptions) => {
    checkSandbox(options);
    code = await commands.sandbox(options);
  });
  program.addCommand(sandbox);
  try {
    checkCommand(args[0], program);
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    return report(error, context);
  }
}

function base(name: string, { out, err }: CliContext): Command {
  const outputError = (text: string) => err(complaint(text, name));
  return new Command(name)
    .version(RELEASE, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Print this help")
    .helpCommand("help [command]", "Print the help of a command")
    .configureOutput({ writeOut: out, writeErr: err, outputError })
    .exitOverride()
    .allowExcessArguments(false);
}

/** Commander's words about a mistake, in the form of ours, and where to read on. */
function complaint(text: string, command: string): string {
  const said = text
    .replace(/^error: /, "")
    .trimEnd()
    .replaceAll("\n", " ");
  return `flipop: ${said}: see ${command === "sandbox" ? "flipop sandbox" : "flipop"} --help\n`;
}

/** Commander would take an unknown command for an argument of the default one. */
function checkCommand(first: string | undefined, program: Command): void {
  if (first === undefined || first.startsWith("-") || first === "help") return;
  const names = program.commands.map((command) => command.name());
  if (!names.includes(first)) throw new SettingsError([`there is no command "${first}": use ${names.join(" or ")}`]);
}

function sandboxCommand(context: CliContext): Command {
  const portHelp = "Port of the Kubernetes API, or of the one that --only names; 0: any free one";
  return base("sandbox", context)
    .description("Play a scenario with the real operator, on a Kubernetes API and clouds simulated in this process")
    .addOption(new Option("--only <api>", "Start this API alone, until a signal ends it").choices(SANDBOX_APIS))
    .addOption(new Option("--port <number>", portHelp).default(0).argParser(port))
    .option("--kubeconfig <file>", "Where to write the kubeconfig; without it, in a temporary folder")
    .option("--scenario <file>", "Scenario to play (docs/reference/scenario.md); without it, the built-in one")
    .addOption(new Option("--speed <number>", "Scenario seconds per real second, at most").argParser(speed))
    .option(
      "--once",
      "Exit at the end of the scenario, the default without a terminal; with --only, once the API is up",
      false,
    )
    .option("--keep", "Go on after the scenario until a signal, also without a terminal", false);
}

function checkSandbox({ only, kubeconfig, scenario, speed, once, keep }: SandboxOptions): void {
  if (once && keep) throw new SettingsError(["--once and --keep: one ends it, one goes on: leave one of them out"]);
  if (only !== undefined && (scenario ?? speed) !== undefined) {
    throw new SettingsError([`--scenario and --speed: no story is played with --only ${only}: leave one of them out`]);
  }
  if (kubeconfig === undefined || only === undefined || only === "kubernetes") return;
  throw new SettingsError([`--kubeconfig: there is no Kubernetes API with --only ${only}: leave one of them out`]);
}

/** Commander takes everything behind it for an argument. */
const SEPARATOR = "--";

/** Of arguments that are no known option; a word after an unknown option may be its value. */
function strangeIn(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    if (arg === SEPARATOR) return [];
    if (arg.startsWith("-")) return [strangeOption(arg)];
    const before = args[index - 1] ?? SEPARATOR;
    return before.startsWith("-") && before !== SEPARATOR ? [] : [`unexpected argument "${arg}"`];
  });
}

function strangeOption(arg: string): string {
  const flags = FLAGS.map(({ name }) => `--${name}`);
  const [name = arg] = arg.split("=", 1);
  if (flags.includes(name)) return `option '${name}' stands after '${SEPARATOR}', where none is read: put it before`;
  const meant = nearest(name, flags);
  return `unknown option '${name}': ${meant === undefined ? "see flipop --help" : `did you mean ${meant}?`}`;
}

/** A boolean may stand alone or, as with Go's flags, with a value: `--leader-elect=false`. */
function toOption(flag: Flag): Option {
  const value = flag.type === "boolean" ? "[boolean]" : `<${flag.type}>`;
  const choices = flag.choices ? ` (${flag.choices.join(", ")})` : "";
  const usual = flag.default === "" ? "" : `; default ${flag.default}`;
  return new Option(`--${flag.name} ${value}`, `${flag.description}${choices} [${flag.env}${usual}]`);
}

/** Commander names values in camel case; a boolean that stands alone is `true`. */
function byName(flags: Readonly<Record<string, string | true>>): Readonly<Record<string, string | undefined>> {
  const named = FLAGS.map(({ name }) => {
    const value = flags[name.replaceAll(/-(.)/g, (_match, letter: string) => letter.toUpperCase())];
    return [name, value === true ? "true" : value] as const;
  });
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}

function providerHelp(): string {
  const lines = providerVariables().map(({ env, description }) => `  ${env.padEnd(32)} ${description}`);
  return ["", "Environment of the providers:", ...lines].join("\n");
}

function port(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0 && number <= 65_535) return number;
  throw new SettingsError([`--port: "${text}" is not a port: give a number from 0 to 65535`]);
}

function speed(text: string): number {
  const number = Number(text);
  if (number > 0 && number <= MOST_SPEED) return number;
  throw new SettingsError([`--speed: "${text}" is not a speed: give a number above 0, at most ${MOST_SPEED}`]);
}

function report(error: unknown, { err }: CliContext): number {
  // Commander has said what was wrong; help and version end this way, too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (!(error instanceof SettingsError)) throw error;
  for (const problem of error.problems) err(`flipop: ${problem}\n`);
  return USAGE;
}
