import { expect } from "chai";
import { before, describe, it } from "mocha";
import {
  type Client,
  controlPlaneOrSkip,
  createEndpointSlice,
  createService,
  eventually,
  FakeNode,
  FakePod,
  type KubeObject,
} from "../../src/index.js";

interface NodeObject extends KubeObject {
  readonly spec: {
    readonly taints?: readonly { readonly key: string }[];
    readonly unschedulable?: boolean;
    readonly providerID?: string;
  };
  readonly status: {
    readonly addresses: readonly unknown[];
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
}

interface Slice extends KubeObject {
  readonly endpoints:
    | readonly { readonly addresses: readonly string[]; readonly conditions: { readonly ready: boolean } }[]
    | null;
}

describe("fakes", () => {
  let client: Client;
  let namespace: string;

  before(async function () {
    client = (await controlPlaneOrSkip(this)).client();
    namespace = await client.tempNamespace("fakes");
  });

  it("make nodes that are ready and without taints", async () => {
    const addresses = [{ type: "ExternalIP", address: "192.0.2.7" }] as const;
    const labels = { pool: "a" };
    const node = await FakeNode.create(client, { providerID: "digitalocean://7", labels, addresses });
    const seen = await read(node);
    expect(seen.spec.taints).to.equal(undefined);
    expect(seen.spec.providerID).to.equal("digitalocean://7");
    expect(seen.metadata.labels).to.include({ pool: "a", "kubernetes.io/hostname": node.name });
    expect(seen.status.addresses).to.deep.equal(addresses);
    expect(readiness(seen)).to.equal("True");
    await node.delete();
    expect((await client.get(node.path)).status).to.equal(404);
  });

  it("change nodes", async () => {
    const taints = [{ key: "dedicated", value: "x", effect: "NoSchedule" }] as const;
    const node = await FakeNode.create(client, { ready: false, taints });
    expect(readiness(await read(node))).to.equal("False");
    await node.setReady(true);
    expect(readiness(await read(node))).to.equal("True");
    await node.setReady("Unknown");
    expect(readiness(await read(node))).to.equal("Unknown");
    expect((await read(node)).spec.taints).to.deep.equal(taints);
    await node.setTaints([]);
    await node.cordon();
    await node.setAddresses([{ type: "InternalIP", address: "10.0.0.9" }]);
    const cordoned = await read(node);
    expect(cordoned.spec.unschedulable).to.equal(true);
    expect(cordoned.status.addresses).to.have.length(1);
    await node.uncordon();
    expect((await read(node)).spec.unschedulable).to.equal(undefined);
    await node.delete();
  });

  it("make and change pods", async () => {
    const pod = await FakePod.create(client, { namespace, nodeName: "some-node", labels: { app: "x" } });
    const podReady = async () => readiness((await pod.get()) as NodeObject);
    expect((await pod.get()).status).to.include({ phase: "Running", podIP: pod.ip });
    expect(await podReady()).to.equal("True");
    await pod.setReady(false);
    expect(await podReady()).to.equal("False");
    await pod.setPhase("Succeeded");
    expect((await pod.get()).status).to.include({ phase: "Succeeded" });
    await pod.delete();
    expect((await client.get(pod.path)).status).to.equal(404);
  });

  it("make pods that stay terminating", async () => {
    const pod = await FakePod.create(client, { namespace, nodeName: "some-node" });
    await pod.delete(30);
    expect((await pod.get()).metadata.deletionTimestamp).to.be.a("string");
    await pod.delete();
  });

  it("make services and endpoint slices", async () => {
    await createService(client, { namespace, name: "web" });
    const endpoints = [
      { ip: "10.1.1.1", nodeName: "some-node" },
      { ip: "10.1.1.2", ready: false },
    ];
    await createEndpointSlice(client, { namespace, name: "web-1", service: "web", endpoints });
    const [slice] = await slices("web");
    expect(slice?.endpoints?.map(({ conditions }) => conditions.ready)).to.deep.equal([true, false]);
  });

  describe("with a controller manager", () => {
    it("get endpoint slices of the ready pods", async function () {
      const plane = await controlPlaneOrSkip(this, { controllerManager: true });
      client = plane.client();
      namespace = await client.tempNamespace("slices");
      const node = await FakeNode.create(client);
      await createService(client, { namespace, name: "web", selector: { app: "web" } });
      const pods = [await webPod(node.name), await webPod(node.name)];
      await untilReady(pods.map(({ ip }) => ip));
      await pods[0]?.setReady(false);
      await untilReady(pods.slice(1).map(({ ip }) => ip));
      await node.delete();
    });

    it("delete namespaces", async function () {
      const plane = await controlPlaneOrSkip(this, { controllerManager: true });
      const name = await plane.client().tempNamespace();
      await plane.client().must.delete(`/api/v1/namespaces/${name}`);
      const gone = async () => (await plane.client().get(`/api/v1/namespaces/${name}`)).status === 404;
      await eventually(gone, { what: "the namespace to go" });
    });
  });

  function webPod(nodeName: string): Promise<FakePod> {
    return FakePod.create(client, { namespace, nodeName, labels: { app: "web" } });
  }

  async function untilReady(expected: readonly string[]): Promise<void> {
    const matches = async () => {
      const endpoints = (await slices("web")).flatMap((slice) => slice.endpoints ?? []);
      const ready = endpoints.filter(({ conditions }) => conditions.ready).flatMap(({ addresses }) => addresses);
      return ready.sort().join() === [...expected].sort().join();
    };
    await eventually(matches, { what: `exactly ${expected.join()} to be ready endpoints` });
  }

  function slices(service: string): Promise<Slice[]> {
    const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
    return client.must.list<Slice>(path, { labelSelector: `kubernetes.io/service-name=${service}` });
  }

  function read(node: FakeNode): Promise<NodeObject> {
    return client.must.get<NodeObject>(node.path);
  }
});

function readiness({ status }: NodeObject): string | undefined {
  return status.conditions.find(({ type }) => type === "Ready")?.status;
}
