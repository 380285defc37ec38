import { FAST_LEASE, FLAGS, type Flag } from "../../api/config";
import { parseFlag } from "../../api/parse-flag";
import { driftProblem, electionProblem } from "../../api/setting-problems";
import type { FlipopOperatorProps } from "../../operator-props";
import type { Draft, Site } from "../../private/refusal-collector";

/** A flag's effective setting, and its place: an item of `extraArgs`, or a variable of `env`. */
interface GivenFlag {
  readonly place: string;
  /** As it is written there. */
  readonly setting: string;
  /** Undefined if the operator refuses it, which other checks report. */
  readonly value: unknown;
}

const [LEASE, RENEW, RETRY] = [
  "leader-elect-lease-duration",
  "leader-elect-renew-deadline",
  "leader-elect-retry-period",
] as const;

/** Refuses values of flags that the operator refuses beside each other, or because of a limit. */
export function checkSettings(props: FlipopOperatorProps, draft: Draft): void {
  const [lease, renew, retry] = [LEASE, RENEW, RETRY].map((name) => numberOf(props, name));
  if (lease && renew && retry) {
    const problem = electionProblem({ leaseDuration: lease, renewDeadline: renew, retryPeriod: retry });
    refuse(problem, [LEASE, RENEW, RETRY]);
  }
  const drift = numberOf(props, "drift-interval");
  if (drift) refuse(driftProblem(drift), ["drift-interval"]);

  function refuse(problem: string | undefined, names: readonly string[]): void {
    const [given] = names.flatMap((name) => givenFlag(props, name) ?? []);
    if (problem !== undefined && given) draft.at(given.place).refuse(problem);
  }
}

/** Refuses several pods without leader election, which would all act at once; in a dry run none acts. */
export function checkLeaderElection(props: FlipopOperatorProps, site: Site): void {
  const { replicas = 2, dryRun = false } = props;
  const given = replicas > 1 && !dryRun ? givenFlag(props, "leader-elect") : undefined;
  if (given?.value !== false) return;
  site.refuse(`${replicas} pods would all act at once with ${given.setting}: remove it, or set replicas to 1`);
}

/** The effective argument or variable, if there is one: a flag takes precedence over its variable. */
function givenFlag({ extraArgs = [], env = {} }: FlipopOperatorProps, name: string): GivenFlag | undefined {
  const flag = FLAGS.find((candidate) => candidate.name === name);
  if (!flag) return undefined;
  const index = extraArgs.findIndex((argument) => argument.split("=")[0] === `--${name}`);
  const [argument = "", variable] = [extraArgs[index], env[flag.env]];
  if (index >= 0) {
    const at = argument.indexOf("=");
    const value = valueIn(flag, at < 0 ? "true" : argument.slice(at + 1));
    return { place: `extraArgs[${index}]`, setting: argument, value };
  }
  if (variable === undefined) return undefined;
  return { place: `env.${flag.env}`, setting: `${flag.env}=${variable}`, value: valueIn(flag, variable) };
}

/** The number of a flag, or that of its default; undefined if the operator refuses it. */
function numberOf(props: FlipopOperatorProps, name: string): number | undefined {
  const given = givenFlag(props, name);
  const fast = props.fastFailover === true ? Object.entries(FAST_LEASE).find(([flag]) => flag === name) : undefined;
  if (given && (!fast || given.place.startsWith("extraArgs"))) return given.value as number | undefined;
  return Number(fast?.[1] ?? FLAGS.find((flag) => flag.name === name)?.default);
}

function valueIn(flag: Flag, text: string): unknown {
  const parsed = parseFlag(flag, text);
  return parsed.ok ? parsed.value : undefined;
}
