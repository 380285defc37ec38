import { FLAGS, type Flag, nearest, providerVariables } from "cdk8s-flipop/api";
import { Command, InvalidArgumentError, Option } from "commander";
import { baseCommand, type Output, usageError } from "./command-line.js";
import type { CommandOption, CommandSpec, ParsedCall } from "./commands/command.js";
import { COMMANDS } from "./commands/commands.js";
import { readSettings, type Settings, SettingsError } from "./config.js";

/** What the command line starts. Each resolves to the exit code. */
export interface Commands {
  run(settings: Settings): Promise<number>;
  /** A command of the table. */
  call(command: CommandSpec, call: ParsedCall): Promise<number>;
  /** @param args what follows `sandbox` */
  sandbox(args: readonly string[]): Promise<number>;
}

/** What the command line is read with. */
export interface CliContext extends Output {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly podNamespace?: string;
  readonly readFile?: (path: string) => string;
  /** Without arguments it prints the help: a person at a terminal does not mean to run the operator. @default false */
  readonly interactive?: boolean;
}

/** Reads the command line and runs the command; `run` where none is named, except for a person. Resolves to the exit code. */
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
  for (const command of COMMANDS)
    program.addCommand(
      toCommand(command, context, async (call) => {
        code = await commands.call(command, call);
      }),
    );
  // `flipop --help` is asked for more often than `flipop run --help`.
  program.addHelpText("after", () => `\n${run.helpInformation()}${providerHelp()}`);
  const sandbox = sandboxCommand();
  sandbox.action(async () => {
    code = await commands.sandbox(sandbox.args);
  });
  program.addCommand(sandbox);
  try {
    checkCommand(args[0] === "help" ? args[1] : args[0], program);
    await program.parseAsync(context.interactive === true && args.length === 0 ? ["--help"] : args, { from: "user" });
    return code;
  } catch (error) {
    const usage = usageError(error, context);
    return usage === 0 ? usage : (COMMANDS.find(({ name }) => name === args[0])?.usageCode ?? usage);
  }
}

/** Commander would take an unknown command for an argument of the default one. */
function checkCommand(first: string | undefined, program: Command): void {
  if (first === undefined || first.startsWith("-") || first === "help") return;
  const names = program.commands.map((command) => command.name());
  if (names.includes(first)) return;
  const meant = nearest(first, names);
  const hint = meant === undefined ? `use ${names.join(", ")}` : `did you mean ${meant}?`;
  throw new SettingsError([`there is no command "${first}": ${hint}`]);
}

function toCommand(
  { name, summary, args, options }: CommandSpec,
  context: CliContext,
  action: (call: ParsedCall) => Promise<void>,
): Command {
  const command = baseCommand(name, `flipop ${name}`, context).description(summary);
  for (const arg of args) command.argument(arg.name, arg.description);
  for (const option of options) command.addOption(toChoice(option));
  command.helpCommand(false);
  return command.action(() => action({ args: command.args, options: command.opts<ParsedCall["options"]>() }));
}

function toChoice({ flags, description, choices }: CommandOption): Option {
  const option = new Option(flags, description);
  if (option.variadic) option.argParser(addValue);
  return choices === undefined ? option : option.choices(choices);
}

/** Commander would take an option for the first value, and the one that was meant would not count. */
function addValue(value: string, values: readonly string[] = []): readonly string[] {
  if (value.startsWith("-")) throw new InvalidArgumentError("A value must stand before the next option.");
  return [...values, value];
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
  const command = COMMANDS.find(({ name }) => args.includes(name));
  if (command !== undefined) return strangeBefore(command, args);
  return args.flatMap((arg, index) => {
    if (arg === SEPARATOR) return [];
    if (arg.startsWith("-")) return [strangeOption(arg)];
    const before = args[index - 1] ?? SEPARATOR;
    return before.startsWith("-") && before !== SEPARATOR ? [] : [`unexpected argument "${arg}"`];
  });
}

/** Where the command named follows options. One that the command does not have either is a mistake of its own. */
function strangeBefore({ name, options }: CommandSpec, args: readonly string[]): readonly string[] {
  const known = options.flatMap(({ flags }) => flags.match(/(?<!\S)--?[a-z-]+/g) ?? []);
  const unknown = args.filter((arg) => arg.startsWith("-") && arg !== SEPARATOR && !known.includes(nameOf(arg)));
  const typos = unknown.map((arg) => unknownOption(nameOf(arg), known, `flipop ${name}`));
  return [...typos, `options stand before "${name}": write flipop ${name}, then its options`];
}

/** Of an option: a value may follow `=`, or the letter at once. */
function nameOf(arg: string): string {
  return (arg.startsWith("--") ? arg.split("=", 1)[0] : arg.slice(0, 2)) ?? arg;
}

function unknownOption(name: string, known: readonly string[], help: string): string {
  const meant = nearest(name, known);
  return `unknown option '${name}': ${meant === undefined ? `see ${help} --help` : `did you mean ${meant}?`}`;
}

function strangeOption(arg: string): string {
  const flags = FLAGS.map(({ name }) => `--${name}`);
  const [name = arg] = arg.split("=", 1);
  if (flags.includes(name)) return `option '${name}' stands after '${SEPARATOR}', where none is read: put it before`;
  return unknownOption(name, flags, "flipop");
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
