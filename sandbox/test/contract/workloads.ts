import { expect } from "chai";
import { before, describe, it } from "mocha";
import { at, listOf } from "../../src/kubernetes/json.js";
import { causes, namespace, ok, type TargetSource, uniqueName } from "./target.js";

/** Deployments and DaemonSets: their defaults, and the subresource by which `kubectl scale` changes the number of replicas. */
export function workloadsContract(target: TargetSource): void {
  describe("workloads", () => {
    let space = "";
    before(async () => {
      space = await namespace(target());
    });

    async function create(plural: "deployments" | "daemonsets") {
      const labels = { app: uniqueName("app") };
      const ports = [{ containerPort: 8080, hostPort: 80 }];
      const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web", ports }] } };
      const spec = { selector: { matchLabels: labels }, template };
      const path = `/apis/apps/v1/namespaces/${space}/${plural}`;
      const { body } = ok(await target().admin.post(path, { metadata: { name: labels.app }, spec }));
      return { body, path: `${path}/${labels.app}`, app: labels.app };
    }

    it("get a strategy, replicas and the defaults of pods", async () => {
      const deployment = (await create("deployments")).body.spec;
      expect(deployment).to.deep.include({ replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
      const rollingUpdate = { maxUnavailable: "25%", maxSurge: "25%" };
      expect(deployment?.strategy).to.deep.equal({ type: "RollingUpdate", rollingUpdate });
      const [container] = listOf(at(deployment, "template", "spec", "containers"));
      expect(at(container, "ports")).to.deep.equal([{ containerPort: 8080, hostPort: 80, protocol: "TCP" }]);
      const { updateStrategy } = (await create("daemonsets")).body.spec ?? {};
      expect(updateStrategy).to.deep.equal({
        ...{ type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      });
    });
    it("have a Scale, which shows the replicas and the selector", async () => {
      const { path, app } = await create("deployments");
      const { body } = ok(await target().admin.get(`${path}/scale`));
      expect(body).to.deep.include({ kind: "Scale", apiVersion: "autoscaling/v1", spec: { replicas: 1 } });
      expect(body.metadata.name).to.equal(app);
      expect(at(body.status, "selector")).to.equal(`app=${app}`);
    });
    it("are scaled by a patch and by a replacement of the Scale, which counts as a new generation", async () => {
      const { path, body: before } = await create("deployments");
      const patched = ok(await target().admin.patch(`${path}/scale`, "merge", { spec: { replicas: 3 } }));
      expect(patched.body.spec).to.deep.equal({ replicas: 3 });
      const scale = ok(await target().admin.get(`${path}/scale`)).body;
      // Without the version: a controller may write to the Deployment meanwhile.
      const { resourceVersion: _version, ...scaleMetadata } = scale.metadata;
      ok(await target().admin.put(`${path}/scale`, { ...scale, metadata: scaleMetadata, spec: { replicas: 0 } }));
      const { spec, metadata } = (await target().admin.get(path)).body;
      expect([spec?.replicas, at(spec, "template", "spec", "containers")]).to.deep.equal([
        0,
        at(before.spec, "template", "spec", "containers"),
      ]);
      expect(metadata.generation).to.equal(3);
    });
    it("refuse an older Scale with 409 and a number below 0 with 422", async () => {
      const { path } = await create("deployments");
      const scale = ok(await target().admin.get(`${path}/scale`)).body;
      ok(await target().admin.patch(`${path}/scale`, "merge", { spec: { replicas: 3 } }));
      expect((await target().admin.put(`${path}/scale`, { ...scale, spec: { replicas: 2 } })).status).to.equal(409);
      const answer = await target().admin.patch(`${path}/scale`, "merge", { spec: { replicas: -1 } });
      expect([answer.status, causes(answer)]).to.deep.equal([
        422,
        ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
      ]);
    });
    it("of DaemonSets have none", async () => {
      const { path } = await create("daemonsets");
      expect((await target().admin.get(`${path}/scale`)).status).to.equal(404);
    });
  });
}
