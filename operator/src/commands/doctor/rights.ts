/** The operator's rights, asked of the API server one by one. */

import { type FeatureName, NODE_LEASE_NAMESPACE, type Permission, permissionsFor } from "cdk8s-flipop/api";
import { isForbidden, type KubeClient } from "../../kube/client.js";
import { type Finding, ok, problem, unknown } from "./finding.js";

export interface RightsQuestion {
  /** Who acts: a ServiceAccount, or the user of the kubeconfig. */
  readonly who: string;
  readonly namespace: string;
  readonly features: readonly FeatureName[];
  /** Empty: all. */
  readonly watchNamespaces: readonly string[];
  /** Empty: all. */
  readonly podNamespaces: readonly string[];
  readonly issuerNamespaces: readonly string[];
  readonly jobNamespaces: readonly string[];
}

/** One right, in the form of `resourceAttributes`. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly name?: string;
  /** Absent: all namespaces. */
  readonly namespace?: string;
}

/** Pure: all rights that an operator with these settings needs. */
function rightsFor(question: RightsQuestion): readonly Right[] {
  return permissionsFor(question.features).flatMap((permission) =>
    placesOf(permission, question).flatMap((namespace) => rightsOf(permission, namespace)),
  );
}

function placesOf({ scope }: Permission, question: RightsQuestion): readonly (string | undefined)[] {
  return PLACES[scope](question);
}

type Places = (question: RightsQuestion) => readonly (string | undefined)[];

const allIfEmpty = (namespaces: readonly string[]) => (namespaces.length === 0 ? [undefined] : namespaces);

const PLACES: Readonly<Record<Permission["scope"], Places>> = {
  cluster: () => [undefined],
  podNamespaces: ({ podNamespaces }) => allIfEmpty(podNamespaces),
  watchNamespaces: ({ watchNamespaces }) => allIfEmpty(watchNamespaces),
  operatorNamespace: ({ namespace }) => [namespace],
  issuerNamespaces: ({ issuerNamespaces }) => issuerNamespaces,
  jobNamespaces: ({ features, jobNamespaces }) => (features.includes("jobs") ? jobNamespaces : []),
  nodeLeaseNamespace: () => [NODE_LEASE_NAMESPACE],
  // This right exists only beside an admission policy that confines it.
  goingNamespaces: () => [],
};

function rightsOf({ apiGroup, resources, verbs, resourceNames }: Permission, namespace: string | undefined): Right[] {
  return resources.flatMap((full) =>
    verbs.map((verb) => {
      const [resource = "", subresource] = full.split("/");
      const [name] = resourceNames ?? [];
      const right: Right = { verb, group: apiGroup, resource };
      return { ...right, ...(subresource && { subresource }), ...(name && { name }), ...(namespace && { namespace }) };
    }),
  );
}

interface Review {
  readonly status?: { readonly allowed?: boolean };
}

const PATH = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

/** @param client acts as the one who is asked about */
export async function rightsFinding(client: KubeClient, question: RightsQuestion): Promise<Finding> {
  const check = "rights";
  const rights = rightsFor(question);
  try {
    const answers = await Promise.all(rights.map((right) => isAllowed(client, right)));
    const denied = rights.filter((_, index) => answers[index] !== true);
    return deniedFinding(check, question.who, { denied, asked: rights.length });
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const remedy =
      "ask somebody who may impersonate it, or run doctor --self with the kubeconfig of the ServiceAccount";
    return unknown(check, `you may not act as ${question.who}: ${error.message}`, remedy);
  }
}

async function isAllowed(client: KubeClient, right: Right): Promise<boolean> {
  const body = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: right },
  };
  const { status } = await client.request<Review>({ method: "POST", path: PATH, body });
  return status?.allowed === true;
}

interface Asked {
  readonly denied: readonly Right[];
  readonly asked: number;
}

function deniedFinding(check: string, who: string, { denied, asked }: Asked): Finding {
  if (denied.length === 0) return ok(check, `${who} has all ${asked} rights`);
  const remedy =
    "apply the roles of this release; --features and the lists of namespaces must be those of the operator";
  return problem(
    check,
    `${who} lacks ${denied.length} of ${asked} rights: ${denied.map(rightText).join("; ")}`,
    remedy,
  );
}

function rightText({ verb, group, resource, subresource, name, namespace }: Right): string {
  const full = `${resource}${subresource === undefined ? "" : `/${subresource}`}${group === "" ? "" : `.${group}`}`;
  return `${verb} ${full}${name === undefined ? "" : ` "${name}"`}${namespace === undefined ? "" : ` in ${namespace}`}`;
}
