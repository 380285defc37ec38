import { expect } from "chai";
import { describe, it } from "mocha";
import { lateMoves, movesOf } from "../../src/simulate/address-moves.js";
import { objectsOf } from "../../src/simulate/app-objects.js";
import { labelsFor } from "../../src/simulate/labels.js";
import type { SimulateOptions } from "../../src/simulate/options.js";
import { scenarioOf } from "../../src/simulate/scenario-of.js";

const API = "flipop.digitalocean.com/v1alpha1";

function pool(name: string, spec: object): object {
  return {
    apiVersion: API,
    kind: "FloatingIPPool",
    metadata: { name, namespace: "web" },
    spec: { provider: "digitalocean", ...spec },
  };
}

function scenario(objects: readonly object[], options: SimulateOptions = {}) {
  return scenarioOf(objectsOf(objects), options).scenario;
}

/** Kind and name of what a scenario applies. */
function applied(objects: readonly object[]): readonly string[] {
  const [step] = scenario(objects).acts[0]?.steps ?? [];
  return step?.do === "apply" ? step.objects.map(({ kind, metadata: { name } }) => `${kind} ${name}`) : [];
}

describe("the scenario of a simulation", () => {
  it("has nodes that all selectors match, one more than addresses", () => {
    const { nodes } = scenario([
      pool("a", { desiredIPs: 3, region: "ams3", match: { nodeLabel: "tier in (edge,x),!spot,gen>3" } }),
      pool("b", { ips: ["192.0.2.1"], match: { nodeLabel: "zone" } }),
    ]);
    expect(nodes).to.have.length(1);
    expect(nodes[0]).to.deep.include({ name: "node", count: 5, region: "ams3" });
    expect(nodes[0]?.labels).to.deep.include({ tier: "edge", gen: "4", zone: "x" });
  });

  it("has the addresses, zones and limits that the app needs", () => {
    const { cloud } = scenario([
      pool("a", {
        ips: ["192.0.2.1"],
        dnsRecordSet: { recordName: "www", zone: "example.net.", provider: "digitalocean" },
      }),
      pool("b", {
        desiredIPs: 2,
        dnsRecordSet: {
          recordName: "a.b.example.org",
          zone: "023e105f4ecef8ad9ca31a8372d0c353",
          provider: "cloudflare",
        },
      }),
    ]);
    expect(cloud).to.deep.equal({
      zones: ["example.net", "example.org", "example.com"],
      zoneIds: { "example.org": "023e105f4ecef8ad9ca31a8372d0c353" },
      addresses: ["192.0.2.1"],
      addressLimit: 8,
    });
  });

  it("adds pods only where the app has none", () => {
    const set = {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "proxy", namespace: "web" },
      spec: { template: { metadata: { labels: { app: "proxy" } } } },
    };
    const own = pool("a", { desiredIPs: 1, match: { podLabel: "app=proxy" } });
    const other = pool("b", { desiredIPs: 1, match: { podLabel: "app=other" } });
    expect(applied([set, own])).to.deep.equal(["Namespace web", "DaemonSet proxy", "FloatingIPPool a"]);
    expect(applied([other])).to.deep.equal([
      "Namespace default",
      "Namespace web",
      "DaemonSet pods-of-b",
      "FloatingIPPool b",
    ]);
  });

  const refused: readonly (readonly [
    title: string,
    objects: readonly object[],
    options: SimulateOptions,
    says: string,
  ])[] = [
    ["an app without resources", [], {}, "the app has no FloatingIPPool, NodeDNSRecordSet or RoutedIP: add one"],
    [
      "pools that need different nodes",
      [
        pool("a", { desiredIPs: 1, match: { nodeLabel: "a=b" } }),
        pool("b", { desiredIPs: 1, match: { nodeLabel: "a=c" } }),
      ],
      {},
      'label a of the nodes is both "b" and "c": give the nodes',
    ],
    [
      "pools of two regions",
      [pool("a", { desiredIPs: 1, region: "nyc3" }), pool("b", { desiredIPs: 1, region: "ams3" })],
      {},
      "the app uses the regions nyc3 and ams3: give the nodes",
    ],
    [
      "a failure of something else",
      [pool("a", { desiredIPs: 1 })],
      { fail: "the first node" },
      'fail: "the first node" is not a node',
    ],
    [
      "a RoutedIP with Jobs",
      [
        { apiVersion: API, kind: "ClusterRoutedIPClass", metadata: { name: "jobs" }, spec: { updateRoutedIP: {} } },
        {
          apiVersion: API,
          kind: "RoutedIP",
          metadata: { name: "gateway" },
          spec: { className: "jobs", serviceRef: { serviceName: "a" } },
        },
      ],
      {},
      "RoutedIP gateway needs Jobs, which a simulation does not run: leave it out",
    ],
  ];
  for (const [title, objects, options, says] of refused) {
    it(`refuses ${title}`, () => expect(() => scenario(objects, options)).to.throw(says));
  }

  it("takes the user's nodes", () => {
    const { nodes } = scenario([pool("a", { desiredIPs: 1, match: { nodeLabel: "a=b" } })], {
      nodes: [{ name: "edge", count: 2, labels: { a: "b" } }],
    });
    expect(nodes).to.deep.equal([
      {
        name: "edge",
        count: 2,
        region: "nyc3",
        labels: { "doks.digitalocean.com/node-pool": "edge", a: "b" },
        kubeletVersion: "v1.35.4",
        leaseMs: 40_000,
      },
    ]);
  });

  it("finds labels for every kind of requirement, and refuses what is not a selector", () => {
    expect(labelsFor("a=b,c in (d,e),f,!g,h notin (i),j>3,k<3,l!=m")).to.deep.equal({
      a: "b",
      c: "d",
      f: "x",
      j: "4",
      k: "2",
    });
    expect(() => labelsFor("a=")).not.to.throw();
    expect(() => labelsFor("=")).to.throw('"=" is not a label selector: correct it');
  });
});

describe("the moves of a simulation", () => {
  const failure = { atMs: 1_000, node: "node-1", ips: ["192.0.2.1", "192.0.2.2", "192.0.2.3"] };
  const moved = { kind: "moved", by: "operator", from: "node-1" } as const;
  const facts = [
    { ...moved, at: 500, ip: "192.0.2.1", to: "node-9" },
    { ...moved, at: 1_500, ip: "192.0.2.1", to: undefined },
    { ...moved, at: 3_000, ip: "192.0.2.1", to: "node-2" },
    { ...moved, at: 9_000, ip: "192.0.2.2", to: "node-3" },
  ];

  it("are those after the failure, to another node", () => {
    expect(movesOf(facts, failure)).to.deep.equal([
      { ip: "192.0.2.1", from: "node-1", to: "node-2", seconds: 2 },
      { ip: "192.0.2.2", from: "node-1", to: "node-3", seconds: 8 },
    ]);
  });

  it("are late beyond the limit, and if they do not happen", () => {
    expect(lateMoves(movesOf(facts, failure), failure, 3)).to.deep.equal([
      "192.0.2.2 moved from node-1 to node-3 after 8 s, not within 3 s",
      "192.0.2.3 did not leave node-1",
    ]);
  });
});
