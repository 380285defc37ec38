import { FLAGS } from "../../api/config";
import { providerVariables } from "../../api/providers";
import { urlProblem } from "../../api/setting-problems";
import type { FlipopOperatorProps } from "../../operator-props";
import type { Draft } from "../../private/refusal-collector";
import { MANAGED_FLAGS } from "../arguments";
import { isExpression } from "../network-policy";
import { flagValueProblem } from "./check-flag-value";

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const FLAG_PREFIX = "FLIPOP_";

/** Checks `env`: valid names of variables without a prop, and no tokens. */
export function checkEnvironment(props: FlipopOperatorProps, draft: Draft): void {
  for (const [name, value] of Object.entries(props.env ?? {})) {
    const problem = variableProblem(name, value) ?? secondToken(name, props);
    if (problem !== undefined) draft.at(`env.${name}`).refuse(problem);
  }
}

function variableProblem(name: string, value: string): string | undefined {
  const secret = providerVariables().find((variable) => variable.env === name && variable.secret);
  if (secret) {
    return `a manifest must not contain a token: use prop ${secret.prop} with Credentials.fromSecretName(...)`;
  }
  if (!VARIABLE_NAME.test(name)) return `"${name}" is not a variable name: use letters, digits and "_"`;
  if (name.startsWith(FLAG_PREFIX)) return flagVariableProblem(name, value);
  const problem = urlProblem(name, value);
  return problem !== undefined && isExpression(value) ? undefined : problem;
}

/** The operator reads the file only if it has no token from a Secret. */
function secondToken(name: string, props: FlipopOperatorProps): string | undefined {
  const variable = providerVariables().find(({ env, secret }) => secret && `${env}_FILE` === name);
  if (!variable) return undefined;
  const { prop } = variable;
  return props[prop] && `has no effect, because the token of prop ${prop} takes precedence: remove one of the two`;
}

function flagVariableProblem(name: string, value: string): string | undefined {
  const flag = FLAGS.find(({ env }) => env === name);
  if (!flag) return `"${name}" is not a variable of the operator: correct its name, or remove it`;
  const instead = MANAGED_FLAGS[flag.name];
  if (instead !== undefined) return `"${name}" is set by this construct: use ${instead}`;
  return flagValueProblem(flag, value);
}
