import { Annotation, type RoutedIPStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { routedIpClaims } from "../../../src/claims/read-claims.js";
import type { Plan } from "../../../src/controllers/routed-ip/plan.js";
import { accessMessages } from "../../../src/messages/issuers-and-classes.js";
import { nameAccessOf } from "../../../src/routing/address-and-name-access.js";
import type { ResolvedIssuerClass } from "../../../src/routing/resolved-class.js";
import { omitUndefined } from "../../../src/values.js";
import { NOT_READY, taint } from "../../match/cluster.js";
import { NO_MEMORY } from "../floating-ip-pool/support/no-memory.js";
import { ModelWorld } from "./model-world.js";
import { altered, conditionOf, IP } from "./routed-plans.js";

const MINUTE_MS = 60_000;

/** Three nodes, n3 the youngest, all of which serve port 443; one RoutedIP. */
function world(spec: object = { routedIP: IP }, resolvedClass: Partial<ResolvedIssuerClass> = {}): ModelWorld {
  const made = new ModelWorld();
  for (const name of ["n1", "n2", "n3"]) made.addNode(name);
  made.addService("web", [443]);
  made.serve("web", "n1", "n2", "n3");
  made.addFirewall();
  made.addRouted("a", spec, resolvedClass);
  return made;
}

function settled(...args: Parameters<typeof world>): ModelWorld {
  const made = world(...args);
  made.settle();
  return made;
}

function actions({ steps, chains }: Plan): readonly string[] {
  return [...steps.flatMap((step) => step.actions), ...chains.flat()].map((action) => action.do);
}

describe("a RoutedIP elects its node and keeps its address", () => {
  const UNFIT: readonly (readonly [string, (made: ModelWorld) => void])[] = [
    ["it has no endpoint of the Service", (made) => made.serve("web", "n1", "n2")],
    [
      "its endpoint is not ready",
      (made) => {
        const endpoints = ["n1", "n2", "n3"].map((node) => ({ node, ready: node !== "n3", serving: node !== "n3" }));
        made.endpoints.set("default/web", endpoints);
      },
    ],
    ["it is cordoned", (made) => made.editNode("n3", { unschedulable: true })],
    ["it is not Ready", (made) => made.editNode("n3", NOT_READY)],
    ["it is being deleted", (made) => made.editNode("n3", { deletionTimestamp: "2025-06-01T10:00:00Z" })],
    ["it has no machine", (made) => made.editNode("n3", { providerID: "" })],
    [
      "it holds as many addresses as it may",
      (made) => made.addresses.set("203.0.113.8", { holder: "digitalocean://n3" }),
    ],
    [
      "an autoscaler is about to delete it",
      (made) => made.editNode("n3", { taints: [taint("ToBeDeletedByClusterAutoscaler")] }),
    ],
  ];

  it("elects the youngest node that serves the Service", () => {
    expect(settled().holderOf("a")).to.equal("n3");
  });

  for (const [why, make] of UNFIT) {
    it(`does not elect the youngest node where ${why}`, () => {
      const made = world();
      make(made);
      made.settle();
      expect(made.holderOf("a")).to.equal("n2");
    });
  }

  it("under Delete, unassigns a created address and then releases it; under Retain, does neither", () => {
    const ends = (["Delete", "Retain"] as const).map((reclaimPolicy) => {
      const made = settled({}, { reclaimPolicy });
      const [ip = ""] = [...made.addresses.keys()];
      const before = made.journal.length;
      made.delete("a");
      made.settle();
      expect(made.routed.size).to.equal(0);
      const cloud = made.journal.slice(before).map(({ action }) => action.do);
      return [made.addresses.get(ip)?.holder, cloud.filter((each) => each === "unassign" || each === "release")];
    });
    expect(ends).to.deep.equal([
      [undefined, ["unassign", "release"]],
      ["digitalocean://n3", []],
    ]);
  });

  it("reports a listed address that the account does not have, and creates no other one", () => {
    const made = world();
    made.addresses.delete(IP);
    made.settle();
    expect(conditionOf(made.plan("a"), "Assigned").is).to.equal("False/AddressNotFound");
    expect(made.addresses.size).to.equal(0);
  });

  it("says of a creation that spec.routedIP names no address: a RoutedIP has no desiredIPs", () => {
    const create = settled({}).journal.find(({ action }) => action.do === "create-address")?.action;
    expect(create?.why).to.equal("spec.routedIP names none");
  });

  it("reports a limit above the provider's limit, and continues", () => {
    const nameAccess = nameAccessOf([{ of: "ClusterRoutedIPClass shared", limits: {} }]);
    const made = settled({ routedIP: IP }, { perNodeIPLimit: 5, nameAccess });
    const { is, message } = conditionOf(made.plan("a"), "Accepted");
    expect(is).to.equal("True/LimitUnsupported");
    expect(message).to.contain("perNodeIPLimit is 5").and.to.contain("3");
    expect(message).to.contain("have the author of ClusterRoutedIPClass shared lower");
  });

  it("creates nothing under a CRD that drops its intent, and still moves an existing address", () => {
    const none = altered(world({}), { crdTooOld: true });
    expect(actions(none)).not.to.include("create-address");
    expect(conditionOf(none, "Assigned").is).to.equal("False/CRDTooOld");
    expect(actions(altered(world(), { crdTooOld: true }))).to.include("assign");
  });

  it("finds its created address in the annotation when the status is lost, and then never releases it", () => {
    const made = settled({}, { reclaimPolicy: "Delete" });
    const [ip = ""] = [...made.addresses.keys()];
    expect(made.get("a").metadata.annotations?.[Annotation.createdIps]).to.equal(ip);
    made.edit("a", { status: {} });
    made.settle();
    expect([...made.addresses.keys()], "none is created in its place").to.deep.equal([ip]);
    expect(made.get("a").status).to.deep.include({ routedIP: ip, assignedNode: "n3", state: "active" });
    made.delete("a");
    made.settle();
    expect([...made.addresses.keys()]).to.deep.equal([ip]);
  });

  it("gets no title to an address that it may not use while another resource moves that address", () => {
    const made = world();
    const { inventory } = made.snapshot("a");
    const inFlight = { id: "7", expected: "digitalocean://n2" };
    const moving = (ip: string) => {
      const facts = inventory.get(ip);
      return facts && { ...facts, holder: "digitalocean://n2", inFlight };
    };
    const limiter = "ClusterRoutedIPClass public";
    const problem = accessMessages.addressNotAllowed({
      ip: IP,
      refusals: [{ limiter, allowed: [] }],
      namespace: "default",
    });
    const nothing = { addresses: new Map(), names: [] };
    const planned = altered(made, { problem, claims: nothing, inventory: { ...inventory, get: moving } });
    const status = omitUndefined({ ...planned.status }) as RoutedIPStatus;
    expect(status).to.include({ state: "unassigned" }).and.not.to.have.any.keys("providerID", "actionID");
    const after = { ...made.get("a"), status };
    expect(routedIpClaims(after, { unserved: true }).addresses, "what it claims by this status").to.deep.equal([]);
  });

  it("stops for ten minutes when a foreign writer takes the address away, then tries again", () => {
    const made = settled();
    made.addresses.set(IP, { holder: undefined });
    const times = [1, 2, 3].map((minute) => made.now + minute * MINUTE_MS);
    const memory = { ...NO_MEMORY, reverts: new Map([[IP, times]]) };
    const contested = altered(made, { memory, now: made.now + 4 * MINUTE_MS });
    expect(conditionOf(contested, "Conflict").is).to.equal("True/ForeignWriter");
    expect(actions(contested)).not.to.include("assign");
    expect(actions(altered(made, { memory, now: made.now + 14 * MINUTE_MS }))).to.include("assign");
  });
});
