import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import { messageSchemas } from "../../src/kubernetes/output/built-in-schemas.js";
import { THING_SCHEMA, Things } from "./custom/thing-definition.js";
import { namespace, ok, type TargetSource, uniqueName } from "./target.js";

/** The fields that the emulator's table has for a schema: on the real server the same ones must come. */
function fieldNames(schema: string): readonly string[] {
  const [, group, name] = /(\w+)\.v1\.(\w+)$/.exec(schema) ?? [];
  const found = messageSchemas([`${group}.${name}`])[schema] as { readonly properties: object };
  return Object.keys(found.properties).sort();
}

/** What kubectl asks for: discovery, OpenAPI, Tables. */
export function presentingContract(target: TargetSource): void {
  describe("presenting", () => {
    let things: Things;
    let space = "";
    before(async () => {
      space = await namespace(target());
      things = await Things.define(target(), space, THING_SCHEMA);
    });
    after(() => things.drop());

    it("lists the versions of the core group", async () => {
      expect((await target().admin.get("/api")).body).to.deep.include({ kind: "APIVersions", versions: ["v1"] });
    });
    it("lists the groups, those of custom resources too", async () => {
      const { body } = await target().admin.get("/apis");
      const names = (body.groups as { name: string }[]).map(({ name }) => name);
      expect(names).to.include.members(["apps", "batch", "coordination.k8s.io", "events.k8s.io", things.group]);
    });
    it("describes a group", async () => {
      const { body } = await target().admin.get(`/apis/${things.group}`);
      expect(body.preferredVersion).to.deep.equal({ groupVersion: `${things.group}/v1`, version: "v1" });
    });
    it("describes the resources of a version", async () => {
      const { body } = await target().admin.get(`/apis/${things.group}/v1`);
      const resources = body.resources as { name: string; kind: string; shortNames?: string[]; verbs: string[] }[];
      expect(resources.map(({ name }) => name)).to.deep.equal(["things", "things/status"]);
      expect(resources[0]).to.deep.include({
        kind: "Thing",
        namespaced: true,
        singularName: "thing",
        shortNames: ["th"],
      });
      expect(resources[0]?.verbs).to.have.members(
        "create delete deletecollection get list patch update watch".split(" "),
      );
    });
    it("describes nodes and pods as the real server does", async () => {
      const { body } = await target().admin.get("/api/v1");
      const resources = body.resources as { name: string; kind: string; namespaced: boolean; group?: string }[];
      const find = (name: string) => resources.find((one) => one.name === name);
      expect(find("nodes")).to.deep.include({ kind: "Node", namespaced: false, shortNames: ["no"] });
      expect(find("nodes/status")).to.deep.include({ kind: "Node" });
      expect(find("pods/eviction")).to.deep.include({ kind: "Eviction", group: "policy", verbs: ["create"] });
    });
    it("answers discovery in one piece to those who ask for it", async () => {
      const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
      const answer = await target().admin.send({ method: "GET", path: "/apis", accept });
      expect(answer.contentType).to.contain("as=APIGroupDiscoveryList");
      const group = answer.body.items?.find((item) => item.metadata.name === things.group);
      const versions = group?.versions as { resources: { resource: string; scope: string }[] }[] | undefined;
      expect(versions?.[0]?.resources[0]).to.deep.include({ resource: "things", scope: "Namespaced" });
    });
    it("publishes the schema of a custom resource in OpenAPI v3, rules left out", async () => {
      const path = `apis/${things.group}/v1`;
      const index = await waitForDocument(path);
      const { body } = await target().admin.send({ method: "GET", path: index });
      const schemas = Object.values((body.components as { schemas: Record<string, Schema> }).schemas);
      const thing = schemas.find((one) => one["x-kubernetes-group-version-kind"]?.[0]?.kind === "Thing");
      expect(thing?.properties?.spec?.properties?.count).to.deep.include({ type: "integer", minimum: 1, default: 3 });
      const paths = body.paths as Record<string, object>;
      expect(Object.keys(paths)).to.include(`/${path}/namespaces/{namespace}/things/{name}`);
    });

    describe("Tables", () => {
      it("have the columns of the definition", async () => {
        const { body } = await target().admin.getTable(things.path);
        expect(body.kind).to.equal("Table");
        expect(body.columnDefinitions?.map(({ name, type, priority }) => [name, type, priority])).to.deep.equal([
          ["Name", "string", 0],
          ["Count", "integer", 0],
          ["Tags", "string", 1],
          ["Port", "integer", 0],
          ["Age", "date", 0],
        ]);
      });
      it("have the cells by JSONPath: the first of several values, null for none", async () => {
        const name = uniqueName("thing");
        ok(
          await things.create(
            {
              tags: ["a", "b"],
              ports: [
                { name: "x", port: 1 },
                { name: "http", port: 80 },
              ],
            },
            name,
          ),
        );
        const { body } = await target().admin.getTable(`${things.path}/${name}`);
        expect(body.rows?.[0]?.cells.slice(0, 4)).to.deep.equal([name, 3, "a", 80]);
        expect(body.rows?.[0]?.cells[4]).to.match(/^\ds$/);
        const bare = ok(await things.create({})).body.metadata.name;
        const row = (await target().admin.getTable(`${things.path}/${bare}`)).body.rows?.[0];
        expect(row?.cells.slice(1, 4)).to.deep.equal([3, null, null]);
      });
      it("carry the metadata of the objects, or nothing, or all", async () => {
        const { metadata } = ok(await things.create({})).body;
        const kinds = [];
        for (const includeObject of ["Metadata", "None", "Object"]) {
          const { body } = await target().admin.getTable(`${things.path}/${metadata.name}`, { includeObject });
          const object = body.rows?.[0]?.object as { kind: string } | null;
          kinds.push(object?.kind);
        }
        expect(kinds).to.deep.equal(["PartialObjectMetadata", undefined, "Thing"]);
      });
      it("come in watches too, the columns with the first", async () => {
        const watch = await target().admin.watchTable(things.path, { resourceVersion: 0 });
        const events = await watch.take(2);
        watch.close();
        expect(events.map(({ object }) => object.kind)).to.deep.equal(["Table", "Table"]);
        expect(events[0]?.object.columnDefinitions?.length).to.equal(5);
        expect(events[1]?.object.columnDefinitions).to.equal(null);
      });
      it("show a refusal as a Status", async () => {
        const { status, body } = await target().admin.getTable(`${things.path}/missing`);
        expect([status, body.kind]).to.deep.equal([404, "Status"]);
      });
      it("show nodes", async () => {
        const name = uniqueName("node");
        const labels = { "node-role.kubernetes.io/worker": "" };
        ok(await target().admin.post("/api/v1/nodes", { metadata: { name, labels }, spec: { unschedulable: true } }));
        const conditions = [{ type: "Ready", status: "True" }];
        const addresses = [{ type: "InternalIP", address: "10.0.0.1" }];
        ok(
          await target().admin.patch(`/api/v1/nodes/${name}/status`, "strategic", {
            status: { conditions, addresses },
          }),
        );
        const { body } = await target().admin.getTable(`/api/v1/nodes/${name}`);
        ok(await target().admin.delete(`/api/v1/nodes/${name}`));
        const cells = body.rows?.[0]?.cells ?? [];
        expect(cells.slice(0, 3)).to.deep.equal([name, "Ready,SchedulingDisabled", "worker"]);
        expect(cells.slice(5, 7)).to.deep.equal(["10.0.0.1", "<none>"]);
      });
      it("show pods", async () => {
        const name = uniqueName("pod");
        const spec = { nodeName: "somewhere", containers: [{ name: "a", image: "example.invalid/none" }] };
        ok(await target().admin.post(`/api/v1/namespaces/${space}/pods`, { metadata: { name }, spec }));
        const { body } = await target().admin.getTable(`/api/v1/namespaces/${space}/pods/${name}`);
        const cells = body.rows?.[0]?.cells ?? [];
        expect([...cells.slice(0, 4), cells[6]]).to.deep.equal([name, "0/1", "Pending", "0", "somewhere"]);
      });
      const nodeColumns = ["Name", "Status", "Roles", "Age", "Version", "Internal-IP", "External-IP"];
      const workload = ["Containers", "Images", "Selector"];
      const eventColumns = "Last Seen,Type,Reason,Object,Subobject,Source,Message,First Seen,Count,Name".split(",");
      const columns: readonly (readonly [string, readonly string[]])[] = [
        ["/api/v1/namespaces", ["Name", "Status", "Age"]],
        ["/api/v1/nodes", [...nodeColumns, "OS-Image", "Kernel-Version", "Container-Runtime"]],
        [
          "/api/v1/pods",
          ["Name", "Ready", "Status", "Restarts", "Age", "IP", "Node", "Nominated Node", "Readiness Gates"],
        ],
        ["/api/v1/events", eventColumns],
        ["/apis/events.k8s.io/v1/events", eventColumns],
        ["/apis/apps/v1/deployments", ["Name", "Ready", "Up-to-date", "Available", "Age", ...workload]],
        ["/apis/batch/v1/jobs", ["Name", "Status", "Completions", "Duration", "Age", ...workload]],
        ["/api/v1/services", ["Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age", "Selector"]],
        ["/api/v1/secrets", ["Name", "Type", "Data", "Age"]],
        ["/api/v1/configmaps", ["Name", "Data", "Age"]],
        ["/api/v1/serviceaccounts", ["Name", "Age"]],
        ["/apis/coordination.k8s.io/v1/leases", ["Name", "Holder", "Age"]],
        ["/apis/discovery.k8s.io/v1/endpointslices", ["Name", "AddressType", "Ports", "Endpoints", "Age"]],
        ["/apis/apiextensions.k8s.io/v1/customresourcedefinitions", ["Name", "Created At"]],
      ];
      for (const [path, expected] of columns) {
        it(`have the usual columns for ${path}`, async () => {
          const { body } = await target().admin.getTable(path);
          expect(body.columnDefinitions?.map(({ name }) => name)).to.deep.equal(expected);
        });
      }
    });

    const builtIn: readonly (readonly [document: string, schema: string])[] = [
      ["api/v1", "io.k8s.api.core.v1.NodeSystemInfo"],
      ["api/v1", "io.k8s.api.core.v1.PodSpec"],
      ["api/v1", "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"],
      ["apis/apps/v1", "io.k8s.api.apps.v1.Deployment"],
      ["apis/apps/v1", "io.k8s.api.core.v1.Probe"],
      ["apis/batch/v1", "io.k8s.api.batch.v1.JobSpec"],
      ["apis/coordination.k8s.io/v1", "io.k8s.api.coordination.v1.LeaseSpec"],
      ["apis/policy/v1", "io.k8s.api.policy.v1.PodDisruptionBudgetSpec"],
      ["apis/rbac.authorization.k8s.io/v1", "io.k8s.api.rbac.v1.RoleBinding"],
    ];
    for (const [path, schema] of builtIn) {
      it(`lists the fields of ${schema} in ${path}`, async () => {
        const { body } = await target().admin.get(`/openapi/v3/${path}`);
        const { schemas } = body.components as { schemas: Record<string, Schema> };
        const names = Object.keys(schemas[schema]?.properties ?? {}).filter(
          (name) => !["apiVersion", "kind"].includes(name),
        );
        expect(names.sort()).to.deep.equal(fieldNames(schema));
      });
    }
    it("prints its version with a slash at the end, too", async () => {
      const { status, body } = await target().admin.get("/version/");
      expect([status, body.major]).to.deep.equal([200, "1"]);
    });

    interface Schema {
      readonly properties?: Readonly<Record<string, Schema>>;
      readonly "x-kubernetes-group-version-kind"?: readonly { readonly kind: string }[];
    }

    // The real server publishes a new definition a moment after it serves it.
    async function waitForDocument(path: string): Promise<string> {
      for (;;) {
        const { body } = await target().admin.get("/openapi/v3");
        const found = (body.paths as Record<string, { serverRelativeURL: string }>)[path];
        if (found) return found.serverRelativeURL;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  });
}
