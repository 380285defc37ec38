import { expect } from "chai";
import {
  type Answer,
  type Client,
  type ControlPlane,
  eventually,
  type KubeObject,
  type PatchType,
} from "flipop-testbed";
import { before, beforeEach, describe, it } from "mocha";
import { Annotation, ELECTED_NODE_TAINT, HOLDER_LABEL_PREFIX } from "../../src/api";
import { identityOf, installOperator, operatorCluster, typeWarnings } from "../support/operator-cluster";

const NAME = "guarded";
const POLICY = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/${NAME}-${NAME}`;
const NODES = "/api/v1/nodes";
const REFUSAL = `ValidatingAdmissionPolicy '${NAME}-${NAME}' with binding '${NAME}-${NAME}' denied request`;
const HOLDER_LABEL = `${HOLDER_LABEL_PREFIX}rip.default.held`;
const OUR_TAINT = { key: ELECTED_NODE_TAINT.key, effect: ELECTED_NODE_TAINT.effect };
const FOREIGN_TAINT = { key: "example.com/dedicated", value: "web", effect: "NoSchedule" };

/** A node before each test, with a foreign annotation, label and taint. */
interface StoredNode extends KubeObject {
  readonly spec: { readonly taints?: readonly unknown[] };
}

type Patch = readonly [title: string, type: PatchType, body: (node: StoredNode) => unknown];

const annotate = (annotations: Readonly<Record<string, string | null>>) => () => ({ metadata: { annotations } });
const label = (labels: Readonly<Record<string, string | null>>) => () => ({ metadata: { labels } });
const setTaints = (taints: (node: StoredNode) => readonly unknown[]) => (node: StoredNode) => [
  { op: "test", path: "/spec/taints", value: node.spec.taints },
  { op: "add", path: "/spec/taints", value: taints(node) },
];
const keep = ({ spec }: StoredNode): readonly unknown[] => spec.taints ?? [];

/** Answers to an update of an older version, and to a JSON patch whose `test` fails. */
const OVERTAKEN: ReadonlySet<number> = new Set([409, 422]);

/** The operator's own patches, in the form that it sends. */
const PASSES: readonly Patch[] = [
  [
    "its address annotation and the owner beside it",
    "merge",
    ({ metadata: { uid } }) => ({
      metadata: {
        uid,
        annotations: { [Annotation.reservedIpv4]: "192.0.2.1", [Annotation.reservedIpv4Owner]: "a/b/c" },
      },
    }),
  ],
  ["a removal of its annotation", "merge", annotate({ [Annotation.reservedIpv6]: null })],
  ["a taint of its own behind those of others", "json", setTaints((node) => [...keep(node), OUR_TAINT])],
  ["a removal of its taint", "json", setTaints((node) => keep(node))],
  ["its holder label", "merge", label({ [`${HOLDER_LABEL_PREFIX}fip.default.web`]: "true" })],
  ["a removal of its holder label", "merge", label({ [HOLDER_LABEL]: null })],
  ["a patch that changes nothing", "merge", () => ({ metadata: {} })],
];

const REFUSED: readonly Patch[] = [
  ["a label", "merge", label({ mine: "yes" })],
  ["a removal of a label", "merge", label({ theirs: null })],
  ["another value of a label", "merge", label({ theirs: "no" })],
  ["a label under its prefix that names no holder", "merge", label({ "flipop.digitalocean.com/role": "true" })],
  ["another value of its holder label", "merge", label({ [HOLDER_LABEL]: "false" })],
  ["a holder label with another value", "merge", label({ [`${HOLDER_LABEL_PREFIX}fip.default.web`]: "1" })],
  ["an annotation of others", "merge", annotate({ "example.com/note": "x" })],
  ["another value of an annotation of others", "merge", annotate({ "example.com/theirs": "changed" })],
  ["a removal of an annotation of others", "merge", annotate({ "example.com/theirs": null })],
  ["an annotation that only begins like ours", "merge", annotate({ "flipop.digitalocean.com.evil/x": "y" })],
  ["a finalizer", "merge", () => ({ metadata: { finalizers: ["example.com/hold"] } })],
  [
    "an owner",
    "merge",
    () => ({ metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Namespace", name: "default", uid: "x" }] } }),
  ],
  ["a cordon", "merge", () => ({ spec: { unschedulable: true } })],
  ["a taint of others", "json", setTaints((node) => [...keep(node), { key: "example.com/new", effect: "NoSchedule" }])],
  ["a removal of a taint of others", "json", setTaints(() => [OUR_TAINT])],
  ["another value of a taint of others", "json", setTaints(() => [{ ...FOREIGN_TAINT, value: "db" }])],
  ["another effect of a taint of others", "json", setTaints(() => [{ ...FOREIGN_TAINT, effect: "PreferNoSchedule" }])],
  [
    "a taint of its own that evicts pods",
    "json",
    setTaints((node) => [...keep(node), { ...OUR_TAINT, effect: "NoExecute" }]),
  ],
  [
    "a taint of others through a strategic merge",
    "strategic",
    () => ({ spec: { taints: [{ key: "a", effect: "NoExecute" }] } }),
  ],
  ["a providerID", "merge", () => ({ spec: { providerID: "digitalocean://1" } })],
  ["a podCIDR", "merge", () => ({ spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] } })],
];

describe("the admission policy for the operator's identity", () => {
  let plane: ControlPlane;
  let admin: Client;
  let operator: Client;
  let node: StoredNode;

  before(async function () {
    plane = await operatorCluster(this);
    admin = plane.client();
    operator = plane.client(identityOf(NAME));
    await installOperator(plane, { name: NAME, namespace: NAME });
    await allowEverythingOnNodes(admin);
    await eventually(
      async () => {
        const { body } = await operator.create(NODES, { metadata: { generateName: "probe-" } }, { dryRun: "All" });
        return JSON.stringify(body).includes(REFUSAL);
      },
      { what: "the policy to take effect" },
    );
  });

  beforeEach(async () => {
    node = await makeNode(admin);
  });

  /** The answer to a request that no controller of the plane overtook with a change of the same node. */
  function undisturbed(send: (current: StoredNode) => Promise<Answer<KubeObject>>): Promise<Answer<KubeObject>> {
    return eventually(
      async () => {
        const answer = await send(await admin.must.get<StoredNode>(`${NODES}/${node.metadata.name}`));
        return !OVERTAKEN.has(answer.status) && answer;
      },
      { what: "an answer to a request that no controller overtakes" },
    );
  }

  it("type-checks without a warning", async () => {
    expect(await typeWarnings(admin, POLICY)).to.deep.equal([]);
  });

  for (const [title, type, body] of PASSES) {
    it(`allows it to send ${title}`, async () => {
      const answer = await undisturbed((current) => patch(operator, current, type, body(current)));
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    });
  }

  for (const [title, type, body] of REFUSED) {
    it(`refuses ${title}`, async () => {
      expectRefusal(await undisturbed((current) => patch(operator, current, type, body(current))));
    });

    it(`allows an administrator to send ${title}, so only the identity makes the difference`, async () => {
      const answer = await undisturbed((current) => patch(admin, current, type, body(current)));
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    });
  }

  it("refuses a change of labels beside one of flipop's annotations", async () => {
    const metadata = { labels: { mine: "yes" }, annotations: { [Annotation.reservedIpv4]: "192.0.2.1" } };
    expectRefusal(await patch(operator, node, "merge", { metadata }));
  });

  it("refuses to create a node", async () => {
    expectRefusal(await operator.create(NODES, { metadata: { name: "made-by-operator" } }));
  });

  it("refuses to delete a node", async () => {
    expectRefusal(await operator.delete(`${NODES}/${node.metadata.name}`));
  });

  it("refuses to delete all nodes at once", async () => {
    expectRefusal(await operator.delete(NODES));
  });

  it("refuses to write a node's status", async () => {
    const conditions = [{ type: "Ready", status: "False" }];
    const path = `${NODES}/${node.metadata.name}/status`;
    expectRefusal(await operator.patch(path, { status: { conditions } }, "strategic"));
  });

  it("refuses to replace a node that differs in a label", async () => {
    const answer = await undisturbed((current) => {
      const metadata = { ...current.metadata, labels: { ...current.metadata.labels, mine: "yes" } };
      return operator.update(`${NODES}/${node.metadata.name}`, { ...current, metadata });
    });
    expectRefusal(answer);
  });

  it("shows the allowed changes", async () => {
    const { body } = await patch(operator, node, "merge", { metadata: { labels: { mine: "yes" } } });
    expect(JSON.stringify(body)).to.include(
      "flipop may change only its own annotations, taints and holder labels on a node: it must neither add nor change labels",
    );
  });
});

/** With these permissions, only the policy protects the nodes from the operator. */
async function allowEverythingOnNodes(admin: Client): Promise<void> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const name = "everything-on-nodes";
  await admin.create(`${rbac}/clusterroles`, {
    metadata: { name },
    rules: [{ apiGroups: [""], resources: ["nodes", "nodes/status"], verbs: ["*"] }],
  });
  await admin.create(`${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: identityOf(NAME) }],
  });
}

async function makeNode(admin: Client): Promise<StoredNode> {
  const labels = { theirs: "yes", [HOLDER_LABEL]: "true" };
  const annotations = { "example.com/theirs": "kept", [Annotation.reservedIpv6]: "2001:db8::1" };
  const { metadata } = await admin.must.create(NODES, { metadata: { generateName: "node-", labels, annotations } });
  // Admission adds a taint to new nodes, so the test sets the taints afterwards.
  return admin.must.patch<StoredNode>(`${NODES}/${metadata.name}`, { spec: { taints: [FOREIGN_TAINT] } });
}

function patch(client: Client, node: StoredNode, type: PatchType, body: unknown): Promise<Answer<KubeObject>> {
  return client.patch(`${NODES}/${node.metadata.name}`, body, type);
}

function expectRefusal({ status, body }: Answer<unknown>): void {
  const text = JSON.stringify(body);
  expect(status, text).to.equal(403);
  expect(text).to.include(REFUSAL);
}
