import { expect } from "chai";
import { type Answer, type Client, type ControlPlane, eventually, type KubeObject } from "flipop-testbed";
import { before, beforeEach, describe, it } from "mocha";
import { OperatorFeature } from "../../src";
import { Annotation, CONTROLLER_NAME, LOAD_BALANCER_CLASS } from "../../src/api";
import { GATEWAY_DEFINITION } from "../support/gateway-definition";
import { identityOf, installOperator, operatorCluster, typeWarnings } from "../support/operator-cluster";

const NAME = "guarded";
const POLICY_NAME = `${NAME}-${NAME}-publications`;
const POLICY = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/${POLICY_NAME}`;
const REFUSAL = `ValidatingAdmissionPolicy '${POLICY_NAME}' with binding '${POLICY_NAME}' denied request`;
const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const SERVICES = "/api/v1/namespaces/default/services";
const GATEWAYS = "/apis/gateway.networking.k8s.io/v1/namespaces/default/gateways";
const CLASSES: readonly (readonly [title: string, spec: object])[] = [
  [
    "refuses it the status of one of another class, which an administrator may write",
    { type: "LoadBalancer", loadBalancerClass: "example.com/other" },
  ],
  ["refuses it the status of one of the cloud, which an administrator may write", { type: "LoadBalancer" }],
];

const OURS = { type: "LoadBalancer", loadBalancerClass: LOAD_BALANCER_CLASS };
const INGRESS = { loadBalancer: { ingress: [{ ip: "192.0.2.1", ipMode: "Proxy" }] } };
const ALLOWING = { [Annotation.publishAddresses]: "true" };
const addresses = (...values: readonly string[]) => values.map((value) => ({ type: "IPAddress", value }));

describe("the admission policy for Services and Gateways, for the operator's identity", () => {
  let plane: ControlPlane;
  let admin: Client;
  let operator: Client;

  before(async function () {
    plane = await operatorCluster(this);
    admin = plane.client();
    operator = plane.client(identityOf(NAME));
    await admin.create(CRDS, GATEWAY_DEFINITION);
    await eventually(async () => (await admin.get(GATEWAYS)).status === 200, { what: "Gateways to be served" });
    const { POOLS, DNS, PUBLISH } = OperatorFeature;
    await installOperator(plane, { name: NAME, namespace: NAME, features: [POOLS, DNS, PUBLISH] });
    await allowEverything(admin);
    await eventually(async () => JSON.stringify((await operator.create(SERVICES, probe())).body).includes(REFUSAL), {
      what: "the policy to take effect",
    });
  });

  it("type-checks without a warning", async () => {
    expect(await typeWarnings(admin, POLICY)).to.deep.equal([]);
  });

  describe("about a Service", () => {
    it("allows it to show addresses, and to withdraw them, in the status of one of its class", async () => {
      const path = await service(admin, OURS);
      accepted(await operator.patch(`${path}/status`, { status: INGRESS }));
      accepted(
        await operator.patch(`${path}/status`, [{ op: "add", path: "/status/loadBalancer", value: {} }], "json"),
      );
    });

    for (const [title, spec] of CLASSES) {
      it(title, async () => {
        const path = await service(admin, spec);
        refused(await operator.patch(`${path}/status`, { status: INGRESS }), LOAD_BALANCER_CLASS);
        accepted(await admin.patch(`${path}/status`, { status: INGRESS }));
      });
    }

    it("refuses it everything else of one of its class", async () => {
      const path = await service(admin, OURS);
      const conditions = [
        { type: "Example", status: "True", reason: "A", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
      ];
      refused(await operator.patch(`${path}/status`, { status: { conditions } }), "other fields of the status");
      refused(await operator.patch(`${path}/status`, { metadata: { labels: { a: "b" } } }), "metadata.labels");
      refused(await operator.patch(`${path}/status`, { metadata: { finalizers: ["a.b/c"] } }), "metadata.finalizers");
      refused(await operator.patch(path, { spec: { externalIPs: ["192.0.2.9"] } }), "nothing else");
      refused(await operator.delete(path), "nothing else");
    });
  });

  describe("about a Gateway", () => {
    let path: string;
    beforeEach(async () => {
      path = await gateway(admin, ALLOWING);
      const conditions = [{ type: "Accepted", status: "True" }];
      accepted(await admin.patch(`${path}/status`, { status: { conditions } }));
    });

    it("allows it to show addresses, and to withdraw them, where the annotation allows it", async () => {
      accepted(await apply(operator, path, ["192.0.2.1"]));
      accepted(await apply(operator, path, []));
    });

    it("refuses it one without the annotation, which an administrator may write", async () => {
      for (const annotations of [{}, { [Annotation.publishAddresses]: "yes" }]) {
        const other = await gateway(admin, annotations);
        refused(await apply(operator, other, ["192.0.2.1"]), Annotation.publishAddresses);
        accepted(await apply(admin, other, ["192.0.2.1"], "admin"));
      }
    });

    it("lets it withdraw its own addresses once the annotation is gone, and add none", async () => {
      accepted(await apply(operator, path, ["192.0.2.1", "192.0.2.2"]));
      accepted(await admin.patch(path, { metadata: { annotations: { [Annotation.publishAddresses]: null } } }));
      refused(await apply(operator, path, ["192.0.2.1", "192.0.2.3"]), Annotation.publishAddresses);
      accepted(await apply(operator, path, []));
      accepted(await apply(admin, path, ["192.0.2.9"], "admin"));
      refused(await operator.patch(`${path}/status`, { status: { addresses: [] } }), Annotation.publishAddresses);
    });

    it("refuses it everything else", async () => {
      const status = { conditions: [{ type: "Accepted", status: "False" }] };
      refused(await operator.patch(`${path}/status`, { status }), "other fields of the status");
      refused(await operator.patch(`${path}/status`, { status: { conditions: null } }), "other fields of the status");
      refused(await operator.patch(path, { spec: { gatewayClassName: "mine" } }), "nothing else");
      refused(await operator.delete(path), "nothing else");
    });
  });
});

function probe() {
  return { metadata: { generateName: "probe-" }, spec: { ports: [{ port: 80 }] } };
}

async function service(admin: Client, spec: object): Promise<string> {
  const body = { metadata: { generateName: "shown-" }, spec: { ports: [{ port: 80 }], ...spec } };
  return `${SERVICES}/${(await admin.must.create(SERVICES, body)).metadata.name}`;
}

async function gateway(admin: Client, annotations: Readonly<Record<string, string>>): Promise<string> {
  const metadata = { generateName: "shown-", annotations };
  const { apiVersion, kind } = { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway" };
  const made = await admin.must.create(GATEWAYS, { apiVersion, kind, metadata, spec: { gatewayClassName: "any" } });
  return `${GATEWAYS}/${made.metadata.name}`;
}

function apply(client: Client, path: string, values: readonly string[], manager = CONTROLLER_NAME) {
  const name = path.split("/").at(-1);
  const status = values.length === 0 ? {} : { status: { addresses: addresses(...values) } };
  const body = { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", metadata: { name }, ...status };
  return client.patch(`${path}/status`, body, "apply", { fieldManager: manager });
}

/** With these permissions, only the policy protects Services and Gateways from the operator. */
async function allowEverything(admin: Client): Promise<void> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const name = "everything-on-services";
  const resources = ["services", "services/status", "gateways", "gateways/status"];
  const rules = [{ apiGroups: ["", "gateway.networking.k8s.io"], resources, verbs: ["*"] }];
  await admin.create(`${rbac}/clusterroles`, { metadata: { name }, rules });
  await admin.create(`${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: identityOf(NAME) }],
  });
}

function accepted({ status, body }: Answer<KubeObject>): void {
  expect(status, JSON.stringify(body)).to.equal(200);
}

function refused({ status, body }: Answer<unknown>, rule: string): void {
  const text = JSON.stringify(body).replaceAll('\\"', '"');
  expect(status, text).to.equal(403);
  expect(text).to.include(REFUSAL);
  expect(text).to.include(rule);
}
