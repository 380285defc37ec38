import { expect } from "chai";
import { type Client, eventually } from "flipop-testbed";
import { before, describe, it } from "mocha";
import { type FlipopOperatorProps, OperatorFeature } from "../../src";
import {
  ALL_KINDS,
  GROUP_VERSION,
  LEASE_NAME,
  type Permission,
  type PermissionScope,
  permissionsFor,
  type Verb,
} from "../../src/api";
import { minimalSpec } from "../data/minimal-specs";
import { answerTo, type Call, type CallAnswer, callsOf } from "../support/calls";
import { identityOf, installOperator, type OperatorName, operatorCluster } from "../support/operator-cluster";

const { POOLS, DNS, ROUTED_IP, JOBS } = OperatorFeature;

/** An operator, the scope of its permissions (undefined: the whole cluster), and calls that must fail. */
interface Install {
  readonly name: OperatorName;
  readonly title: string;
  readonly props: FlipopOperatorProps;
  readonly namespaces: Readonly<Record<PermissionScope, readonly (string | undefined)[]>>;
  readonly forbidden: readonly Call[];
  /** Plurals of kinds that have an object "x" in namespace "default", which the operator does not watch. */
  readonly unwatched?: readonly string[];
}

const call = (verb: Verb, path: string, body?: unknown): Call => ({
  verb,
  path,
  ...(body === undefined ? {} : { body }),
});
const OURS = "/apis/flipop.digitalocean.com/v1alpha1";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const NAMESPACED = ["floatingippools", "nodednsrecordsets", "routedips", "routedipissuers"];

/** Calls that no operator may make, with any features. */
const never = (name: OperatorName): readonly Call[] => [
  call("create", "/api/v1/nodes", { metadata: { name: "x" } }),
  call("delete", "/api/v1/nodes/x"),
  call("update", "/api/v1/nodes/x", {}),
  call("patch", "/api/v1/nodes/x/status", { status: {} }),
  call("create", "/api/v1/namespaces/default/pods", { metadata: { name: "x" } }),
  call("delete", "/api/v1/namespaces/default/pods/x"),
  call("create", "/api/v1/namespaces/default/pods/x/eviction", {}),
  call("create", "/api/v1/namespaces/default/pods/x/exec", {}),
  call("list", "/api/v1/secrets"),
  call("get", "/api/v1/namespaces/kube-system/secrets/x"),
  call("list", "/api/v1/namespaces/default/configmaps"),
  call("list", "/api/v1/namespaces"),
  call("patch", "/api/v1/namespaces/default/services/x", {}),
  call("list", "/apis/batch/v1/jobs"),
  call("create", "/apis/batch/v1/namespaces/default/jobs", {}),
  call("patch", `/apis/apps/v1/namespaces/${name}/deployments/${name}`, {}),
  call("create", `${OURS}/namespaces/default/floatingippools`, {}),
  call("delete", `${OURS}/namespaces/default/floatingippools/x`),
  call("update", `${OURS}/namespaces/default/floatingippools/x`, {}),
  call("delete", `${OURS}/clusterroutedipclasses/x`),
  call("patch", `${RBAC}/clusterroles/${name}-${name}`, {}),
  call("create", `${RBAC}/clusterrolebindings`, {}),
  call("create", `/api/v1/namespaces/${name}/serviceaccounts/${name}/token`, {}),
  call("get", `/apis/coordination.k8s.io/v1/namespaces/${name}/leases/other`),
  call("update", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager", {}),
  call("delete", `/apis/coordination.k8s.io/v1/namespaces/${name}/leases/${LEASE_NAME}`),
];

const NODE_LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

const DNS_ENDPOINTS = "/apis/externaldns.k8s.io/v1alpha1/namespaces";
const SERVICE_STATUS = "/api/v1/namespaces/default/services/x/status";
const GATEWAYS = "/apis/gateway.networking.k8s.io/v1/namespaces/default/gateways";

const INSTALLS: readonly Install[] = [
  {
    name: "wide",
    title: "with all features in the whole cluster",
    props: { features: Object.values(OperatorFeature) },
    namespaces: {
      cluster: [undefined],
      watchNamespaces: [undefined, "default"],
      podNamespaces: [undefined, "default"],
      operatorNamespace: ["wide"],
      issuerNamespaces: ["wide"],
      jobNamespaces: ["flipop-jobs"],
      nodeLeaseNamespace: ["kube-node-lease"],
      // Permissions in the whole cluster include them.
      goingNamespaces: ["default"],
    },
    forbidden: [
      call("list", "/api/v1/namespaces/flipop-jobs/secrets"),
      call("create", "/apis/batch/v1/namespaces/wide/jobs", {}),
      call("create", "/api/v1/namespaces/flipop-jobs/serviceaccounts", {}),
      call("list", "/apis/coordination.k8s.io/v1/leases"),
      call("update", `${NODE_LEASES}/x`, {}),
      call("delete", `${NODE_LEASES}/x`),
      call("list", `${DNS_ENDPOINTS}/wide/dnsendpoints`),
      call("create", `${DNS_ENDPOINTS}/default/dnsendpoints`, {}),
      call("update", SERVICE_STATUS, {}),
      call("patch", `${GATEWAYS}/x`, {}),
      call("delete", `${GATEWAYS}/x`),
    ],
  },
  {
    name: "narrow",
    title: "in a few namespaces",
    props: {
      features: [POOLS, DNS, ROUTED_IP, JOBS],
      watchNamespaces: ["watched", "issuing"],
      podNamespaces: ["watched"],
      issuerNamespaces: ["issuing"],
      jobNamespaces: ["narrow-jobs"],
    },
    namespaces: {
      cluster: [undefined],
      watchNamespaces: ["watched", "issuing"],
      podNamespaces: ["watched"],
      operatorNamespace: ["narrow"],
      issuerNamespaces: ["issuing"],
      jobNamespaces: ["narrow-jobs"],
      nodeLeaseNamespace: [],
      // RBAC allows this; the policy rejects changes of existing resources in "default", see below.
      goingNamespaces: ["watched", "issuing", "default"],
    },
    unwatched: NAMESPACED,
    forbidden: [
      call("list", NODE_LEASES),
      call("list", `${OURS}/floatingippools`),
      call("list", `${OURS}/namespaces/default/floatingippools`),
      ...NAMESPACED.flatMap((plural) => [
        call("patch", `${OURS}/namespaces/default/${plural}/x`, { metadata: { finalizers: null } }),
        call("patch", `${OURS}/namespaces/default/${plural}/x/status`, {}),
      ]),
      call("list", "/api/v1/pods"),
      call("list", "/api/v1/namespaces/issuing/pods"),
      call("list", "/api/v1/services"),
      call("list", "/api/v1/namespaces/default/services"),
      call("list", "/apis/discovery.k8s.io/v1/endpointslices"),
      call("list", "/api/v1/namespaces/watched/secrets"),
      call("list", "/api/v1/namespaces/narrow/secrets"),
      call("list", "/apis/batch/v1/namespaces/flipop-jobs/jobs"),
      call("patch", SERVICE_STATUS, {}),
      call("patch", `${GATEWAYS}/x/status`, {}),
    ],
  },
  {
    name: "records",
    title: "of record sets alone",
    props: { features: [DNS] },
    namespaces: {
      cluster: [undefined],
      watchNamespaces: [undefined],
      podNamespaces: [undefined],
      operatorNamespace: ["records"],
      issuerNamespaces: [],
      jobNamespaces: [],
      nodeLeaseNamespace: [],
      goingNamespaces: ["default"],
    },
    forbidden: [
      call("patch", "/api/v1/nodes/x", {}),
      call("list", `${OURS}/floatingippools`),
      call("list", `${OURS}/routedips`),
      call("list", "/api/v1/services"),
      call("patch", SERVICE_STATUS, {}),
      call("patch", `${GATEWAYS}/x/status`, {}),
      call("create", `${DNS_ENDPOINTS}/records/dnsendpoints`, {}),
      call("list", "/api/v1/namespaces/records/secrets"),
      call("list", "/api/v1/namespaces/records/serviceaccounts"),
    ],
  },
];

for (const { name, title, props, namespaces, forbidden, unwatched = [] } of INSTALLS) {
  describe(`the permissions of an operator ${title}`, () => {
    const permissions = permissionsFor((props.features ?? []).map((feature) => `${feature}` as const));
    let operator: Client;
    let answers: readonly (readonly CallAnswer[])[];

    before(async function () {
      const plane = await operatorCluster(this);
      const admin = plane.client();
      for (const space of [...(props.watchNamespaces ?? [])]) {
        await admin.create("/api/v1/namespaces", { metadata: { name: space } });
      }
      await installOperator(plane, { name, namespace: name, ...props });
      operator = plane.client(identityOf(name));
      for (const plural of unwatched) await isKept(admin, operator, plural);
      // All at once: a watch takes a second.
      answers = await Promise.all(permissions.map((permission) => tryAll(operator, permission, namespaces)));
    });

    for (const [index, permission] of permissions.entries()) {
      it(`allow it to ${permission.why} (${describePermission(permission)})`, () => {
        expect(answers[index]).not.to.have.length(0);
        for (const { status, text } of answers[index] ?? []) expect(status, text).to.be.oneOf([200, 201, 404]);
      });
    }

    for (const made of [...never(name), ...forbidden]) {
      it(`do not allow it to ${made.verb} ${made.path}`, async () => {
        const { status, text } = await answerTo(operator, made);
        expect(status, text).to.equal(403);
      });
    }
  });
}

/** Creates a resource that the operator does not watch, and waits until the policy protects it from the operator. */
async function isKept(admin: Client, operator: Client, plural: string): Promise<void> {
  const { kind = "" } = ALL_KINDS.find((candidate) => candidate.plural === plural) ?? {};
  const body = { apiVersion: GROUP_VERSION, kind, metadata: { name: "x" }, spec: minimalSpec(kind) };
  await admin.create(`${OURS}/namespaces/default/${plural}`, body);
  const tried = call("patch", `${OURS}/namespaces/default/${plural}/x`, {});
  await eventually(async () => (await answerTo(operator, tried)).text.includes("ValidatingAdmissionPolicy"), {
    what: `the policy to keep ${plural} from the operator`,
  });
}

/** Makes every call that the permission allows, in its whole scope. */
function tryAll(operator: Client, permission: Permission, namespaces: Install["namespaces"]): Promise<CallAnswer[]> {
  const calls = namespaces[permission.scope].flatMap((namespace) => callsOf(permission, namespace));
  return Promise.all(calls.map((made) => answerTo(operator, made)));
}

function describePermission({ verbs, resources }: Permission): string {
  return `${verbs.join(", ")} ${resources.join(", ")}`;
}
