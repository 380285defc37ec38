import { Yaml } from "cdk8s";
import { expect } from "chai";
import type { Client, ControlPlane } from "flipop-testbed";
import { before, describe, it } from "mocha";
import { KINDS, type KindName } from "../../src/api";
import { askedPart } from "../support/asked-part";
import { clusterWithCrds, collection } from "../support/cluster";
import { fullResources } from "../support/full-resources";
import { containerJobSpec, LOOSENED, restrictedPodSpec } from "../support/job-pods";

const RESTRICTED = { "pod-security.kubernetes.io/enforce": "restricted" };

describe("resources from the constructs", () => {
  let plane: ControlPlane;
  let client: Client;

  before(async function () {
    plane = await clusterWithCrds(this);
    client = plane.client();
  });

  for (const kind of Object.keys(KINDS) as KindName[]) {
    it(`${kind} with every prop passes strict validation, and keeps every field`, async () => {
      const objects = fullResources().filter((object) => object.kind === kind);
      expect(objects.length).to.be.greaterThan(0);
      for (const object of objects) {
        const query = { fieldValidation: "Strict", dryRun: "All" };
        const { status, warnings, body } = await client.create(collection(kind), object, query);
        expect(status, JSON.stringify(body)).to.equal(201);
        expect(warnings).to.deep.equal([]);
        expect(askedPart(body["spec"], object.spec)).to.deep.equal(object.spec);
      }
    });
  }

  it("with other construct ids update the same objects, and change nothing", async () => {
    const namespace = await client.tempNamespace();
    const [first, second] = [await apply(namespace, "a"), await apply(namespace, "b")];
    expect(first.map(outcome)).to.deep.equal(first.map(() => "created"));
    expect(second.map(outcome)).to.deep.equal(first.map(() => "unchanged"));
    await plane.kubectl(["delete", "clusterroutedipclasses", "built-in", "jobs"]);
  });

  async function apply(namespace: string, prefix: string): Promise<readonly string[]> {
    const input = Yaml.stringify(...fullResources(namespace, prefix));
    const { code, stdout, stderr } = await plane.kubectl(["apply", "-f", "-"], { input });
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
    return stdout.trim().split("\n");
  }
});

describe("the pod of RoutedIPJob.container, in a namespace with Pod Security restricted", () => {
  let client: Client;
  let namespace: string;

  before(async function () {
    client = (await clusterWithCrds(this)).client();
    namespace = await client.tempNamespace("jobs", RESTRICTED);
    // No controller manager runs here to create it.
    const account = { metadata: { name: "default" } };
    await client.must.create(`/api/v1/namespaces/${namespace}/serviceaccounts`, account);
  });

  async function create(path: string, body: object) {
    const query = { fieldValidation: "Strict", dryRun: "All" };
    return client.create(path.replace("NAMESPACE", namespace), { metadata: { name: "job" }, ...body }, query);
  }

  it("is accepted as a Pod, without a warning", async () => {
    const { status, body, warnings } = await create("/api/v1/namespaces/NAMESPACE/pods", { spec: restrictedPodSpec() });
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(warnings).to.deep.equal([]);
  });

  it("is accepted as part of its Job, without a warning", async () => {
    const spec = containerJobSpec();
    const { status, body, warnings } = await create("/apis/batch/v1/namespaces/NAMESPACE/jobs", { spec });
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(warnings).to.deep.equal([]);
  });

  for (const { name, loosen, says } of LOOSENED) {
    it(`is refused with ${name}`, async () => {
      const { status, body } = await create("/api/v1/namespaces/NAMESPACE/pods", { spec: loosen(restrictedPodSpec()) });
      expect(status).to.equal(403);
      expect(JSON.stringify(body)).to.include(says);
    });
  }
});

function outcome(line: string): string {
  return line.split(" ").at(-1) ?? "";
}
