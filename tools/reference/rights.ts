import { FEATURES, PERMISSIONS, type Permission, type PermissionScope } from "cdk8s-flipop/api";
import { code, codes, generatedFrom, table } from "./markdown.js";

const PLACES: Readonly<Record<PermissionScope, string>> = {
  cluster: "the whole cluster",
  watchNamespaces: "`watchNamespaces`",
  podNamespaces: "`podNamespaces`",
  operatorNamespace: "its own namespace",
  issuerNamespaces: "`issuerNamespaces`",
  jobNamespaces: "`jobNamespaces`",
  nodeLeaseNamespace: "namespace `kube-node-lease`",
  goingNamespaces:
    "the whole cluster, only with `watchNamespaces` and the admission policy that limits it to these namespaces",
};

/** The page on the rights of the operator's ServiceAccount, with the reason for each. */
export function rightsPage(): string {
  return [
    "# Rights of the operator",
    "",
    generatedFrom("constructs/src/api/permissions.ts"),
    "",
    "The operator's ServiceAccount has these rights, and each only if one of its features is enabled. The constructs and the chart",
    "generate the roles from the same list. `watchNamespaces` and `podNamespaces` are the whole cluster by default,",
    "`issuerNamespaces` is the operator's own namespace, and `jobNamespaces` is `flipop-jobs`",
    "([how to limit them](../how-to/install.md#limit-the-operator-to-some-namespaces)).",
    "[Who can do what](../explanation/security.md#the-operators-serviceaccount) lists what the operator cannot do with them.",
    "",
    ...table(["right", "on", "in", "features", "why"], PERMISSIONS.map(rightRow)),
    "",
  ].join("\n");
}

function rightRow({ features, scope, apiGroup, resources, resourceNames, verbs, why }: Permission): readonly string[] {
  const isForAll = features.length === Object.keys(FEATURES).length;
  const group = apiGroup === "" ? "" : ` of ${code(apiGroup)}`;
  const names = resourceNames === undefined ? "" : `, only ${codes(resourceNames)}`;
  return [codes(verbs), `${codes(resources)}${group}${names}`, PLACES[scope], isForAll ? "all" : codes(features), why];
}
