import { expect } from "chai";
import { before, describe, it } from "mocha";
import { at } from "../../src/kubernetes/json.js";
import type { Body } from "./api-client.js";
import { becomes, causes, namespace, ok, type TargetSource, uniqueName } from "./target.js";

/** Leases, events, jobs, services and endpoint slices: what the operator writes and reads of them. */
export function otherKindsContract(target: TargetSource): void {
  let space = "";
  before(async () => {
    space = await namespace(target());
  });

  describe("leases", () => {
    const leases = () => `/apis/coordination.k8s.io/v1/namespaces/${space}/leases`;
    const spec = { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: "2020-01-01T00:00:00.123456Z" };
    const create = async () =>
      ok(await target().admin.post(leases(), { metadata: { name: uniqueName("lease") }, spec })).body;
    const put = (lease: Body, metadata: object) =>
      target().admin.put(`${leases()}/${lease.metadata.name}`, { ...lease, metadata });

    it("keep times with 6 digits", async () => {
      expect((await create()).spec).to.deep.equal(spec);
    });
    it("refuse times with fewer digits with 400", async () => {
      const short = { ...spec, renewTime: "2020-01-01T00:00:00Z" };
      expect(
        (await target().admin.post(leases(), { metadata: { name: uniqueName("lease") }, spec: short })).status,
      ).to.equal(400);
    });
    it("are replaced by the resourceVersion that was read", async () => {
      const lease = await create();
      const { status } = await put({ ...lease, spec: { ...spec, holderIdentity: "you" } }, lease.metadata);
      expect(status).to.equal(200);
    });
    it("refuse a replacement by an older resourceVersion with 409", async () => {
      const lease = await create();
      ok(await put({ ...lease, spec: { ...spec, holderIdentity: "you" } }, lease.metadata));
      expect((await put(lease, lease.metadata)).status).to.equal(409);
    });
    it("refuse a replacement without a resourceVersion with 422", async () => {
      const lease = await create();
      expect((await put(lease, { name: lease.metadata.name })).status).to.equal(422);
    });
    it("are created by a replacement of one that is not there", async () => {
      const name = uniqueName("lease");
      expect((await target().admin.put(`${leases()}/${name}`, { metadata: { name }, spec: {} })).status).to.equal(201);
    });
    it("refuse a duration of 0 with 422", async () => {
      const body = { metadata: { name: uniqueName("lease") }, spec: { ...spec, leaseDurationSeconds: 0 } };
      expect((await target().admin.post(leases(), body)).status).to.equal(422);
    });
  });

  describe("events", () => {
    const modern = () => `/apis/events.k8s.io/v1/namespaces/${space}/events`;
    const core = () => `/api/v1/namespaces/${space}/events`;
    const event = (change: object = {}) => ({
      metadata: { name: uniqueName("event") },
      eventTime: "2020-01-01T00:00:00.123456Z",
      reportingController: "flipop",
      reportingInstance: "flipop-1",
      action: "Assign",
      reason: "Assigned",
      type: "Normal",
      regarding: { kind: "FloatingIPPool", namespace: space, name: "pool", uid: "pool-uid" },
      note: "assigned 1.2.3.4",
      ...change,
    });
    const create = (change: object = {}) => target().admin.post(modern(), event(change));

    it("of events.k8s.io are seen in the core group under the core names", async () => {
      const { body } = ok(await create());
      const seen = await target().admin.get(`${core()}/${body.metadata.name}`);
      expect(seen.body).to.deep.include({ kind: "Event", apiVersion: "v1", message: "assigned 1.2.3.4" });
      expect(seen.body.involvedObject).to.include({ kind: "FloatingIPPool", name: "pool" });
      expect(seen.body.reportingComponent).to.equal("flipop");
    });
    it("have every field of time in both groups, null where it has no value", async () => {
      const { body } = ok(await create());
      const { body: seen } = await target().admin.getJson(`${modern()}/${body.metadata.name}`);
      expect(seen).to.deep.include({
        deprecatedSource: {},
        deprecatedFirstTimestamp: null,
        deprecatedLastTimestamp: null,
      });
      const { body: same } = await target().admin.getJson(`${core()}/${body.metadata.name}`);
      expect(same).to.deep.include({ source: {}, firstTimestamp: null, lastTimestamp: null });
    });
    it("of the core group may have neither a time nor a reporter", async () => {
      const involvedObject = { kind: "Pod", namespace: space, name: "p" };
      const name = uniqueName("event");
      ok(await target().admin.post(core(), { metadata: { name }, involvedObject, reason: "R", message: "m" }));
      const { body } = await target().admin.getJson(`${core()}/${name}`);
      expect(body).to.deep.include({ eventTime: null, reportingComponent: "", reportingInstance: "" });
      const { body: seen } = await target().admin.getJson(`${modern()}/${name}`);
      expect(seen).to.deep.include({ eventTime: null, deprecatedFirstTimestamp: null });
    });
    it("of the core group are seen in events.k8s.io under the new names", async () => {
      const involvedObject = { kind: "Pod", namespace: space, name: "p" };
      const body = {
        metadata: { name: uniqueName("event") },
        involvedObject,
        reason: "R",
        message: "m",
        type: "Warning",
        count: 3,
      };
      ok(await target().admin.post(core(), body));
      const seen = await target().admin.get(`${modern()}/${body.metadata.name}`);
      expect(seen.body).to.deep.include({ apiVersion: "events.k8s.io/v1", note: "m", deprecatedCount: 3 });
      expect(seen.body.regarding).to.deep.equal(involvedObject);
    });
    it("count a series by merge patch", async () => {
      const { body } = ok(await create());
      const series = { count: 2, lastObservedTime: "2020-01-01T00:00:01.123456Z" };
      const answer = await target().admin.patch(`${modern()}/${body.metadata.name}`, "merge", { series });
      expect([answer.status, answer.body.series]).to.deep.equal([200, series]);
    });
    it("refuse a series that counts less than 2 with 422", async () => {
      const { body } = ok(await create());
      const series = { count: 1, lastObservedTime: "2020-01-01T00:00:01.123456Z" };
      expect((await target().admin.patch(`${modern()}/${body.metadata.name}`, "merge", { series })).status).to.equal(
        422,
      );
    });
    it("refuse another note with 422", async () => {
      const { body } = ok(await create());
      expect((await target().admin.patch(`${modern()}/${body.metadata.name}`, "merge", { note: "x" })).status).to.equal(
        422,
      );
    });
    for (const field of ["eventTime", "reportingController", "reportingInstance", "action", "reason", "type"]) {
      it(`need ${field}`, async () => {
        expect((await create({ [field]: undefined })).status).to.equal(422);
      });
    }
    it("refuse a time with fewer than 6 digits with 400", async () => {
      expect((await create({ eventTime: "2020-01-01T00:00:00Z" })).status).to.equal(400);
    });
    it("refuse a note of more than 1024 characters with 422", async () => {
      expect((await create({ note: "x".repeat(1024) })).status).to.equal(201);
      expect((await create({ note: "x".repeat(1025) })).status).to.equal(422);
    });
    it("about cluster-scoped objects live in the namespace default alone", async () => {
      const regarding = { kind: "Node", name: "n" };
      expect((await create({ regarding })).status).to.equal(422);
      const inDefault = await target().admin.post(
        "/apis/events.k8s.io/v1/namespaces/default/events",
        event({ regarding }),
      );
      expect(inDefault.status).to.equal(201);
    });
    it("are selected by what they are about, under the names of the group", async () => {
      const name = uniqueName("subject");
      ok(await create({ regarding: { kind: "Pod", namespace: space, name, uid: "u" } }));
      const old = await target().admin.get(core(), {
        fieldSelector: `involvedObject.name=${name},involvedObject.uid=u`,
      });
      const now = await target().admin.get(modern(), { fieldSelector: `regarding.name=${name}` });
      expect([old.body.items?.length, now.body.items?.length]).to.deep.equal([1, 1]);
      expect((await target().admin.get(modern(), { fieldSelector: "involvedObject.name=x" })).status).to.equal(400);
    });
  });

  describe("jobs", () => {
    const jobs = () => `/apis/batch/v1/namespaces/${space}/jobs`;
    const podSpec = { restartPolicy: "Never", containers: [{ name: "main", image: "example.invalid/none" }] };
    const job = (spec: object = podSpec) => ({ metadata: { name: uniqueName("job") }, spec: { template: { spec } } });

    it("get a selector, labels and a generation", async () => {
      const { body } = ok(await target().admin.post(jobs(), job()));
      const { uid, name } = body.metadata;
      expect(body.spec?.selector).to.deep.equal({ matchLabels: { "batch.kubernetes.io/controller-uid": uid } });
      expect(at(body.spec, "template", "metadata", "labels")).to.include({ "batch.kubernetes.io/job-name": name });
      expect([body.metadata.generation, body.spec?.backoffLimit]).to.deep.equal([1, 6]);
    });
    it("are checked by a dry run", async () => {
      const { status, body } = await target().admin.post(jobs(), job(), { dryRun: "All" });
      expect(status).to.equal(201);
      expect((await target().admin.get(`${jobs()}/${body.metadata.name}`)).status).to.equal(404);
    });
    it("need containers and a restart policy that ends", async () => {
      const answer = await target().admin.post(jobs(), job({}), { dryRun: "All" });
      const fields = (answer.body.details?.causes ?? []).map(({ field }) => field);
      expect(fields).to.deep.equal(["spec.template.spec.containers", "spec.template.spec.restartPolicy"]);
    });
    it("refuse Complete without a completion time with 422", async () => {
      const { body } = ok(await target().admin.post(jobs(), job()));
      const status = { conditions: [{ type: "Complete", status: "True" }] };
      const path = `${jobs()}/${body.metadata.name}/status`;
      expect((await target().admin.patch(path, "merge", { status })).status).to.equal(422);
    });
    it("orphan their pods unless the delete says otherwise, and warn of it", async () => {
      const { body } = ok(await target().admin.post(jobs(), job()));
      const path = `${jobs()}/${body.metadata.name}`;
      const { warnings } = await target().admin.delete(path);
      expect(warnings[0]).to.match(/^child pods are preserved by default when jobs are deleted/);
      await becomes(target(), path, 404);
    });
    it("go with their pods in the background", async () => {
      const { body } = ok(await target().admin.post(jobs(), job()));
      const path = `${jobs()}/${body.metadata.name}`;
      const { warnings } = await target().admin.delete(path, { propagationPolicy: "Background" });
      expect(warnings).to.deep.equal([]);
      await becomes(target(), path, 404);
    });
  });

  describe("services", () => {
    const services = () => `/api/v1/namespaces/${space}/services`;
    const create = (spec: object) =>
      target().admin.post(services(), { metadata: { name: uniqueName("service") }, spec });

    it("get a type, an address, and protocol and target of their ports", async () => {
      const { body } = ok(await create({ ports: [{ port: 80 }] }));
      expect(body.spec).to.deep.include({ type: "ClusterIP", ports: [{ protocol: "TCP", port: 80, targetPort: 80 }] });
      expect(body.spec?.clusterIP).to.match(/^10\.96\./);
    });
    it("keep their address", async () => {
      const { body } = ok(await create({ ports: [{ port: 80 }] }));
      const path = `${services()}/${body.metadata.name}`;
      const changed = await target().admin.patch(path, "merge", {
        spec: { ports: [{ name: "y", port: 81, protocol: "UDP" }] },
      });
      expect(changed.body.spec?.clusterIP).to.equal(body.spec?.clusterIP);
      expect(changed.body.spec?.ports).to.deep.equal([{ name: "y", protocol: "UDP", port: 81, targetPort: 81 }]);
    });
    it("without an address stay without", async () => {
      const { body } = ok(await create({ clusterIP: "None", ports: [{ port: 80 }] }));
      expect([body.spec?.clusterIP, body.spec?.clusterIPs]).to.deep.equal(["None", ["None"]]);
    });
    it("get a node port where their type has one", async () => {
      const { body } = ok(await create({ type: "NodePort", ports: [{ port: 80 }] }));
      expect(JSON.stringify(body.spec?.ports)).to.match(/"nodePort":3\d{4}/);
    });
    it("of type LoadBalancer get a node port, unless they ask for none", async () => {
      const portsOf = async (spec: object) => {
        const { body } = ok(await create({ type: "LoadBalancer", ports: [{ port: 80 }], ...spec }));
        return JSON.stringify(body.spec?.ports);
      };
      expect(await portsOf({})).to.match(/"nodePort":3\d{4}/);
      expect(await portsOf({ allocateLoadBalancerNodePorts: false })).not.to.include("nodePort");
    });
    it("need names for two ports", async () => {
      const answer = await create({ ports: [{ name: "a", port: 80 }, { port: 81 }] });
      expect(causes(answer)).to.deep.equal(["spec.ports[1].name: Required value"]);
    });
  });

  describe("endpoint slices", () => {
    it("get name and protocol of their ports, and a generation", async () => {
      const slice = {
        metadata: { name: uniqueName("slice"), labels: { "kubernetes.io/service-name": "s" } },
        addressType: "IPv4",
        endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: false }, nodeName: "n" }],
        ports: [{ port: 80 }],
      };
      const { body } = await target().admin.post(`/apis/discovery.k8s.io/v1/namespaces/${space}/endpointslices`, slice);
      expect(body.ports).to.deep.equal([{ name: "", protocol: "TCP", port: 80 }]);
      expect(body.endpoints).to.deep.equal(slice.endpoints);
      expect(body.metadata.generation).to.equal(1);
    });
  });
}
