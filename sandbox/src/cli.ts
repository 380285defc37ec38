/** The command line of `flipop-sandbox`, and of `flipop sandbox` where this package is installed. */
import { type Command, Option } from "commander";
import { baseCommand, type Output, usageError } from "flipop-operator/command-line";
import { SettingsError } from "flipop-operator/config";
import { SANDBOX_APIS, type SandboxOptions } from "./cli-options.js";
import { sandbox } from "./play-or-serve.js";

/** Beyond it timers of the story come too late. */
const MOST_SPEED = 10_000;

const STANDARD_OUTPUT: Output = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

/** Reads the command line and plays; resolves to the exit code. */
export async function runSandbox(
  args: readonly string[],
  play: (options: SandboxOptions) => Promise<number> = sandbox,
  output = STANDARD_OUTPUT,
): Promise<number> {
  let code = 0;
  const command = sandboxCommand(output).action(async (options: SandboxOptions) => {
    checkOptions(options);
    code = await play(options);
  });
  try {
    checkArguments(args, command);
    await command.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    const code = usageError(error, output);
    if (error instanceof UnknownCommand) output.err(`\n${command.helpInformation()}`);
    return code;
  }
}

/** There are only options, so a first word can only be meant as a command. */
class UnknownCommand extends SettingsError {}

function checkArguments([first = ""]: readonly string[], command: Command): void {
  if (first === "" || first.startsWith("-")) return;
  const scenario = /\.ya?ml$/.test(first) ? `: to play a scenario, give --scenario ${first}` : "; it has only options";
  throw new UnknownCommand([`${command.name()} has no command "${first}"${scenario}`]);
}

function sandboxCommand(output: Output) {
  const portHelp = "Port of the Kubernetes API, or of the one that --only names; 0: any free one";
  return baseCommand("flipop-sandbox", "flipop-sandbox", output)
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

function checkOptions({ only, kubeconfig, scenario, speed, once, keep }: SandboxOptions): void {
  if (once && keep) throw new SettingsError(["--once and --keep: one ends it, one goes on: leave one of them out"]);
  if (only !== undefined && (scenario ?? speed) !== undefined) {
    throw new SettingsError([
      `--scenario and --speed: the sandbox plays no scenario with --only ${only}: leave one of them out`,
    ]);
  }
  if (kubeconfig === undefined || only === undefined || only === "kubernetes") return;
  throw new SettingsError([`--kubeconfig: there is no Kubernetes API with --only ${only}: leave one of them out`]);
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
