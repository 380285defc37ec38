import { expect } from "chai";
import { after, before, beforeEach, describe, it } from "mocha";
import { at } from "../../src/kubernetes/json.js";
import type { Answer } from "./api-client.js";
import { causes, namespace, ok, type TargetSource, uniqueName } from "./target.js";

/** Nodes and pods as tests and kubectl write them, strategic merge patches above all. */
export function nodesAndPodsContract(target: TargetSource): void {
  describe("nodes", () => {
    let node = "";
    const names: string[] = [];
    beforeEach(async () => {
      const name = uniqueName("node");
      names.push(name);
      node = `/api/v1/nodes/${name}`;
      const addresses = [{ type: "InternalIP", address: "10.0.0.1" }];
      const spec = { providerID: `test://${name}` };
      ok(await target().admin.post("/api/v1/nodes", { metadata: { name }, spec, status: { addresses } }));
    });
    after(async () => {
      for (const name of names) await target().admin.delete(`/api/v1/nodes/${name}`);
    });
    const strategic = (body: unknown, sub = "") => target().admin.patch(`${node}${sub}`, "strategic", body);
    const conditions = ({ body }: Answer) =>
      (at(body.status, "conditions") as { type: string; status: string }[]).map(
        ({ type, status }) => `${type}=${status}`,
      );
    const addresses = ({ body }: Answer) =>
      ((at(body.status, "addresses") ?? []) as { type: string; address: string }[]).map(
        (one) => `${one.type}=${one.address}`,
      );

    it("are created with the not-ready taint and the status that is given", async () => {
      const { body } = await target().admin.get(node);
      expect(body.spec?.taints).to.deep.include({ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" });
      expect(at(body.status, "addresses")).to.deep.equal([{ type: "InternalIP", address: "10.0.0.1" }]);
    });
    it("have all texts of nodeInfo, and the times of conditions, also if no caller set them", async () => {
      const status = { conditions: [{ type: "Ready", status: "True" }], nodeInfo: { kubeletVersion: "v1.2.3" } };
      ok(await strategic({ status }, "/status"));
      const { body } = await target().admin.getJson(node);
      expect(at(body.status, "nodeInfo")).to.deep.equal({
        ...{ machineID: "", systemUUID: "", bootID: "", kernelVersion: "", osImage: "", containerRuntimeVersion: "" },
        ...{ kubeletVersion: "v1.2.3", kubeProxyVersion: "", operatingSystem: "", architecture: "" },
      });
      expect(at(body.status, "conditions")).to.deep.equal([
        { type: "Ready", status: "True", lastHeartbeatTime: null, lastTransitionTime: null },
      ]);
      expect(at(body.status, "daemonEndpoints")).to.deep.equal({ kubeletEndpoint: { Port: 0 } });
    });
    it("merge conditions by type", async () => {
      ok(await strategic({ status: { conditions: [{ type: "Ready", status: "True", reason: "Kept" }] } }, "/status"));
      ok(await strategic({ status: { conditions: [{ type: "Other", status: "False" }] } }, "/status"));
      const answer = await strategic({ status: { conditions: [{ type: "Ready", status: "False" }] } }, "/status");
      expect(conditions(answer).sort()).to.deep.equal(["Other=False", "Ready=False"]);
      expect(JSON.stringify(answer.body.status)).to.contain('"reason":"Kept"');
    });
    it("put new conditions before those that are there", async () => {
      ok(await strategic({ status: { conditions: [{ type: "A", status: "True" }] } }, "/status"));
      const answer = await strategic({ status: { conditions: [{ type: "B", status: "True" }] } }, "/status");
      expect(conditions(answer)).to.deep.equal(["B=True", "A=True"]);
    });
    it("merge addresses by type", async () => {
      const answer = await strategic(
        { status: { addresses: [{ type: "ExternalIP", address: "1.1.1.1" }] } },
        "/status",
      );
      expect(addresses(answer)).to.deep.equal(["ExternalIP=1.1.1.1", "InternalIP=10.0.0.1"]);
    });
    it("replace addresses by merge patch", async () => {
      const status = { addresses: [{ type: "ExternalIP", address: "1.1.1.1" }] };
      const answer = await target().admin.patch(`${node}/status`, "merge", { status });
      expect(addresses(answer)).to.deep.equal(["ExternalIP=1.1.1.1"]);
    });
    it("follow $patch: delete in a merged list", async () => {
      ok(
        await strategic(
          {
            status: {
              conditions: [
                { type: "A", status: "True" },
                { type: "B", status: "True" },
              ],
            },
          },
          "/status",
        ),
      );
      const answer = await strategic({ status: { conditions: [{ type: "A", $patch: "delete" }] } }, "/status");
      expect(conditions(answer)).to.deep.equal(["B=True"]);
    });
    it("follow $patch: replace in a merged list", async () => {
      const list = [{ $patch: "replace" }, { type: "Hostname", address: "h" }];
      expect(addresses(await strategic({ status: { addresses: list } }, "/status"))).to.deep.equal(["Hostname=h"]);
    });
    it("follow $setElementOrder", async () => {
      ok(await strategic({ status: { conditions: [{ type: "A", status: "True" }] } }, "/status"));
      const order = [{ type: "A" }, { type: "B" }];
      const patch = { "$setElementOrder/conditions": order, conditions: [{ type: "B", status: "True" }] };
      expect(conditions(await strategic({ status: patch }, "/status"))).to.deep.equal(["A=True", "B=True"]);
    });
    it("refuse an item of a merged list without its key with 500", async () => {
      ok(await strategic({ status: { conditions: [{ type: "A", status: "True" }] } }, "/status"));
      expect((await strategic({ status: { conditions: [{ status: "True" }] } }, "/status")).status).to.equal(500);
    });
    it("replace taints, which are one list", async () => {
      ok(await strategic({ spec: { taints: [{ key: "a", effect: "NoSchedule" }] } }));
      const { body } = await strategic({ spec: { taints: [{ key: "b", effect: "NoSchedule" }] } });
      expect(body.spec?.taints).to.deep.equal([{ key: "b", effect: "NoSchedule" }]);
    });
    it("merge finalizers as a set, and delete from it by directive", async () => {
      ok(await strategic({ metadata: { finalizers: ["a.b/c"] } }));
      const added = await strategic({ metadata: { finalizers: ["a.b/d"] } });
      expect(added.body.metadata.finalizers).to.deep.equal(["a.b/d", "a.b/c"]);
      const directive = { "$deleteFromPrimitiveList/finalizers": ["a.b/c", "a.b/d"] };
      expect((await strategic({ metadata: directive })).body.metadata.finalizers).to.equal(undefined);
    });
    it("replace labels by directive", async () => {
      ok(await strategic({ metadata: { labels: { a: "b" } } }));
      const { body } = await strategic({ metadata: { labels: { $patch: "replace", only: "this" } } });
      expect(body.metadata.labels).to.deep.equal({ only: "this" });
    });
    it("drop a taint list that is empty, so that a test against [] fails", async () => {
      const { body } = ok(await target().admin.patch(node, "json", [{ op: "add", path: "/spec/taints", value: [] }]));
      expect(body.spec).to.not.have.property("taints");
      const test = [{ op: "test", path: "/spec/taints", value: [] }];
      expect((await target().admin.patch(node, "json", test)).status).to.equal(422);
    });
    it("change taints by JSON patch only as they were seen", async () => {
      const { body } = await target().admin.get(node);
      const taints = [{ key: "mine", value: "v", effect: "NoSchedule" }];
      const swap = [
        { op: "test", path: "/spec/taints", value: body.spec?.taints },
        { op: "add", path: "/spec/taints", value: taints },
      ];
      expect((await target().admin.patch(node, "json", swap)).body.spec?.taints).to.deep.equal(taints);
      expect((await target().admin.patch(node, "json", swap)).status).to.equal(422);
    });
    it("test for no taints with null, and add the first", async () => {
      ok(await strategic({ spec: { taints: null } }));
      const taints = [{ key: "mine", effect: "NoSchedule" }];
      const swap = [
        { op: "test", path: "/spec/taints", value: null },
        { op: "add", path: "/spec/taints", value: taints },
      ];
      expect((await target().admin.patch(node, "json", swap)).body.spec?.taints).to.deep.equal(taints);
    });
    it("refuse an unknown taint effect with 422", async () => {
      const answer = await strategic({ spec: { taints: [{ key: "a", effect: "Sometimes" }] } });
      expect(causes(answer)[0]).to.match(/Unsupported value: "Sometimes"/);
    });
    it("refuse two taints with one key and effect with 422", async () => {
      const taint = { key: "a", effect: "NoSchedule" };
      expect((await strategic({ spec: { taints: [taint, taint] } })).status).to.equal(422);
    });
    it("refuse another providerID with 422", async () => {
      expect((await strategic({ spec: { providerID: "other://1" } })).status).to.equal(422);
    });
    it("keep their status on a write of the node", async () => {
      const { body } = await strategic({ status: { conditions: [{ type: "Ready", status: "True" }] } });
      expect(at(body.status, "conditions")).to.equal(undefined);
    });
    it("keep their spec on a write of the status, but take labels and annotations", async () => {
      const metadata = { labels: { a: "b" }, annotations: { c: "d" } };
      const { body } = await strategic({ metadata, spec: { unschedulable: true }, status: {} }, "/status");
      expect(body.metadata.labels).to.deep.equal({ a: "b" });
      expect(body.metadata.annotations).to.include({ c: "d" });
      expect(body.spec).to.not.have.property("unschedulable");
    });
    it("are cordoned, and uncordoned to no field at all", async () => {
      expect((await strategic({ spec: { unschedulable: true } })).body.spec?.unschedulable).to.equal(true);
      expect((await strategic({ spec: { unschedulable: false } })).body.spec).to.not.have.property("unschedulable");
    });
    it("have no generation", async () => {
      expect((await target().admin.get(node)).body.metadata.generation).to.equal(undefined);
    });
  });

  describe("pods", () => {
    let pods = "";
    before(async () => {
      pods = `/api/v1/namespaces/${await namespace(target())}/pods`;
    });
    const container = { name: "main", image: "example.invalid/none", ports: [{ containerPort: 80, hostPort: 8080 }] };
    const create = async (spec: object = {}, metadata: object = {}) => {
      const name = uniqueName("pod");
      const pod = { metadata: { name, ...metadata }, spec: { containers: [container], ...spec } };
      const { body } = ok(await target().admin.post(pods, pod));
      return { path: `${pods}/${name}`, body };
    };
    const onNode = { nodeName: "nowhere" };
    const status = (path: string, body: object) =>
      target().admin.patch(`${path}/status`, "strategic", { status: body });

    it("are pending, generation 1, with defaults", async () => {
      const { body } = await create();
      expect([at(body.status, "phase"), body.metadata.generation]).to.deep.equal(["Pending", 1]);
      expect(body.spec).to.include({ restartPolicy: "Always", terminationGracePeriodSeconds: 30 });
      expect(JSON.stringify(body.spec)).to.contain('"protocol":"TCP"');
    });
    it("lose the status that a create gives", async () => {
      const name = uniqueName("pod");
      const pod = { metadata: { name }, spec: { containers: [container] }, status: { phase: "Running" } };
      expect(at((await target().admin.post(pods, pod)).body.status, "phase")).to.equal("Pending");
    });
    it("need containers", async () => {
      const answer = await target().admin.post(pods, { metadata: { name: uniqueName("pod") }, spec: {} });
      expect(causes(answer)).to.deep.equal(["spec.containers: Required value"]);
    });
    it("are selected by spec.nodeName and status.phase", async () => {
      const nodeName = uniqueName("node");
      const { path } = await create({ nodeName });
      const query = (text: string) =>
        target().admin.get("/api/v1/pods", { fieldSelector: `spec.nodeName=${nodeName},${text}` });
      expect((await query("status.phase!=Running")).body.items).to.have.length(1);
      ok(await status(path, { phase: "Running" }));
      expect((await query("status.phase!=Running")).body.items).to.have.length(0);
    });
    it("merge conditions by type and keep spec and generation on a write of the status", async () => {
      const { path } = await create(onNode);
      ok(await status(path, { phase: "Running", conditions: [{ type: "Ready", status: "True" }] }));
      const { body } = await status(path, { conditions: [{ type: "Initialized", status: "True" }] });
      expect(at(body.status, "conditions")).to.have.length(2);
      expect(body.metadata.generation).to.equal(1);
    });
    it("merge containers by name", async () => {
      const { path } = await create();
      const spec = { containers: [{ name: "main", image: "example.invalid/new" }] };
      const { body } = await target().admin.patch(path, "strategic", { spec });
      expect(JSON.stringify(body.spec?.containers)).to.contain("example.invalid/new").and.contain("8080");
      expect(body.metadata.generation).to.equal(2);
    });
    it("refuse a change of their node with 422", async () => {
      const { path } = await create();
      const answer = await target().admin.patch(path, "strategic", { spec: onNode });
      expect(causes(answer)[0]).to.match(/^spec: Forbidden: pod updates may not change fields other than/);
    });
    it("are bound to a node by the binding subresource", async () => {
      const { path, body } = await create();
      const binding = {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name: body.metadata.name },
        target: { kind: "Node", name: "n" },
      };
      expect((await target().admin.post(`${path}/binding`, binding)).status).to.equal(201);
      expect((await target().admin.get(path)).body.spec?.nodeName).to.equal("n");
    });
    it("terminate for their grace period on a node", async () => {
      const { path } = await create(onNode);
      const { body } = await target().admin.delete(path);
      expect(body.metadata).to.include({ deletionGracePeriodSeconds: 30, generation: 2 });
      expect((await target().admin.get(path)).status).to.equal(200);
    });
    it("shorten a grace period but never lengthen it", async () => {
      const { path } = await create(onNode);
      ok(await target().admin.delete(path, { gracePeriodSeconds: 7 }));
      const shorter = await target().admin.delete(path, { gracePeriodSeconds: 3 });
      const longer = await target().admin.delete(path, { gracePeriodSeconds: 9 });
      const seconds = [shorter, longer].map(({ body }) => body.metadata.deletionGracePeriodSeconds);
      expect(seconds).to.deep.equal([3, 3]);
    });
    it("go at once with a grace period of 0", async () => {
      const { path } = await create(onNode);
      const { body } = await target().admin.delete(path, { gracePeriodSeconds: 0 });
      expect([body.kind, body.metadata.deletionGracePeriodSeconds]).to.deep.equal(["Pod", 0]);
      expect((await target().admin.get(path)).status).to.equal(404);
    });
    it("go at once without a node, and when they have ended", async () => {
      const idle = await create();
      const ended = await create(onNode);
      ok(await status(ended.path, { phase: "Succeeded" }));
      for (const { path } of [idle, ended]) {
        ok(await target().admin.delete(path));
        expect((await target().admin.get(path)).status).to.equal(404);
      }
    });
    it("are seen by watches to terminate and then to go", async () => {
      const { path, body } = await create(onNode);
      const watch = await target().admin.watch(pods, { resourceVersion: body.metadata.resourceVersion });
      ok(await target().admin.delete(path, { gracePeriodSeconds: 0 }));
      const events = await watch.take(2);
      watch.close();
      expect(events.map(({ type }) => type)).to.deep.equal(["MODIFIED", "DELETED"]);
    });
    it("terminate by eviction", async () => {
      const { path, body } = await create(onNode);
      const { name, namespace: space } = body.metadata;
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: space } };
      expect((await target().admin.post(`${path}/eviction`, eviction)).status).to.equal(201);
      expect((await target().admin.get(path)).body.metadata.deletionTimestamp).to.match(/Z$/);
    });
  });
}
