import { FLAGS, PROVIDER_VARIABLES } from "../api/config";
import type { FlipopOperatorProps } from "../operator-props";
import type { Draft } from "../private/draft";
import { MANAGED_FLAGS } from "./arguments";
import { flagValueProblem } from "./flag-value";
import { holdsToken, TOKEN_REFUSED } from "./token-literals";

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const FLAG_PREFIX = "FLIPOP_";
const CREDENTIAL_PROPS = { digitalocean: "digitalOcean", cloudflare: "cloudflare" } as const;

/** Checks `env`: names that a container can have, none that has a prop, no token. */
export function checkEnvironment(props: FlipopOperatorProps, draft: Draft): void {
  for (const [name, value] of Object.entries(props.env ?? {})) {
    const problem = variableProblem(name, value) ?? secondToken(name, props);
    if (problem !== undefined) draft.at(`env.${name}`).refuse(problem);
  }
}

function variableProblem(name: string, value: string): string | undefined {
  const secret = PROVIDER_VARIABLES.find((variable) => variable.env === name && variable.secret);
  if (secret) {
    const prop = CREDENTIAL_PROPS[secret.provider];
    return `a token does not belong into a manifest: use prop ${prop} with Credentials.fromSecretName(...)`;
  }
  if (holdsToken(value)) return TOKEN_REFUSED;
  if (!VARIABLE_NAME.test(name)) return `"${name}" is not a variable name: use letters, digits and "_"`;
  return name.startsWith(FLAG_PREFIX) ? flagVariableProblem(name, value) : undefined;
}

/** The operator reads the file only where it has no token from a Secret. */
function secondToken(name: string, props: FlipopOperatorProps): string | undefined {
  const variable = PROVIDER_VARIABLES.find(({ env, secret }) => secret && `${env}_FILE` === name);
  if (!variable) return undefined;
  const prop = CREDENTIAL_PROPS[variable.provider];
  return props[prop] && `would not be read beside prop ${prop}, whose token goes first: leave out one of the two`;
}

function flagVariableProblem(name: string, value: string): string | undefined {
  const flag = FLAGS.find(({ env }) => env === name);
  if (!flag) return `"${name}" is not a variable of the operator: correct its name, or leave it out`;
  const instead = MANAGED_FLAGS[flag.name];
  if (instead !== undefined) return `"${name}" is set by this construct: use ${instead}`;
  return flagValueProblem(flag, value);
}
