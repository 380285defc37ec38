import { DEFAULT_SECRET } from "../api/config";
import { allProviders } from "../api/providers";
import { Credentials } from "../credentials";
import type { FlipopOperatorProps } from "../operator-props";
import { checkObjectName, checkSecretKey } from "../private/check-text";
import type { Draft, Site } from "../private/draft";

/** The variable with the operator's own namespace, from the pod. */
export const NAMESPACE_VARIABLE = "FLIPOP_NAMESPACE";

/** The environment of the operator: its namespace, the tokens from their Secrets, and the user's variables. */
export function environment(props: FlipopOperatorProps, draft: Draft): object[] {
  return [
    { name: NAMESPACE_VARIABLE, valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    ...allProviders().map(({ prop, tokenVariable }) => token(tokenVariable, props[prop], draft.at(prop))),
    ...Object.entries(props.env ?? {}).map(([name, value]) => ({ name, value })),
  ];
}

/** The reference is optional: without its Secret, only this provider is not available. */
function token(variable: string, credentials: Credentials | undefined, site: Site): object {
  const from = credentials ?? Credentials.fromSecretName(DEFAULT_SECRET);
  const { name, key = variable } = from._write(site, variable);
  checkObjectName(name, site.below(".name"));
  checkSecretKey(key, site.below(".key"));
  return { name: variable, valueFrom: { secretKeyRef: { name, key, optional: true } } };
}
