import { expect } from "chai";
import { describe, it } from "mocha";
import type { Snapshot } from "../../../src/controllers/routed-ip-issuer/gather.js";
import { plan } from "../../../src/controllers/routed-ip-issuer/plan.js";
import { actionsOf } from "../../../src/reconcile/plan.js";
import { inUseFinalizersOf } from "../../../src/routing/in-use.js";
import { meta } from "../../claims/resources.js";

const [OURS, OTHERS] = ["flipop.digitalocean.com/in-use.a", "flipop.digitalocean.com/in-use.b"];
const DELETED = { deletionTimestamp: "2025-06-01T09:00:00Z" };

/** An issuer with an empty firewall that was created for it, two hours ago. */
function does(
  metadata: { finalizers: readonly string[]; deletionTimestamp?: string },
  more: Partial<Snapshot> = {},
): readonly string[] {
  const createdFirewall = { id: "7", name: "ingress", createdTime: "2025-06-01T08:00:00Z" };
  const made: Snapshot = {
    issuer: {
      metadata: { ...meta("do"), ...metadata },
      spec: { provider: "digitalocean", routedIPFirewallName: "ingress", routedIPReclaimPolicy: "Delete" },
      status: { createdFirewall },
    },
    now: Date.parse("2025-06-01T10:00:00Z"),
    finalizers: inUseFinalizersOf({ namespace: "a", watchNamespaces: ["web"] }),
    cachesComplete: true,
    account: "good",
    accountUse: { isUsed: false },
    regions: new Set(["nyc3"]),
    firewall: { id: "7", name: "ingress", rules: [], nodes: [], pending: false },
    users: [],
    leaving: [],
    cleanup: { attempts: 0 },
    ...more,
  };
  return plan(made).sequences.flatMap((each) => actionsOf(each).map((action) => action.do));
}

describe("the plan of an issuer that several installations use", () => {
  it("leaves the firewalls to the installation that goes last", () => {
    for (const more of [{}, DELETED]) {
      expect(does({ ...more, finalizers: [OURS, OTHERS] })).to.deep.equal(["remove-finalizer"]);
      expect(does({ ...more, finalizers: [OTHERS] }), "it has left").to.deep.equal([]);
      expect(does({ ...more, finalizers: [OURS] }), "it is the last one").to.deep.equal([
        ...["remove-firewall", "record-firewall", "remove-finalizer"],
      ]);
    }
  });

  it("keeps the firewall on record that another one has just created, and that it has not read yet", () => {
    const unread = { firewall: "missing", now: Date.parse("2025-06-01T08:01:00Z") } as const;
    expect(does({ finalizers: [] }, unread)).to.deep.equal([]);
    expect(does({ finalizers: [] }, { firewall: "missing" }), "it has been read since").to.deep.equal([
      "record-firewall",
    ]);
    expect(does({ ...DELETED, finalizers: [OURS] }, unread), "a deletion does not wait").to.deep.equal([
      "record-firewall",
    ]);
  });
});
