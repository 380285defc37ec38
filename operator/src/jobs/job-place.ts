/** Where a Job may run, and as whom. Pure. */

import { type ClusterRoutedIPClassSpec, Label } from "cdk8s-flipop/api";
import type { ObjectMeta } from "../kube/objects.js";
import type { Problem } from "../reconcile/conditions/problem.js";

/** @param namespaces those in which Jobs may run; the first is the default. */
export function jobNamespaceOf(
  { jobNamespace }: ClusterRoutedIPClassSpec,
  { namespaces }: { readonly namespaces: readonly string[] },
): string {
  return jobNamespace ?? namespaces[0] ?? "";
}

/** A Job may run without a ServiceAccount, or with one that an administrator has labelled for it. */
export function accountProblem(
  name: string,
  namespace: string,
  account: Pick<ObjectMeta, "labels"> | undefined,
): Problem | undefined {
  if (name === "" || account?.labels?.[Label.job] !== undefined) return undefined;
  const seen = account === undefined ? "does not exist" : `has no label ${Label.job}`;
  const message = `serviceAccountName is "${name}", and ServiceAccount ${namespace}/${name} ${seen}: leave it out, or label the ServiceAccount`;
  return { reason: "JobRefused", message };
}
