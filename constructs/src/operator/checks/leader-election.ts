import { FLAGS } from "../../api/config";
import { parseFlag } from "../../api/flag-value";
import type { FlipopOperatorProps } from "../../operator-props";
import type { Site } from "../../private/spec-refusals";

const FLAG = "leader-elect";

/** Refuses several pods without leader election, which would all act at once; in a dry run none acts. */
export function checkLeaderElection(props: FlipopOperatorProps, site: Site): void {
  const { replicas = 2, dryRun = false } = props;
  const setting = replicas > 1 && !dryRun ? settingOf(props) : undefined;
  if (setting === undefined || !isOff(setting)) return;
  site.refuse(`${replicas} pods would all act at once with ${setting}: remove it, or set replicas to 1`);
}

/** The effective argument or variable: a flag takes precedence over its variable. */
function settingOf({ extraArgs = [], env = {} }: FlipopOperatorProps): string | undefined {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const [variable = ""] = FLAGS.flatMap((flag) => (flag.name === FLAG ? flag.env : []));
  return (
    extraArgs.find((argument) => argument.split("=")[0] === `--${FLAG}`) ??
    variables.find((setting) => setting.startsWith(`${variable}=`))
  );
}

function isOff(setting: string): boolean {
  const flag = FLAGS.find(({ name }) => name === FLAG);
  const at = setting.indexOf("=");
  const parsed = flag && parseFlag(flag, at < 0 ? "true" : setting.slice(at + 1));
  return parsed?.ok === true && parsed.value === false;
}
