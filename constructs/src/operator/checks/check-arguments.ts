import { FLAGS } from "../../api/config";
import { nearest } from "../../api/schema/nearest";
import type { FlipopOperatorProps } from "../../operator-props";
import type { Draft } from "../../private/refusal-collector";
import { MANAGED_FLAGS } from "../arguments";
import { flagValueProblem } from "./check-flag-value";

const ARGUMENT = /^--([a-z][a-z-]*)(?:=(.*))?$/s;

/** Checks `extraArgs`: known flags without a prop, valid, without duplicates and tokens. */
export function checkArguments({ extraArgs = [] }: FlipopOperatorProps, draft: Draft): void {
  for (const [index, argument] of extraArgs.entries()) {
    const problem = argumentProblem(argument) ?? repetition(extraArgs, index);
    if (problem !== undefined) draft.at(`extraArgs[${index}]`).refuse(problem);
  }
}

function argumentProblem(argument: string): string | undefined {
  const [, name, value] = ARGUMENT.exec(argument) ?? [];
  if (name === undefined) return `"${argument}" is not a flag: write each as "--flag=value"`;
  const flag = FLAGS.find((candidate) => candidate.name === name);
  if (!flag) return `"--${name}" is not a flag of the operator: ${otherFlags(name)}`;
  const instead = MANAGED_FLAGS[name];
  if (instead !== undefined) return `"--${name}" is set by this construct: use ${instead}`;
  return flagValueProblem(flag, value);
}

function repetition(extraArgs: readonly string[], index: number): string | undefined {
  const nameOf = (argument: string | undefined): string | undefined => ARGUMENT.exec(argument ?? "")?.[1];
  const name = nameOf(extraArgs[index]);
  const first = extraArgs.findIndex((argument) => nameOf(argument) === name);
  return first < index ? `--${name} is listed twice: remove one` : undefined;
}

function otherFlags(name: string): string {
  const flags = FLAGS.map((flag) => flag.name);
  const meant = nearest(name, flags);
  return meant === undefined ? `the flags without a prop are ${freeFlags()}` : `did you mean --${meant}?`;
}

function freeFlags(): string {
  return FLAGS.map(({ name }) => name)
    .filter((name) => MANAGED_FLAGS[name] === undefined)
    .map((name) => `--${name}`)
    .join(", ");
}
