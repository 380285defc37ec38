import { Finalizer, type RoutedIPIssuerSpec, type RoutedIPIssuerStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { Snapshot } from "../../../src/controllers/routed-ip-issuer/gather.js";
import { plan } from "../../../src/controllers/routed-ip-issuer/plan.js";
import type { ObjectMeta } from "../../../src/kube/objects.js";
import { actionsOf } from "../../../src/reconcile/plan.js";
import { inUseFinalizersOf } from "../../../src/routing/in-use.js";
import { meta } from "../../claims/resources.js";

const FIREWALL = { id: "7", name: "ingress", rules: [], nodes: [], pending: false };
const NOW = Date.parse("2025-06-01T10:00:00Z");
const YEAR_MS = 365 * 24 * 3_600_000;
const IN_USE = { finalizers: [Finalizer.inUse] };
const GOING = { ...IN_USE, deletionTimestamp: "2025-06-01T09:00:00Z" };
const CREATED = { createdFirewall: { id: "7", name: "ingress", createdTime: "2025-06-01T08:00:00Z" } };

interface Parts {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: Partial<RoutedIPIssuerSpec>;
  readonly status?: RoutedIPIssuerStatus;
}

function snapshot({ metadata, spec, status = {} }: Parts = {}, more: Partial<Snapshot> = {}): Snapshot {
  return {
    issuer: { metadata: { ...meta("do"), ...metadata }, spec: { provider: "digitalocean", ...spec }, status },
    ...{ now: NOW, accountUse: { isUsed: false } },
    finalizers: inUseFinalizersOf({ namespace: "flipop", watchNamespaces: [] }),
    cachesComplete: true,
    account: "good",
    regions: new Set(["nyc3"]),
    firewall: "none",
    users: [],
    leaving: [],
    cleanup: { attempts: 0 },
    ...more,
  };
}

function does(made: Snapshot): readonly string[] {
  return plan(made).sequences.flatMap((each) => actionsOf(each).map((action) => action.do));
}

function ready(made: Snapshot): string {
  const [condition] = plan(made).conditions;
  return `${condition?.status}/${condition?.reason}`;
}

describe("the plan of an issuer", () => {
  it("says when the operator tries refused credentials again, until it has tried", () => {
    const failing = { account: { failure: { reason: "Unauthorized", message: "refused" } } } as const;
    const retryAt = "2025-06-01T10:01:00.000Z";
    expect(plan(snapshot({}, { ...failing, accountRetryAt: NOW + 60_000 })).retryAt).to.equal(retryAt);
    expect(plan(snapshot({}, { ...failing, accountRetryAt: NOW + 10_000 })).retryAt, "a short wait").to.equal(
      undefined,
    );
    const between = { ...failing, now: NOW + 30_000, accountRetryAt: NOW + 60_000 };
    expect(plan(snapshot({ status: { retryAt } }, between)).retryAt).to.equal(retryAt);
    expect(plan(snapshot({ status: { retryAt } })).retryAt, "it answers").to.equal(undefined);
  });

  it("names the RoutedIPs for which its deletion waits", () => {
    const waiting = plan(snapshot({ metadata: GOING }, { users: ["web/a"] })).unserved;
    expect(waiting?.reason).to.equal("InUse");
    expect(waiting?.message).to.contain("1 RoutedIP uses it (web/a) and stays");
    expect(waiting?.message, "how to keep the addresses, before any deletion").to.match(
      /stays as it is.*first create another issuer.*Retain.*delete these RoutedIPs/,
    );
    expect(plan(snapshot({ metadata: GOING })).unserved, "not used").to.equal(undefined);
    expect(plan(snapshot({ metadata: IN_USE }, { users: ["web/a"] })).unserved, "not deleted").to.equal(undefined);
  });

  it("says first what its deletion waits for, whatever else keeps it from serving", () => {
    const failing = { account: { failure: { reason: "Unauthorized", message: "refused" } } } as const;
    const waiting = plan(snapshot({ metadata: GOING }, { users: ["web/a"], ...failing })).unserved;
    expect(waiting?.message).to.include("the deletion waits until no RoutedIP uses the issuer (web/a)");
    const createdFirewall = { name: "ingress", id: "fw", createdTime: "2025-06-01T09:00:00Z" };
    const spec = { routedIPReclaimPolicy: "Delete" } as const;
    const alone = snapshot({ metadata: GOING, spec, status: { createdFirewall } }, failing);
    const cause = failing.account.failure;
    expect(plan(alone).deletion).to.deep.equal({
      left: ['firewall "ingress", which was created for it'],
      cause,
    });
    expect(plan(snapshot({}, failing)).deletion, "not deleted").to.equal(undefined);
  });

  it("says what a firewall still has, not that the Secret is missing, while the last token is good", () => {
    const problem = { reason: "SecretNotFound", message: "Secret web/do does not exist" } as const;
    const rules = [{ protocol: "tcp", ports: "443", sources: ["0.0.0.0/0"], otherSources: false }] as const;
    const spec = { routedIPReclaimPolicy: "Delete", routedIPFirewallName: "ingress" } as const;
    const of = (more: Partial<Snapshot>) =>
      plan(snapshot({ metadata: GOING, spec, status: CREATED }, { problem, ...more })).deletion;
    const left = 'firewall "ingress", which was created for it';
    expect(of({ firewall: { ...FIREWALL, rules, nodes: ["digitalocean://1"] } })).to.deep.equal({
      left: [`${left} and still has tcp 443, digitalocean://1`],
    });
    expect(of({ firewall: FIREWALL }), "it is empty").to.deep.equal({ left: [left] });
    expect(of({ firewall: "unknown", account: "untried" }), "no token").to.deep.equal({ left: [left], cause: problem });
  });

  it("names the finalizer that keeps a RoutedIP that is being deleted already", () => {
    const leaving = [{ user: "web/a", finalizers: ["example.com/gitops"] }];
    const waiting = plan(snapshot({ metadata: GOING }, { users: ["web/a"], leaving })).unserved;
    expect(waiting?.message)
      .to.include("finalizer example.com/gitops keeps it")
      .and.not.to.match(/goe?s? on serving/);
  });

  it("blames its credentials for a cleanup that fails only where the provider refuses them", () => {
    const waiting = (reason: "Unauthorized" | "Invalid") => {
      const firewall = { failure: { reason, message: "no" } };
      return plan(snapshot({ metadata: GOING }, { users: ["web/a"], firewall })).conditions[0]?.message;
    };
    expect(waiting("Unauthorized")).to.contain("; with its credentials, the operator cannot clean up after them: no");
    expect(waiting("Invalid")).to.contain("; the operator cannot yet clean up after them: no");
  });

  it("says whether it is fit to work", () => {
    const failure = { failure: { reason: "Unauthorized", message: "no" } } as const;
    const rows: readonly (readonly [Snapshot, string])[] = [
      [snapshot(), "True/Observed"],
      [snapshot({}, { account: "untried" }), "Unknown/NotObserved"],
      [snapshot({}, { account: failure }), "False/Unauthorized"],
      [snapshot({}, { problem: { reason: "SecretNotFound", message: "gone" } }), "False/SecretNotFound"],
      [snapshot({ spec: { region: "ams3" } }), "False/WrongRegion"],
      [snapshot({ spec: { region: "nyc3" } }), "True/Observed"],
      [snapshot({ spec: { region: "ams3" } }, { regions: new Set() }), "True/Observed"],
      [snapshot({}, { firewall: "unknown" }), "Unknown/NotObserved"],
      [snapshot({}, { firewall: "missing" }), "True/FirewallNotFound"],
      [
        snapshot({}, { firewall: { failure: { reason: "FirewallForbidden", message: "k8s-" } } }),
        "False/FirewallForbidden",
      ],
      [snapshot({}, { firewall: FIREWALL }), "True/Observed"],
    ];
    for (const [made, expected] of rows) expect(ready(made)).to.equal(expected);
  });

  it("is kept as long as a RoutedIP uses it", () => {
    expect(does(snapshot({}, { users: ["default/a"] }))).to.deep.equal(["add-finalizer"]);
    expect(does(snapshot({ metadata: GOING }, { users: ["default/a"] }))).to.be.empty;
    expect(does(snapshot({ metadata: GOING }))).to.deep.equal(["remove-finalizer"]);
    expect(does(snapshot({ metadata: GOING }, { cachesComplete: false }))).to.be.empty;
    const late = { now: NOW + YEAR_MS, cleanup: { attempts: 1000, since: NOW } };
    expect(does(snapshot({ metadata: GOING }, { users: ["default/a"], ...late })), "without a deadline").to.be.empty;
  });

  it("says of a firewall to come that a RoutedIP has to need it first", () => {
    const { conditions } = plan(snapshot({}, { firewall: "missing" }));
    const accepted = conditions.find(({ type }) => type === "Accepted");
    expect(accepted?.message).to.match(/ when a RoutedIP first needs a rule there and a node may join it$/);
  });

  it("takes the firewall with it that it created, once it is empty, under Delete alone", () => {
    const spec = { routedIPReclaimPolicy: "Delete" } as const;
    const going = { metadata: GOING, spec, status: CREATED };
    expect(does(snapshot(going, { firewall: FIREWALL }))).to.deep.equal([
      "remove-firewall",
      "record-firewall",
      "remove-finalizer",
    ]);
    expect(does(snapshot({ ...going, spec: {} }, { firewall: FIREWALL }))).to.deep.equal(["remove-finalizer"]);
    expect(does(snapshot(going, { firewall: { ...FIREWALL, nodes: ["digitalocean://1"] } }))).to.be.empty;
    expect(does(snapshot(going, { firewall: { ...FIREWALL, id: "8" } }))[0]).to.equal("record-firewall");
  });

  it("deletes an empty firewall that it created while it is named, unless a RoutedIP uses the issuer", () => {
    const spec = { routedIPReclaimPolicy: "Delete", routedIPFirewallName: FIREWALL.name } as const;
    const named = { spec, status: CREATED };
    expect(does(snapshot(named, { firewall: FIREWALL }))).to.include("remove-firewall");
    expect(does(snapshot(named, { firewall: FIREWALL, users: ["default/a"] }))).to.not.include("remove-firewall");
  });

  describe("that has created firewalls under earlier names", () => {
    const former = { id: "6", name: "before", createdTime: "2025-06-01T07:00:00Z" };
    const status = { ...CREATED, formerFirewalls: [former] };
    const empty = { ...FIREWALL, ...former };
    const made = (facts: typeof empty | "missing" | undefined, parts: Parts = {}, users = ["default/a"]) => {
      const spec = { routedIPReclaimPolicy: "Delete", routedIPFirewallName: "ingress", ...parts.spec } as const;
      const seen = facts === undefined ? {} : { former: new Map([[former.name, facts]]) };
      return snapshot({ metadata: IN_USE, status, ...parts, spec }, { users, firewall: FIREWALL, ...seen });
    };

    it("removes each that is empty, although RoutedIPs use the issuer", () => {
      const [removal, forget] = plan(made(empty)).sequences.flatMap(actionsOf);
      expect(removal).to.deep.include({ do: "remove-firewall", firewall: empty });
      expect(forget).to.deep.include({ do: "record-firewall", name: "before", created: undefined });
      expect(does(made({ ...empty, nodes: ["digitalocean://1"] as never[] })), "a node").to.be.empty;
      expect(does(made(undefined)), "not read").to.be.empty;
    });

    it("takes one off the record that is not there, or not the one that was created", () => {
      expect(does(made("missing"))).to.deep.equal(["record-firewall"]);
      expect(does(made({ ...empty, id: "9" }))).to.deep.equal(["record-firewall"]);
    });

    it("waits for one whose creation may be under way, and for no other one", () => {
      const named = (id: string, minutes: number) => {
        const created = { ...former, id, createdTime: new Date(NOW - minutes * 60_000).toISOString() };
        return does(made("missing", { status: { ...CREATED, formerFirewalls: [created] } }));
      };
      expect(named("", 0)).to.be.empty;
      expect(named("", 60)).to.deep.equal(["record-firewall"]);
      expect(named("6", 0)).to.deep.equal(["record-firewall"]);
    });

    it("keeps the one that it names again, and removes the other one", () => {
      const spec = { routedIPFirewallName: "before" };
      const again = made(undefined, { spec });
      const seen = { ...again, firewall: empty, former: new Map([["ingress", FIREWALL]]) };
      expect(plan(seen).sequences.flatMap(actionsOf)[0]).to.deep.include({ firewall: FIREWALL });
    });

    it("goes after all of them, and says which it leaves behind", () => {
      expect(does(made(empty, { metadata: GOING }, [])).filter((each) => each === "remove-firewall")).to.have.length(2);
      expect(plan(made(undefined, { metadata: GOING }, [])).deletion?.left).to.deep.equal([
        'firewall "ingress", which was created for it',
        'firewall "before", which was created for it',
      ]);
    });
  });

  it("gives up after the deadline, and says what stays", () => {
    const going = { metadata: { ...GOING, deletionTimestamp: "2025-06-01T08:00:00Z" }, status: CREATED };
    const failing = { firewall: { failure: { reason: "Unauthorized", message: "no" } } } as const;
    const made = (attempts: number) => {
      const cleanup = { attempts, since: NOW - 600_000 };
      return snapshot({ ...going, spec: { routedIPReclaimPolicy: "Delete" } }, { ...failing, cleanup });
    };
    expect(does(made(9))).to.be.empty;
    expect(plan(made(10)).sequences.flatMap(actionsOf)[0]).to.deep.include({
      do: "remove-finalizer",
      abandonedItems: ['firewall "ingress", which was created for it'],
    });
  });

  describe("with additional firewalls", () => {
    const recorded = { id: "8", name: "ingress-2", createdTime: "2025-06-01T09:00:00Z" };
    const [empty, used] = [
      { ...FIREWALL, ...recorded },
      { ...FIREWALL, ...recorded, nodes: ["digitalocean://1"] },
    ];
    const status = { ...CREATED, additionalFirewalls: [recorded] };
    const FULL = { ...FIREWALL, nodes: ["digitalocean://2"] };
    const inUse = (additional: Snapshot["additional"], more = recorded) => {
      const made = { metadata: IN_USE, status: { ...status, additionalFirewalls: [more] } };
      return snapshot(made, { users: ["default/a"], firewall: FULL, ...(additional && { additional }) });
    };

    it("removes each that is empty, and then takes it off the record", () => {
      expect(does(inUse([empty]))).to.deep.equal(["remove-additional", "record-additional"]);
      expect(does(inUse([used]))).to.be.empty;
      expect(does(inUse(undefined)), "not read").to.be.empty;
    });

    it("takes one off the record that is not there, but not one whose creation may be under way", () => {
      const [forget] = plan(inUse([])).sequences.flatMap(actionsOf);
      expect(forget).to.include({ do: "record-additional", name: "ingress-2" }).and.not.have.property("id");
      expect(does(inUse([], { ...recorded, id: "", createdTime: "2025-06-01T09:59:00Z" }))).to.be.empty;
    });

    it("records the id of one whose creation was not answered", () => {
      const [action] = plan(inUse([used], { ...recorded, id: "" })).sequences.flatMap(actionsOf);
      expect(action).to.include({ do: "record-additional", name: "ingress-2", id: "8" });
      expect(action, "the answer may have come").to.include({ why: "it was created, and its id is not on record yet" });
    });

    it("is not blocked by them when it is about to be used", () => {
      const made = snapshot({ status }, { users: ["default/a"], firewall: FULL, additional: [empty] });
      expect(does(made)[0]).to.equal("add-finalizer");
    });

    for (const policy of ["Delete", "Retain"] as const) {
      it(`goes after they are gone, and says which it leaves behind, under ${policy}`, () => {
        const spec = { routedIPReclaimPolicy: policy };
        const going = (more: Partial<Snapshot>, left = status.additionalFirewalls) =>
          snapshot({ metadata: GOING, spec, status: { additionalFirewalls: left } }, { firewall: FULL, ...more });
        const all = ["remove-additional", "record-additional", "remove-finalizer"];
        expect(does(going({ additional: [empty] }))).to.deep.equal(all);
        expect(does(going({ additional: [used] })), "a node of others").to.be.empty;
        expect(does(going({})), "not read").to.be.empty;
        const late = going({ additional: [used], cleanup: { attempts: 10, since: NOW - 600_000 } });
        expect(plan(late).sequences.flatMap(actionsOf)[0]).to.deep.include({
          do: "remove-finalizer",
          abandonedItems: ['firewall "ingress-2", which was created for it and still has digitalocean://1'],
        });
      });
    }
  });

  it("finds the firewall again whose creation was not answered", () => {
    const status = { createdFirewall: { ...CREATED.createdFirewall, id: "" } };
    const made = snapshot({ metadata: IN_USE, status }, { users: ["default/a"], firewall: FIREWALL });
    expect(plan(made).sequences.flatMap(actionsOf)[0]).to.deep.include({
      do: "record-firewall",
      created: CREATED.createdFirewall,
    });
  });
});
