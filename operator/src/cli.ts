import { FLAGS, type Flag, nearest, providerVariables } from "cdk8s-flipop/api";
import { Command, Option } from "commander";
import { baseCommand, type Output, usageError } from "./command-line.js";
import { readSettings, type Settings, SettingsError } from "./config.js";

/** What the command line starts. Each resolves to the exit code. */
export interface Commands {
  run(settings: Settings): Promise<number>;
  /** @param args what follows `sandbox` */
  sandbox(args: readonly string[]): Promise<number>;
}

/** What the command line is read with. */
export interface CliContext extends Output {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly podNamespace?: string;
}

/** Reads the command line and runs the command; `run` where none is named. Resolves to the exit code. */
export async function runCli(args: readonly string[], commands: Commands, context: CliContext): Promise<number> {
  let code = 0;
  const program = baseCommand("flipop", "flipop", context).description(
    "Keeps public addresses, DNS records and firewalls on healthy Kubernetes nodes.",
  );
  const run = baseCommand("run", "flipop", context).description("Run the operator (the default command)");
  for (const flag of FLAGS) run.addOption(toOption(flag));
  run.addHelpText("after", providerHelp());
  // Unknown flags are reported together with unreadable values.
  run.allowUnknownOption().allowExcessArguments();
  run.action(async (flags: Record<string, string | true>) => {
    code = await commands.run(readSettings({ ...context, flags: byName(flags), strange: strangeIn(run.args) }));
  });
  program.addCommand(run, { isDefault: true });
  // `flipop --help` is asked for more often than `flipop run --help`.
  program.addHelpText("after", () => `\n${run.helpInformation()}${providerHelp()}`);
  const sandbox = sandboxCommand();
  sandbox.action(async () => {
    code = await commands.sandbox(sandbox.args);
  });
  program.addCommand(sandbox);
  try {
    checkCommand(args[0], program);
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    return usageError(error, context);
  }
}

/** Commander would take an unknown command for an argument of the default one. */
function checkCommand(first: string | undefined, program: Command): void {
  if (first === undefined || first.startsWith("-") || first === "help") return;
  const names = program.commands.map((command) => command.name());
  if (!names.includes(first)) throw new SettingsError([`there is no command "${first}": use ${names.join(" or ")}`]);
}

/** The sandbox reads its own arguments, `--help` included. */
function sandboxCommand(): Command {
  return new Command("sandbox")
    .description("Play a scenario with the real operator in a simulated world, where flipop-sandbox is installed")
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments();
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
