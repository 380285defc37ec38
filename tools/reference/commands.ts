import type { CommandSpec } from "../../operator/src/commands/command.js";
import { COMMANDS } from "../../operator/src/commands/commands.js";
import { CLUSTER_OPTIONS } from "../../operator/src/commands/options.js";
import { code, codes, generatedFrom, table } from "./markdown.js";

/** `reads` of a command that reads no cluster. */
const NO_CLUSTER = "no cluster";

/** The page on the commands of the command line. */
export function commandsPage(): string {
  return [
    ...introduction(),
    ...table(
      ["command", "what it does"],
      COMMANDS.map(({ name, summary }) => [`[${name}](#flipop-${name})`, `${summary}.`]),
    ),
    "",
    ...COMMANDS.flatMap(commandPart),
    "## Options of all commands that read a cluster",
    "",
    ...table(
      ["option", "meaning"],
      CLUSTER_OPTIONS.map(({ flags, description }) => [code(flags), description]),
    ),
    "",
  ].join("\n");
}

function introduction(): readonly string[] {
  return [
    "# Command line",
    "",
    generatedFrom("operator/src/commands/commands.ts"),
    "",
    "`flipop` is one executable: the operator (`flipop run`, [flags](flags.md)), and the commands of this page, which a person runs",
    "with a kubeconfig. `flipop sandbox` plays [scenarios](scenario.md) where package `flipop-sandbox` is installed, as in a clone of",
    "the repository; the image does not contain it. As `kubectl-flipop` in the PATH, the executable is also a plugin of kubectl:",
    "",
    "```sh",
    "npm ci && npm run build                                          # in a clone of the repository; needs Node 20.19",
    "mkdir -p ~/.local/bin                                            # or another folder of your PATH",
    'ln -s "$PWD/operator/dist/flipop.mjs" ~/.local/bin/flipop',
    'ln -s "$PWD/operator/dist/flipop.mjs" ~/.local/bin/kubectl-flipop   # kubectl flipop status',
    "```",
    "",
    "The commands change nothing unless their description says so. They use your own rights: by default, the chart and the construct",
    "aggregate the rights to read into the ClusterRoles `view`, `edit` and `admin`. Bind one of these with a ClusterRoleBinding, because",
    "nodes have no namespace; for `flipop status`, ClusterRole `flipop-view` is enough. Tables and data go to the standard output,",
    "everything else to the error output. In a pipe, the commands print nothing but the result. Without arguments, `flipop` prints its help at a",
    "terminal, and runs the operator elsewhere.",
    "",
    "| code | meaning |",
    "| --- | --- |",
    "| 0 | the command did its work |",
    "| 1 | it could not, or it found a problem that its description names; the error output says what to do |",
    "| 2 | the command line is invalid; the codes of `flipop plan` [differ](#flipop-plan) |",
    "| 130 | Ctrl-C ended it |",
    "| 141 | whoever read its output closed the pipe |",
    "",
  ];
}

function commandPart({ name, summary, details, args, options, reads, examples }: CommandSpec): readonly string[] {
  const own = options.filter((option) => !CLUSTER_OPTIONS.includes(option));
  const rows = [
    ...args.map((arg) => [code(arg.name), arg.description]),
    ...own.map(({ flags, description, choices }) => [
      code(flags.replaceAll("|", "\\|")),
      choices === undefined ? description : `${description}: ${codes(choices)}`,
    ]),
  ];
  return [
    `## flipop ${name}`,
    "",
    `${summary}.`,
    "",
    ...details.flatMap((line) => [line]),
    ...(details.length === 0 ? [] : [""]),
    "```sh",
    ...examples,
    "```",
    "",
    ...(rows.length === 0 ? [] : [...table(["argument or option", "meaning"], rows), ""]),
    reads === NO_CLUSTER
      ? "The command reads no cluster and needs no rights."
      : `Rights beside those to read flipop's resources: ${reads}.`,
    "",
  ];
}
