import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { formerOwners } from "../../src/commands/orphans/former-owners.js";
import { eventObject, redirected } from "../../src/kube/write/event-series.js";
import { NodeDirectory } from "../../src/match/node-directory.js";
import { eventMessages } from "../../src/messages/events.js";

const BY = { controller: "flipop", instance: "flipop-1" };
const FIRST = "203.0.113.7";
const SECOND = "2001:db8::7";

/** As the operator writes it when it has deleted the pool. */
function retention(name: string, ips: readonly string[], epochMs: number) {
  const regarding = {
    apiVersion: GROUP_VERSION,
    kind: "FloatingIPPool",
    name,
    namespace: "ingress",
    uid: `uid-${name}`,
  };
  const message = eventMessages.retained({ ips, held: ips.slice(0, 1), field: "ips" });
  return eventObject({ regarding, ...message }, BY, { epochMs, suffix: "1" });
}

const ownersIn = (events: Parameters<typeof formerOwners>[2]) => formerOwners([], new NodeDirectory([]), events);

describe("the former owner of an address", () => {
  it("is the pool that the Event of its deletion names, for each of its addresses", () => {
    const owners = ownersIn([retention("web", [FIRST, SECOND], 1_000)]);
    expect([FIRST, SECOND].map((ip) => owners.get(ip))).to.deep.equal(["ingress/web", "ingress/web"]);
  });

  it("is the last one that was deleted", () => {
    const owners = ownersIn([retention("late", [FIRST], 2_000), retention("early", [FIRST, SECOND], 1_000)]);
    expect([FIRST, SECOND].map((ip) => owners.get(ip))).to.deep.equal(["ingress/late", "ingress/early"]);
  });

  it("is the pool also where its namespace was deleted with it", () => {
    expect(ownersIn([redirected(retention("web", [FIRST], 1_000))]).get(FIRST)).to.equal("ingress/web");
  });
});
