/** With whose token an issuer works, and who may use which. Pure. */

import type { RoutedIPIssuerSpec } from "cdk8s-flipop/api";
import type { Problem } from "../reconcile/conditions/problem.js";

export interface IssuerPlace {
  readonly namespace: string;
  /** The operator's own. */
  readonly operatorNamespace: string;
  /** Those whose Secrets the operator may read. */
  readonly issuerNamespaces: readonly string[];
}

/** A Secret as far as it matters: its decoded entries. */
export type SecretEntries = Readonly<Record<string, string>>;

export type CredentialsAnswer =
  /** Those of the operator itself. */
  | { readonly from: "operator" }
  | { readonly from: "secret"; readonly token: string }
  /** Not to be had; a token that was good before stays in use. */
  | { readonly from: "nowhere"; readonly problem: Problem };

/** Which Secret is to be read; `undefined`: none, or none that may be. */
export function secretOf(spec: RoutedIPIssuerSpec, place: IssuerPlace): string | undefined {
  if (spec.credentialsSecretRef === undefined || !place.issuerNamespaces.includes(place.namespace)) return undefined;
  return `${place.namespace}/${spec.credentialsSecretRef.name}`;
}

/** @param variable of the provider's token: the key of a Secret whose reference names none. */
export function credentialsOf(
  spec: RoutedIPIssuerSpec,
  place: IssuerPlace,
  { secret, variable }: { readonly secret: SecretEntries | undefined; readonly variable: string },
): CredentialsAnswer {
  const { namespace, operatorNamespace, issuerNamespaces } = place;
  const ref = spec.credentialsSecretRef;
  if (ref === undefined) return namespace === operatorNamespace ? { from: "operator" } : nowhere(needsSecret(place));
  if (!issuerNamespaces.includes(namespace)) {
    const message = `the operator may not read Secrets of namespace ${namespace}; it reads those of ${issuerNamespaces.join(", ")}: add it to --issuer-namespaces`;
    return nowhere({ reason: "NamespaceNotAllowed", message });
  }
  const key = ref.key ?? variable;
  const name = `${namespace}/${ref.name}`;
  if (secret === undefined)
    return nowhere({
      reason: "SecretNotFound",
      message: `Secret ${name} does not exist: create it, or correct credentialsSecretRef`,
    });
  const token = secret[key]?.trim() ?? "";
  if (token !== "") return { from: "secret", token };
  return nowhere({
    reason: "SecretNotFound",
    message: `Secret ${name} has no key "${key}", or it is empty: put the token there, or correct credentialsSecretRef`,
  });
}

function needsSecret({ namespace, operatorNamespace }: IssuerPlace): Problem {
  const message = `credentialsSecretRef is not set: set it; only an issuer in namespace ${operatorNamespace} may use the operator's own credentials, this one is in ${namespace}`;
  return { reason: "NamespaceNotAllowed", message };
}

function nowhere(problem: Problem): CredentialsAnswer {
  return { from: "nowhere", problem };
}
