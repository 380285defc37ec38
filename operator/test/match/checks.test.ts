import { type Match, REFUSALS } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { SlimNode } from "../../src/kube/cache/slim-objects.js";
import { refusalsOf } from "../../src/match/checks.js";
import { nodeFacts } from "../../src/match/node-facts.js";
import type { Workload } from "../../src/match/node-workload.js";
import { DIGITALOCEAN_ADDRESSES } from "../../src/providers/address-capabilities.js";
import { compiled, facts, NOT_READY, readyCondition, slimNode, taint } from "./cluster.js";

interface Case {
  readonly what: string;
  readonly node?: Partial<SlimNode>;
  readonly match?: Match;
  readonly workload?: Workload;
  /** Reasons, with `!` where no grace is given. */
  readonly refused: readonly string[];
  /** Part of the first refusal's text. */
  readonly says?: string;
}

const CORDON = "node.kubernetes.io/unschedulable";
const CORDONED = { unschedulable: true, taints: [taint(CORDON)] };
const ANY = { tolerations: [{ operator: "Exists" }] };
const SERVING: Workload = { state: "serving" };
const UNREADY: Workload = { state: "unready", detail: "pod default/a is not ready" };
const ABSENT: Workload = { state: "absent", detail: "it runs no pod" };

const CASES: readonly Case[] = [
  { what: "a healthy node", refused: [] },
  {
    what: "a label of another value",
    match: { nodeLabel: "pool=web" },
    node: { labels: { pool: "db" } },
    refused: ["LabelsDiffer!"],
    says: 'its label pool is "db", nodeLabel asks for pool=web',
  },
  {
    what: "a label that is missing",
    match: { nodeLabel: "a,pool in (web)" },
    node: { labels: { a: "" } },
    refused: ["LabelsDiffer!"],
    says: "it has no label pool",
  },
  {
    what: "a node that is being deleted",
    node: { deletionTimestamp: "2025-01-01T00:00:00Z" },
    refused: ["NodeDeleting!"],
    says: "its deletion began at 2025-01-01",
  },
  { what: "no providerID", node: { providerID: undefined }, refused: ["NoProviderID!"] },
  { what: "an empty providerID", node: { providerID: "" }, refused: ["NoProviderID!"] },
  {
    what: "another cloud",
    node: { providerID: "aws:///a/i-1" },
    refused: ["ForeignProviderID!"],
    says: '"aws:///a/i-1"',
  },
  {
    what: "a scheme that only begins alike",
    node: { providerID: "digitalocean2://1" },
    refused: ["ForeignProviderID!"],
  },
  ...["digitalocean://", "digitalocean://abc", "digitalocean:///12", "digitalocean://12/", "digitalocean://012"].map(
    (providerID) => ({
      what: `the provider's scheme and no machine: ${providerID}`,
      node: { providerID },
      refused: ["InvalidProviderID!"],
      says: `"${providerID}" is not of the form digitalocean://<droplet id>`,
    }),
  ),
  { what: "a cordon", node: CORDONED, refused: ["Cordoned!"], says: "not tolerated" },
  { what: "a cordon whose taint is still to come", node: { unschedulable: true }, refused: ["Cordoned!"] },
  { what: "a tolerated cordon without pods asked for", node: CORDONED, match: ANY, refused: [] },
  { what: "a tolerated cordon and a serving pod", node: CORDONED, match: ANY, workload: SERVING, refused: [] },
  {
    what: "a tolerated cordon and an unready pod",
    node: CORDONED,
    match: ANY,
    workload: UNREADY,
    refused: ["Cordoned!", "PodNotReady"],
    says: "pod default/a is not ready",
  },
  {
    what: "a tolerated cordon and no pod",
    node: CORDONED,
    match: ANY,
    workload: ABSENT,
    refused: ["Cordoned!", "NoPod"],
  },
  {
    what: "a tolerated cordon of a node that is not ready",
    node: { ...CORDONED, ...NOT_READY },
    match: ANY,
    workload: SERVING,
    refused: ["NodeNotReady"],
  },
  {
    what: "a taint",
    node: { taints: [taint("b"), { key: "a", value: "x", effect: "PreferNoSchedule" }] },
    refused: ["Tainted!"],
    says: "taints a=x:PreferNoSchedule, b:NoSchedule, not",
  },
  {
    what: "a taint, one of two tolerated",
    node: { taints: [taint("a"), taint("b")] },
    match: { tolerations: [{ key: "a", operator: "Exists" }] },
    refused: ["Tainted!"],
    says: "taint b:NoSchedule, not",
  },
  {
    what: "a taint whose key another value tolerates",
    node: { taints: [{ key: "a", value: "x", effect: "NoSchedule" }] },
    match: { tolerations: [{ key: "a", effect: "NoExecute" }] },
    refused: ["Tainted!"],
    says: 'not tolerated (match.tolerations has its key, but tolerates it only with value "" and effect NoExecute)',
  },
  { what: "a tolerated taint", node: { taints: [taint("a", "NoExecute")] }, match: ANY, refused: [] },
  {
    what: "a taint of ours",
    node: { taints: [taint("flipop.digitalocean.com/routed-ip", "PreferNoSchedule")] },
    refused: [],
  },
  {
    what: "a taint that looks like ours",
    node: { taints: [taint("flipop.digitalocean.com.evil/routed-ip")] },
    refused: ["Tainted!"],
  },
  {
    what: "an autoscaler's deletion taint",
    node: { taints: [taint("ToBeDeletedByClusterAutoscaler")] },
    refused: ["Tainted!"],
  },
  {
    what: "not ready",
    node: NOT_READY,
    refused: ["NodeNotReady"],
    says: "Ready has been False since 2025-01-01T00:00:00Z (Tested)",
  },
  {
    what: "a kubelet that is silent",
    node: { conditions: [readyCondition("Unknown")] },
    refused: ["NodeNotReady"],
    says: "Ready has been Unknown",
  },
  { what: "no conditions yet", node: { conditions: [] }, refused: ["NodeNotReady"], says: "no Ready condition" },
  {
    what: "not ready, however tolerated",
    node: { ...NOT_READY, taints: [taint("node.kubernetes.io/not-ready")] },
    match: ANY,
    refused: ["NodeNotReady"],
  },
  ...["not-ready", "unreachable", "memory-pressure", "disk-pressure", "pid-pressure", "network-unavailable"].map(
    (name): Case => ({
      what: `the taint ${name}`,
      node: { taints: [taint(`node.kubernetes.io/${name}`)] },
      refused: ["NodeUnwell"],
      says: name,
    }),
  ),
  {
    what: "the taint of an agent that does not run",
    node: { taints: [taint("node.cilium.io/agent-not-ready")] },
    refused: ["NodeUnwell"],
    says: "node.cilium.io/agent-not-ready",
  },
  {
    what: "the taint out-of-service",
    node: { taints: [taint("node.kubernetes.io/out-of-service")] },
    refused: ["Tainted!"],
  },
  {
    what: "a tolerated pressure",
    node: { taints: [taint("node.kubernetes.io/disk-pressure")] },
    match: ANY,
    refused: [],
  },
  {
    what: "a cordon that is seen by its taint alone",
    node: { taints: [taint("node.kubernetes.io/unschedulable")] },
    refused: ["Cordoned!"],
  },
  { what: "no pod", workload: ABSENT, refused: ["NoPod"], says: "it runs no pod" },
  { what: "an unready pod", workload: UNREADY, refused: ["PodNotReady"] },
  { what: "a workload that leaves", workload: { ...UNREADY, leaving: true }, refused: ["PodNotReady!"] },
  {
    what: "everything at once",
    node: { ...NOT_READY, taints: [taint("a"), taint("node.kubernetes.io/not-ready")], providerID: undefined },
    workload: ABSENT,
    refused: ["NoProviderID!", "Tainted!", "NodeNotReady", "NodeUnwell", "NoPod"],
  },
];

describe("the checks of a node", () => {
  for (const { what, node = {}, match = {}, workload, refused, says = "" } of CASES) {
    it(`${refused.length === 0 ? "accept" : "refuse"} ${what}`, () => {
      const asked = {
        node: facts("n", { providerID: "digitalocean://12", ...node }),
        match: compiled(match, DIGITALOCEAN_ADDRESSES),
        ...(workload ? { workload } : {}),
      };
      const refusals = refusalsOf(asked);
      expect(refusals.map(({ reason, recoverable }) => `${reason}${recoverable ? "" : "!"}`)).to.deep.equal(refused);
      expect(refusals[0]?.detail ?? "").to.contain(says);
    });
  }

  for (const requirement of [
    "pool=web",
    "pool in (web, www)",
    "pool!=db",
    "pool notin (db, dbs)",
    "size",
    "!pool",
    "cores>4",
    "cores<2",
  ]) {
    it(`quote ${requirement} of a selector as people write it`, () => {
      const node = facts("n", { labels: { pool: "db", cores: "3" } });
      const [refused] = refusalsOf({ node, match: compiled({ nodeLabel: requirement }) });
      expect(refused?.detail).to.match(/, nodeLabel asks for /);
      expect(refused?.detail.split("nodeLabel asks for ")[1]).to.equal(requirement);
    });
  }

  it("refuse a node for which another one of its machine stands", () => {
    const refusals = refusalsOf({ node: nodeFacts(slimNode("n"), "twin"), match: compiled({}) });
    expect(refusals.map(({ reason }) => reason)).to.deep.equal(["DuplicateProviderID"]);
    expect(refusals[0]?.detail).to.equal('node twin has the same spec.providerID "digitalocean://n"');
  });

  it("take any cloud where no scheme is asked for", () => {
    expect(refusalsOf({ node: facts("n", { providerID: "aws:///a/i-1" }), match: compiled({}) })).to.deep.equal([]);
  });
});

describe("the table of refusals", () => {
  it("gives grace for what a node can recover from, and for nothing else", () => {
    const recoverable = Object.entries(REFUSALS).filter(([, entry]) => entry.recoverable);
    const reasons = ["NodeNotReady", "NodeUnwell", "NoPod", "PodNotReady", "ProbeFailed"];
    expect(recoverable.map(([reason]) => reason)).to.deep.equal(reasons);
  });

  it("has names of one form, and says of each what it means", () => {
    for (const [reason, { meaning }] of Object.entries(REFUSALS)) {
      expect(reason).to.match(/^[A-Z][A-Za-z]+$/);
      expect(meaning, reason).to.match(/^[A-Z].*\.$/);
    }
  });
});
