import { expect } from "chai";
import { type Client, type ControlPlane, controlPlaneOrSkip, eventually } from "flipop-testbed";
import { before, describe, it } from "mocha";
import { ALL_KINDS, customResourceDefinitions, GROUP_VERSION, KINDS, type KindName } from "../../src/api";
import { minimalSpec } from "../data/minimal-specs";
import { CRDS, clusterWithCrds, collection, installCrds, resource } from "../support/cluster";

interface Crd {
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
}

for (const release of ["1.35", "1.32"]) {
  describe(`the CustomResourceDefinitions on Kubernetes ${release}`, () => {
    let client: Client;
    let warnings: readonly string[];

    before(async function () {
      const emulatedVersion = release === "1.35" ? {} : { emulatedVersion: release };
      const plane = await controlPlaneOrSkip(this, emulatedVersion);
      client = plane.client();
      for (const crd of customResourceDefinitions()) await client.delete(`${CRDS}/${crd.metadata.name}`);
      await eventually(async () => (await client.list(CRDS)).body.items.length === 0, { what: "old CRDs to go" });
      warnings = await installCrds(client);
    });

    it("are accepted without a warning", () => {
      expect(warnings).to.deep.equal([]);
    });

    for (const crd of customResourceDefinitions()) {
      it(`${crd.metadata.name} is established, its names accepted, its schema structural`, async () => {
        const { status } = await client.must.get<Crd & { apiVersion: string }>(`${CRDS}/${crd.metadata.name}`);
        const states = Object.fromEntries(status.conditions.map(({ type, status: state }) => [type, state]));
        expect(states).to.include({ Established: "True", NamesAccepted: "True" });
        expect(states).not.to.have.property("NonStructuralSchema");
      });
    }

    for (const { kind } of ALL_KINDS) {
      it(`accepts a minimal ${kind}`, async () => {
        const answer = await client.create(collection(kind as KindName), resource(kind as KindName, minimalSpec(kind)));
        expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
      });
    }
  });
}

describe("kubectl with the CustomResourceDefinitions", () => {
  let plane: ControlPlane;

  before(async function () {
    plane = await clusterWithCrds(this);
  });

  it("explains each kind with the descriptions of the type model", async () => {
    for (const { kind, plural, description, spec } of ALL_KINDS) {
      const { stdout, stderr } = await plane.kubectl(["explain", `${plural}.spec`]);
      expect(stderr).to.equal("");
      expect(stdout).to.include(`KIND:       ${kind}`);
      expect(unwrapped(stdout)).to.include(spec.description);
      expect(unwrapped((await plane.kubectl(["explain", plural])).stdout)).to.include(description);
    }
  });

  it("explains a nested field with its enum", async () => {
    const { stdout } = await plane.kubectl(["explain", "fip.spec.nodePreference"]);
    expect(unwrapped(stdout)).to.include("Order in which waiting candidates get an address; it never causes a move.");
    expect(unwrapped(stdout)).to.include("ENUM: Stable Name");
  });

  it("gets a pool with its defaults from the server", async () => {
    const client = plane.client();
    const path = collection("FloatingIPPool", await client.tempNamespace());
    const { spec } = await client.must.create(path, resource("FloatingIPPool", minimalSpec("FloatingIPPool")));
    const defaults = { gracePeriodSeconds: 0, nodePreference: "Stable", reclaimPolicy: "Retain", paused: false };
    expect(spec).to.deep.equal({ ...minimalSpec("FloatingIPPool"), ...defaults });
  });

  it("lists all kinds under the category flipop and their short names", async () => {
    const { stdout } = await plane.kubectl(["api-resources", "--categories=flipop", "--no-headers"]);
    const rows = stdout
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/));
    expect(rows.map((row) => row[1]).sort()).to.deep.equal(["fip", "nodedns", "rip", "ripclass", "ripissuer"]);
    expect(new Set(rows.map((row) => row[2]))).to.deep.equal(new Set([GROUP_VERSION]));
  });

  it("shows a pool's state in columns", async () => {
    const client = plane.client();
    const namespace = await client.tempNamespace();
    const spec = { ...minimalSpec("FloatingIPPool"), dnsRecordSet: { recordName: "www", zone: "example.com" } };
    await client.must.create(collection("FloatingIPPool", namespace), resource("FloatingIPPool", spec, "web"));
    const condition = {
      type: "Ready",
      status: "True",
      reason: "Observed",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const counts = { desired: 3, active: 2, unassigned: 1, candidates: 5 };
    const path = `${collection("FloatingIPPool", namespace)}/web/status`;
    await client.must.patch(path, { status: { counts, conditions: [condition] } });
    const { stdout } = await plane.kubectl(["get", "fip", "-n", namespace]);
    expect(stdout.split("\n").map((line) => line.trim().split(/\s{2,}/))).to.deep.include.members([
      ["NAME", "READY", "DESIRED", "ACTIVE", "CANDIDATES", "DNS", "AGE"],
    ]);
    expect(stdout).to.match(/^web +True +3 +2 +5 +www +/m);
  });

  const rows: readonly (readonly [KindName, object, RegExp, RegExp])[] = [
    [
      "NodeDNSRecordSet",
      { state: "active", counts: { candidates: 4, published: 3 } },
      /^NAME +READY +RECORD +ZONE +PUBLISHED +STATE +AGE$/m,
      /^row +nodes +example\.com +3 +active +\d+s$/m,
    ],
    [
      "RoutedIP",
      { routedIP: "192.0.2.7", assignedNode: "node-1", state: "active" },
      /^NAME +READY +ADDRESS +NODE +SERVICE +STATE +AGE$/m,
      /^row +192\.0\.2\.7 +node-1 +ingress +active +\d+s$/m,
    ],
    ["RoutedIPIssuer", {}, /^NAME +READY +PROVIDER +REGION +FIREWALL +AGE$/m, /^row +digitalocean +\d+s$/m],
    [
      "ClusterRoutedIPClass",
      {},
      /^NAME +READY +CLASS-NAME +ISSUER +ISSUER-NAMESPACE +LIMIT +AGE$/m,
      /^row +digitalocean +flipop +1 +\d+s$/m,
    ],
  ];
  for (const [kind, status, header, row] of rows) {
    it(`shows the state of a ${kind} in columns`, async () => {
      const client = plane.client();
      const namespace = await client.tempNamespace();
      const path = collection(kind, namespace);
      await client.must.create(path, resource(kind, minimalSpec(kind), "row"));
      await client.must.patch(`${path}/row/status`, { status });
      const { stdout } = await plane.kubectl(["get", KINDS[kind].shortNames[0] ?? kind, "-n", namespace]);
      expect(stdout).to.match(header).and.to.match(row);
    });
  }
});

/** kubectl breaks and indents lines of prose. */
function unwrapped(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
