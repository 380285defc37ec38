import { expect } from "chai";
import { describe, it } from "mocha";
import {
  gather,
  type IssuerMemory,
  type IssuerTools,
  type Snapshot,
} from "../../../src/controllers/routed-ip-issuer/gather.js";
import { type Plan, plan } from "../../../src/controllers/routed-ip-issuer/plan.js";
import { actionsOf } from "../../../src/reconcile/plan.js";
import { FirewallRegistry } from "../../../src/routing/firewalls/firewall-registry.js";
import { inUseFinalizersOf } from "../../../src/routing/in-use.js";
import { CREDENTIALS_CHECK_SECONDS, DUE_RETRY_PAUSE_MS, JANITOR_RETRY_MS } from "../../../src/timings.js";
import { meta } from "../../claims/resources.js";
import { FakeClock } from "../../support/time/fake-clock.js";

const [OURS, OTHERS] = ["flipop.digitalocean.com/in-use.a", "flipop.digitalocean.com/in-use.b"];
const DELETED = { deletionTimestamp: "2025-06-01T09:00:00Z" };

const NOW = Date.parse("2025-06-01T10:00:00Z");
const PARTS = {
  name: "ingress",
  rules: [{ protocol: "tcp", ports: "443", sources: ["0.0.0.0/0"], phase: "present" }],
  nodes: ["digitalocean://1"],
} as const;

interface SharedBy {
  readonly finalizers: readonly string[];
  readonly deletionTimestamp?: string;
}

/** An issuer with an empty firewall that was created for it, two hours ago. */
function planOf(metadata: SharedBy, more: Partial<Snapshot> = {}, status: Snapshot["issuer"]["status"] = {}): Plan {
  const createdFirewall = { id: "7", name: "ingress", createdTime: "2025-06-01T08:00:00Z" };
  return plan({
    issuer: {
      metadata: { ...meta("do"), ...metadata },
      spec: { provider: "digitalocean", routedIPFirewallName: "ingress", routedIPReclaimPolicy: "Delete" },
      status: { createdFirewall, ...status },
    },
    now: NOW,
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
  });
}

function does(...made: Parameters<typeof planOf>): readonly string[] {
  return planOf(...made).sequences.flatMap((each) => actionsOf(each).map((action) => action.do));
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

  it("has what deleted RoutedIPs left removed by the last one, once its own RoutedIPs have said what they need", () => {
    const retained = { retainedFirewalls: [PARTS] };
    const known = { machines: new Set<string>() };
    for (const users of [[], ["web/a"]]) {
      const cleans = (finalizers: readonly string[], more: Partial<Snapshot>) =>
        does({ finalizers }, { users, ...more }, retained).includes("clean-firewall");
      expect(cleans([OURS], known), "the last one").to.equal(true);
      expect(cleans([OURS], {}), "one has not decided").to.equal(false);
      expect(cleans([OURS, OTHERS], known), "not the last one").to.equal(false);
      expect(cleans([OURS], { ...known, cachesComplete: false }), "not all is read").to.equal(false);
    }
    expect(does({ finalizers: [OURS] }, known, retained), "it stays until they are gone").not.to.include(
      "remove-finalizer",
    );
    expect(planOf({ ...DELETED, finalizers: [OURS] }, known, retained).deletion?.left).to.include.members([
      ...['rule tcp 443 in firewall "ingress"', 'digitalocean://1 in firewall "ingress"'],
    ]);
  });

  it("is looked at again soon while something is left, or while its deletion waits for another one", () => {
    const afterMs = (metadata: SharedBy, status?: Snapshot["issuer"]["status"]) =>
      (planOf(metadata, {}, status).requeueAt ?? 0) - NOW;
    const retained = { retainedFirewalls: [PARTS] };
    const usual = CREDENTIALS_CHECK_SECONDS * 1000;
    expect(usual).to.be.greaterThan(JANITOR_RETRY_MS);
    expect(afterMs({ finalizers: [OURS] })).to.equal(usual);
    expect(afterMs({ finalizers: [OURS] }, retained)).to.equal(JANITOR_RETRY_MS);
    expect(afterMs({ finalizers: [OURS, OTHERS] }, retained), "another one cleans up").to.equal(usual);
    expect(afterMs({ ...DELETED, finalizers: [OTHERS] })).to.equal(JANITOR_RETRY_MS);
    expect(planOf({ finalizers: [OURS] }, { retryAt: NOW }).requeueAt, "a try that is due").to.equal(
      NOW + DUE_RETRY_PAUSE_MS,
    );
  });
});

describe("the machines that RoutedIPs of an issuer need in its firewalls", () => {
  const [N1, N2] = ["digitalocean://1", "digitalocean://2"];

  function rig() {
    const clock = new FakeClock();
    const firewalls = new FirewallRegistry(clock);
    const routed = new Map(["a", "b"].map((uid) => [`web/${uid}`, { metadata: { uid } }]));
    const routing = {
      ...{ firewalls, routed, synced: true, usersOfIssuer: () => [...routed.keys()], newerOf: () => [] },
      context: { clock, leads: () => true, nodes: { list: () => [] } },
    };
    const tools = { routing, accounts: { of: () => ({}) } } as unknown as IssuerTools;
    const memory: IssuerMemory = { firewall: undefined };
    const state = { key: "shared/do", memory, cleanup: { attempts: 0 } } as unknown as Parameters<typeof gather>[1];
    const issuer = { metadata: meta("do"), spec: { provider: "digitalocean" }, status: {} } as const;
    const machines = () => [...(gather(tools, state, issuer).snapshot.machines ?? ["unknown"])];
    return { clock, firewalls, memory, machines };
  }

  it("are known once each has decided", () => {
    const { firewalls, machines } = rig();
    firewalls.need("a", [N1]);
    expect(machines(), "b has not decided").to.deep.equal(["unknown"]);
    firewalls.need("b", [N2]);
    expect(machines()).to.deep.equal([N1, N2]);
  });

  it("do not matter for a while after a cleanup: the status may not show it yet", async () => {
    const { clock, firewalls, memory, machines } = rig();
    for (const uid of ["a", "b"]) firewalls.need(uid, [N1]);
    memory.partsCleanedAt = clock.monotonic();
    await clock.advance(JANITOR_RETRY_MS - 1);
    expect(machines()).to.deep.equal(["unknown"]);
    await clock.advance(1);
    expect(machines()).to.deep.equal([N1]);
  });
});
