/** `flipop completion SHELL`: the script is made from the tables of commands and flags. */

import { FLAGS } from "cdk8s-flipop/api";
import { EXIT } from "../exit.js";
import { type CommandCall, type CommandSpec, UsageError } from "./command.js";

export async function run({ args: [shell = ""], io, commands }: CommandCall): Promise<number> {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell as keyof typeof SCRIPTS] : undefined;
  if (script === undefined) throw new UsageError(`there is no completion for "${shell}": use bash, zsh or fish`);
  io.out(script(words(commands)));
  return EXIT.ok;
}

function words(commands: readonly CommandSpec[]): readonly Word[] {
  const run = { name: "run", summary: "Run the operator", options: FLAGS.map(({ name }) => `--${name}`) };
  const others = commands.map(({ name, summary, options }) => ({
    name,
    summary,
    options: options.flatMap(({ flags }) => flags.match(/--[a-z-]+/g) ?? []),
  }));
  return [run, ...others, { name: "sandbox", summary: "Play a scenario in a simulated world", options: [] }];
}

/** A command and its options. */
export interface Word {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly string[];
}

export const SCRIPTS = { bash, zsh, fish } as const satisfies Readonly<
  Record<string, (words: readonly Word[]) => string>
>;

function bash(words: readonly Word[]): string {
  const cases = words.map(({ name, options }) => `    ${name}) words="${["--help", ...options].join(" ")}" ;;`);
  return `_flipop() {
  local words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${words.map(({ name }) => name).join(" ")} --help --version"
  else
    case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _flipop flipop
`;
}

function zsh(words: readonly Word[]): string {
  const cases = words.map(({ name, options }) => `    ${name}) compadd -- ${["--help", ...options].join(" ")} ;;`);
  const commands = words.map(({ name, summary }) => `    '${name}:${summary.replaceAll("'", "")}'`);
  return `#compdef flipop
_flipop() {
  local -a commands
  commands=(
${commands.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "\${words[2]}" in
${cases.join("\n")}
  esac
}
compdef _flipop flipop
`;
}

function fish(words: readonly Word[]): string {
  const commands = words.map(
    ({ name, summary }) =>
      `complete -c flipop -n __fish_use_subcommand -f -a ${name} -d '${summary.replaceAll("'", "")}'`,
  );
  const options = words.flatMap(({ name, options: own }) =>
    own.map((option) => `complete -c flipop -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`),
  );
  return `${[...commands, ...options].join("\n")}\n`;
}
