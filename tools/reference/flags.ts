import { FEATURES, FLAGS, type Flag, providerVariables, tenantLimitsSchema } from "cdk8s-flipop/api";
import { EXIT_MEANINGS } from "../../operator/src/exit.js";
import { code, codes, generatedFrom, table } from "./markdown.js";
import { fieldTable } from "./resources.js";

const SOURCES =
  "constructs/src/api/config.ts, constructs/src/api/providers.ts, constructs/src/api/access/tenant-limits.ts and operator/src/exit.ts";

/** The page on flags and environment variables. */
export function flagsPage(): string {
  return [
    "# Flags and environment variables",
    "",
    generatedFrom(SOURCES),
    "",
    "`flipop run`, or `flipop` alone, starts the operator. Every flag also has a variable; if both are set, the flag wins. A",
    "boolean flag needs no value (`--debug`) but may have one (`--leader-elect=false`), a list is comma-separated, and seconds",
    "may have a fraction. The process exits with code 2 and prints all problems at once if it finds an unknown flag, a variable",
    "that looks like a misspelt flag, an invalid value or values that contradict each other. If a flag lacks its value, it",
    "prints only that problem. The operator logs other unknown variables that begin with `FLIPOP_`, except those that",
    "Kubernetes creates for a Service.",
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
    "Without any provider, the operator refuses to start unless feature `routedip` or `externaldns` is enabled: issuers have their",
    "own tokens, and provider external-dns needs none.",
    "",
    ...tenantLimits(),
    ...exitCodes(),
    "",
  ].join("\n");
}

function tenantLimits(): readonly string[] {
  return [
    "## Tenant limits",
    "",
    "The value of `--tenant-limits`, and of `tenantLimits` of the chart and of `FlipopOperator`, is an object with these fields. A",
    "field is optional unless marked *required*. [Share the operator with teams](../how-to/share-with-teams.md) shows them in use,",
    "and [who can do what](../explanation/security.md#what-remains-possible) says what they cannot limit.",
    "",
    ...fieldTable("", tenantLimitsSchema),
  ];
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
