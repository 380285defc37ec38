import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import { MANIFESTS, STORY } from "../../../src/story/embedded.js";
import { ScenarioError } from "../../../src/story/scenario/field.js";
import { readScenario } from "../../../src/story/scenario/read-scenario.js";
import { STEP_NAMES } from "../../../src/story/scenario/read-steps.js";
import type { StepKind } from "../../../src/story/scenario/scenario.js";

const DOCUMENT = resolve(import.meta.dirname, "../../../../docs/reference/scenario.md");

const HEAD = ["title: t", "nodes:", "  - { name: edge, count: 2 }", "acts:", "  - title: a", "    steps:"];

/** A scenario of one act; its first step is in line 7. */
function withSteps(...steps: readonly string[]): string {
  return [...HEAD, ...steps.map((step) => `      - ${step}`)].join("\n");
}

function read(text: string, files: Readonly<Record<string, string>> = {}) {
  const readFile = (path: string) => {
    const found = files[path];
    if (found === undefined) throw new Error(`cannot read ${path}`);
    return found;
  };
  return readScenario({ name: "s.yaml", text, readFile });
}

function problems(text: string): readonly string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ScenarioError) return error.problems;
    throw error;
  }
  return [];
}

describe("a scenario", () => {
  const steps: readonly (readonly [string, StepKind])[] = [
    ["fail: edge-1", { do: "fail", node: { by: "name", name: "edge-1" } }],
    [
      "cordon: holder of a/b",
      { do: "cordon", node: { by: "holder", address: { by: "pool", namespace: "a", name: "b", index: 1 } } },
    ],
    ["recover: all", { do: "recover", node: { by: "all" } }],
    ["rollout: Deployment a/b", { do: "rollout", object: { kind: "Deployment", namespace: "a", name: "b" } }],
    [
      "editFirewall: { name: fw, add: [tcp 80], remove: [udp 5060-5070] }",
      { do: "edit-firewall", name: "fw", add: ["tcp 80"], remove: ["udp 5060-5070"] },
    ],
    ["settle", { do: "settle", withinMs: 600_000 }],
    ["settle: { within: 90s }", { do: "settle", withinMs: 90_000 }],
    [
      "refused: { object: FloatingIPPool a/b, reason: AddressNotAllowed }",
      {
        do: "refused",
        object: { kind: "FloatingIPPool", namespace: "a", name: "b" },
        reason: "AddressNotAllowed",
        withinMs: 60_000,
      },
    ],
    ["wait: 1h2m3.5s", { do: "wait", ms: 3_723_500 }],
    ["crash: { when: address-created }", { do: "crash", when: "address-created", downMs: 5_000 }],
    [
      "outage: { cloud: cloudflare, answer: 429, calls: writes, for: 1m }",
      { do: "outage", cloud: "cloudflare", answer: "429", calls: "writes", ms: 60_000 },
    ],
    [
      "moveAddress: { address: 2 of a/b, to: edge-2 }",
      {
        do: "move-address",
        address: { by: "pool", namespace: "a", name: "b", index: 2 },
        to: { by: "name", name: "edge-2" },
      },
    ],
    [
      "patch: { object: FloatingIPPool a/b, merge: { spec: { desiredIPs: 4 } } }",
      {
        do: "patch",
        object: { kind: "FloatingIPPool", namespace: "a", name: "b" },
        merge: { spec: { desiredIPs: 4 } },
      },
    ],
    [
      "upgrade: { group: edge, to: v1.36.1, atOnce: 2 }",
      { do: "upgrade", group: "edge", to: "v1.36.1", atOnce: 2, bootMs: 20_000 },
    ],
  ];
  for (const [text, step] of steps) {
    it(`has the step ${text}`, () => {
      expect(read(withSteps(text)).acts[0]?.steps).to.deep.equal([{ ...step, place: "s.yaml:7" }]);
    });
  }

  it("has defaults", () => {
    const { cloud, nodes, operator, speed, about } = read(withSteps("settle"));
    expect({ cloud, operator, speed, about }).to.deep.equal({
      operator: { issuerNamespaces: [] },
      cloud: { zones: ["example.com"], zoneIds: {}, addresses: [], addressLimit: 10 },
      speed: undefined,
      about: "",
    });
    expect(nodes[0]?.labels).to.deep.equal({ "doks.digitalocean.com/node-pool": "edge" });
  });

  it("names namespaces in which issuers may have Secrets", () => {
    const { operator } = read(`operator: { issuerNamespaces: [voice] }\n${withSteps("settle")}`);
    expect(operator).to.deep.equal({ issuerNamespaces: ["voice"] });
  });

  it("limits namespaces, and says what is wrong with limits", () => {
    const limits = "{ namespaces: [{ names: [web], maxCreatedAddresses: 2 }] }";
    const { operator } = read(`operator: { tenantLimits: ${limits} }\n${withSteps("settle")}`);
    expect(operator.tenantLimits).to.deep.equal({ namespaces: [{ names: ["web"], maxCreatedAddresses: 2 }] });
    const wrong = `operator: { tenantLimits: ${limits.replace("2", "none")} }\n${withSteps("settle")}`;
    expect(problems(wrong).join()).to.match(/operator\.tenantLimits: namespaces\[0\]\.maxCreatedAddresses .*"none"/);
  });

  it("applies objects, and files of them", () => {
    const object = "{ apiVersion: v1, kind: Namespace, metadata: { name: own } }";
    const files = { "a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: { name: filed }\n---\n" };
    const step = read(withSteps(`apply: [a.yaml, ${object}]`), files).acts[0]?.steps[0];
    const names = step?.do === "apply" ? step.objects.map(({ metadata }) => metadata.name) : [];
    expect(names).to.deep.equal(["filed", "own"]);
  });

  const wrong: readonly (readonly [string, string])[] = [
    ["fail: egde-1", 's.yaml:7: fail: there is no node "egde-1": use edge-1 to edge-2'],
    ["fial: edge-1", 'a step has one name, here: {"fial":"edge-1"}; use one of apply, patch'],
    ["wait: 5 minutes", 's.yaml:7: acts[0].steps[0].wait: "5 minutes" is no duration: write 90s, 2m or 1h30m'],
    ["wait:", "s.yaml:7: acts[0].steps[0].wait: nothing is no duration"],
    ["settle: 30", '.settle: 30 has no fields: write "name: value" with a name of within'],
    ["outage: { cloud: aws, for: 1m }", '.outage.cloud: "aws" is not known: use one of digitalocean, cloudflare'],
    [
      "outage: { cloud: cloudflare, for: 1m, form: 1m }",
      ".outage.form: there is no such field: use cloud, answer, calls, for",
    ],
    ["upgrade: { group: edge, to: 1.36 }", '.upgrade.to: "1.36" is no kubelet version: write v1.36.1'],
    ["upgrade: { group: core, to: v1.36.1 }", '.upgrade.group: "core" is not known: use one of edge'],
    ["add: { group: edge, count: 0 }", ".add.count: 0 is no whole number: give one from 1 on"],
    ["moveAddress: { address: b }", '.moveAddress.address: "b" names no address: write an address, NAMESPACE/POOL'],
    ["delete: pool", '.delete: "pool" names no object: write KIND NAMESPACE/NAME'],
    ["rollout: DaemonSet a/b", ".rollout: DaemonSet has no rollout here: name a Deployment"],
    ["editFirewall: { name: fw, add: [icmp] }", '.editFirewall: "icmp" is no rule: write tcp 8080, or udp 5060'],
    ["apply: [none.yaml]", "s.yaml:7: acts[0].steps[0].apply[0]: cannot read none.yaml"],
    ["apply: [{ kind: Pod, metadata: { name: a } }]", ".apply[0].apiVersion: is missing: give a text"],
    ["loseAnswer: { cloud: cloudflare, call: assign }", 'Cloudflare has no call "assign": use records'],
    [
      "editRecords: { cloud: cloudflare, zone: example.com, name: www.example.org }",
      '"www.example.org" is not in the zone "example.com"',
    ],
  ];
  for (const [step, problem] of wrong) {
    it(`says what is wrong with ${step}`, () => {
      const found = problems(withSteps(step));
      expect(found).to.have.length(1);
      expect(found[0]).to.include(problem);
    });
  }

  it("reports all problems at once, each with its line", () => {
    const found = problems(withSteps("fail: core-1", "wait: x", "settle: { in: 5s }"));
    expect(found.map((problem) => problem.split(" ")[0])).to.have.members(["s.yaml:7:", "s.yaml:8:", "s.yaml:9:"]);
  });

  it("reports all problems of one step, and of different parts of the file, at once", () => {
    const steps = withSteps("outage: { cloud: aws, form: 1m, calls: 3 }", "upgrade: { to: 1.36, boot: soon }");
    const found = problems(`speeed: 3\ncloud: { zone: a, addressLimit: x }\n${steps}`);
    const fields = found.map((problem) => problem.split(": ")[1]);
    expect(fields).to.deep.equal([
      "speeed",
      "cloud.zone",
      "cloud.addressLimit",
      "acts[0].steps[0].outage.form",
      "acts[0].steps[0].outage.cloud",
      "acts[0].steps[0].outage.calls",
      "acts[0].steps[0].outage.for",
      "acts[0].steps[1].upgrade.group",
      "acts[0].steps[1].upgrade.to",
      "acts[0].steps[1].upgrade.boot",
    ]);
  });

  for (const [text, problem] of [
    ["", "s.yaml:1: nodes: is missing: give at least one group of nodes"],
    ["- a\n", 's.yaml:1: ["a"] has no fields: write "name: value" with a name of title, about'],
    ["title: [\n", "s.yaml:2: Flow sequence in block collection must be"],
    [
      "title: t\nnodes: [{ name: Edge, count: 1 }]\nacts: [{ title: a }]\n",
      's.yaml:2: nodes[0].name: "Edge" is no name',
    ],
    ["title: t\nnodes: [{ name: a, count: 1 }]\n", "acts: is missing: give at least one act with steps"],
    ["title: t\nnods: []\n", "s.yaml:2: nods: there is no such field: use title, about"],
  ] as const) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(problems(text)[0]).to.include(problem);
    });
  }

  it("is carried by the program itself", () => {
    const scenario = readScenario({ name: "story.yaml", text: STORY, readFile: (path) => MANIFESTS[path] ?? "" });
    expect(scenario.acts.length).to.be.greaterThan(5);
    expect(scenario.acts[0]?.steps[0]).to.have.property("objects").that.has.length(5);
  });

  it("has every step in its document", () => {
    const text = readFileSync(DOCUMENT, "utf8");
    for (const name of STEP_NAMES) expect(text).to.include(`| \`${name}\``);
  });
});
