import { FEATURES, FLAGS, type Flag, providerVariables } from "cdk8s-flipop/api";
import { EXIT_MEANINGS } from "../../operator/src/exit-codes.js";
import { code, codes, generatedFrom, table } from "./text.js";

/** The page on flags and environment variables. */
export function flagsPage(): string {
  return [
    "# Flags and environment variables",
    "",
    generatedFrom("constructs/src/api/config.ts, constructs/src/api/providers.ts and operator/src/exit-codes.ts"),
    "",
    "`flipop run`, or `flipop` alone, starts the operator. Every flag can be given by its variable, too; the flag wins. A",
    "boolean may stand alone (`--debug`) or with a value (`--leader-elect=false`), a list is comma-separated, seconds may",
    "have a fraction. What can't be understood (unknown flags, variables that are a flag's but for a slip, values that can't",
    "be read or don't fit each other) ends the process with code 2 and all problems at once; only a flag that lacks its value",
    "is told alone. Other unknown variables that begin with `FLIPOP_` are logged, but for those that Kubernetes makes of a",
    "Service.",
    "",
    ...table(
      ["flag", "variable", "type", "default", "meaning"],
      FLAGS.map((flag) => [code(`--${flag.name}`), code(flag.env), flag.type, usual(flag), meaning(flag)]),
    ),
    "",
    "## Features",
    "",
    ...table(
      ["feature", "what it runs"],
      Object.entries(FEATURES).map(([name, what]) => [code(name), what]),
    ),
    "",
    "## Providers",
    "",
    ...table(
      ["variable", "provider", "meaning"],
      providerVariables().map(({ env, provider, description }) => [code(env), provider, description]),
    ),
    "",
    "Without any, the operator refuses to start, unless `routedip` is among its features: issuers bring their own tokens.",
    "",
    ...exitCodes(),
    "",
  ].join("\n");
}

function exitCodes(): readonly string[] {
  const rows = EXIT_MEANINGS.map(({ code: number, run, sandbox }) => [String(number), run, sandbox]);
  return ["## Exit codes", "", ...table(["code", "`flipop run`", "`flipop sandbox`"], rows)];
}

function usual({ default: value }: Flag): string {
  return value === "" ? "" : code(value);
}

function meaning({ description, choices }: Flag): string {
  return choices === undefined ? description : `${description}: ${codes(choices)}`;
}
