import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import { ruleKey } from "../../../src/providers/diff.js";
import { ProviderError } from "../../../src/providers/errors.js";
import type { FirewallChange, FirewallFacts } from "../../../src/providers/firewall-types.js";
import type { FirewallCaller } from "../../../src/routing/firewalls/firewall-failures.js";
import { FirewallRegistry } from "../../../src/routing/firewalls/firewall-registry.js";
import type { SharedFirewall } from "../../../src/routing/firewalls/shared-firewall.js";
import { MINUTE_MS } from "../../../src/timings.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { FakeFirewalls, rule } from "./fake-firewalls.js";

const CONTEXT = {
  requester: { kind: "RoutedIP", namespace: "default", name: "a" },
  why: "test",
  priority: "check",
} as const;
const [A, B] = ["cloud://a", "cloud://b"];
const CREATION = { name: "ingress", rules: [], nodes: [B] };
/** Reads lag no longer behind writes. */
const SETTLED_MS = 30_000;

describe("a firewall whose list shows the state before a write of the operator", () => {
  let clock: FakeClock;
  let cloud: FakeFirewalls;
  let firewall: SharedFirewall;
  let caller: FirewallCaller;

  beforeEach(async () => {
    clock = new FakeClock();
    cloud = new FakeFirewalls();
    cloud.add({ name: "ingress", rules: [rule("443")], nodes: [A] });
    firewall = new FirewallRegistry(clock).of({}, "ingress");
    caller = { provider: cloud.provider, context: CONTEXT };
    await firewall.read(caller, []);
  });

  const seen = () => {
    const { facts } = firewall.view();
    return typeof facts === "object" ? `${facts.rules.map(({ ports }) => ports).join()} ${facts.nodes.join()}` : facts;
  };
  const change = (part: Partial<FirewallChange>) => {
    const { id, name } = firewall.view().facts as FirewallFacts;
    const none = { addRules: [], addNodes: [], removeRules: [], removeNodes: [] };
    return firewall.apply(caller, "a", { id, name, ...none, ...part });
  };
  const removeIt = async () => {
    expect(await firewall.remove(caller, cloud.facts("ingress")), "it is not empty").to.equal(false);
    await change({ removeNodes: [A], removeRules: [rule("443")] });
    expect(await firewall.remove(caller, cloud.facts("ingress"))).to.equal(true);
  };
  /** All reads show the firewalls of now; the next call fails, so that the firewall is read again. */
  const freeze = () => {
    const before = new Map(cloud.all);
    const live = cloud.provider.survey.bind(cloud.provider);
    Object.assign(cloud.provider, {
      survey: async (...args: Parameters<typeof live>) => {
        const now = new Map(cloud.all);
        cloud.replace(before);
        const survey = await live(...args);
        cloud.replace(now);
        return survey;
      },
    });
  };
  const readAgain = async () => {
    cloud.faults.set("apply", {}).set("create", {});
    const call =
      firewall.view().facts === "missing" ? firewall.create(caller, CREATION) : change({ addRules: [rule("1")] });
    await call.catch(() => undefined);
    cloud.faults.clear();
    await firewall.read(caller, []);
  };

  it("keeps the machines and rules that it added, and does not get back those that it removed", async () => {
    freeze();
    await change({ addNodes: [B], addRules: [rule("80")] });
    await change({ removeNodes: [A], removeRules: [rule("443")] });
    await readAgain();
    expect(seen()).to.equal(`80 ${B}`);
    await change({ removeNodes: [B] });
    expect(cloud.state).to.deep.equal({ ingress: "80 " });
  });

  it("is not removed as empty after a change that failed, before it is read again", async () => {
    await change({ removeNodes: [A], removeRules: [rule("443")] });
    cloud.faults.set("apply", {});
    // The removal waits for the change of another RoutedIP to end.
    const added = change({ addNodes: [B] }).catch(() => undefined);
    expect(await firewall.remove(caller, cloud.facts("ingress"))).to.equal(false);
    await added;
    await firewall.read(caller, []);
    expect(await firewall.remove(caller, cloud.facts("ingress"))).to.equal(true);
  });

  for (const [what, added] of [
    ["a rule", { rules: [rule("8080")] }],
    ["a machine", { nodes: [B] }],
  ] as const) {
    it(`is not removed as empty after others have added ${what} that was not read yet`, async () => {
      await change({ removeNodes: [A], removeRules: [rule("443")] });
      const facts = { ...cloud.facts("ingress"), ...added };
      cloud.replace(new Map([[facts.id, facts]]));
      expect(await firewall.remove(caller, facts)).to.equal(false);
      expect(firewall.view().facts).to.deep.include(added);
    });
  }

  describe("after an addition whose answer was lost", () => {
    beforeEach(async () => {
      freeze();
      const apply = cloud.provider.apply.bind(cloud.provider);
      const lost = {
        kind: "Unavailable",
        where: "test",
        seen: "no answer",
        remedy: "wait",
        outcome: "unknown",
      } as const;
      Object.assign(cloud.provider, {
        apply: async (...args: Parameters<typeof apply>) => {
          await apply(...args);
          throw new ProviderError(lost);
        },
      });
      await change({ addNodes: [B] }).catch(() => undefined);
      Object.assign(cloud.provider, { apply });
      await firewall.read(caller, []);
      expect(seen(), "for the assignment of an address").to.equal(`443 ${A}`);
    });

    it("may have the machine, which is removed when nothing needs it", async () => {
      await change({ removeNodes: [B] });
      expect(cloud.state).to.deep.equal({ ingress: `443 ${A}` });
      expect(firewall.view().facts).to.deep.include({ mayHave: [] });
    });

    it("is not removed as empty", async () => {
      await change({ removeNodes: [A], removeRules: [rule("443")] });
      expect(await firewall.remove(caller, cloud.facts("ingress"))).to.equal(false);
      expect(cloud.state).to.deep.equal({ ingress: ` ${B}` });
    });

    it("has what a list shows that is 30 s younger", async () => {
      await clock.advance(SETTLED_MS);
      await readAgain();
      expect(firewall.view().facts).not.to.have.property("mayHave");
    });
  });

  it("is believed when it was read 30 s after the write", async () => {
    await change({ addNodes: [B] });
    cloud.all.set("id-1", { ...cloud.facts("ingress"), nodes: [] });
    await clock.advance(SETTLED_MS - 1);
    await readAgain();
    expect(seen()).to.equal(`443 ${B}`);
    await clock.advance(1);
    await readAgain();
    expect(seen()).to.equal("443 ");
  });

  it("exists after its creation, and not after its removal", async () => {
    freeze();
    await removeIt();
    await readAgain();
    expect(seen()).to.equal("missing");
    await firewall.create(caller, CREATION);
    await readAgain();
    expect(seen()).to.equal(` ${B}`);
  });

  it("counts what others take out of it, until they leave it alone for ten minutes", async () => {
    const undoings = 2;
    for (let at = 0; at < undoings; at += 1) {
      await change({ addNodes: [B], addRules: [rule("80")] });
      cloud.all.set("id-1", { ...cloud.facts("ingress"), rules: [rule("443")], nodes: [A] });
      await clock.advance(MINUTE_MS);
      await firewall.read(caller, []);
    }
    const reverts = () => [...firewall.view().reverts].map(([item, times]) => `${item}: ${times.length}`);
    expect(reverts()).to.deep.equal([`tcp 80: ${undoings}`, `${B}: ${undoings}`]);
    await change({ addNodes: [B] });
    await change({ removeNodes: [B] });
    for (let at = 0; at < 10; at += 1) {
      await clock.advance(MINUTE_MS);
      await firewall.read(caller, []);
    }
    expect(reverts(), "the operator itself took the machine out").to.deep.equal([]);
  });

  it("knows what others took out, whoever had put it there, until it is there again", async () => {
    const taken = () => [...firewall.view().taken];
    await change({ addNodes: [B] });
    expect(taken()).to.deep.equal([]);
    cloud.all.set("id-1", {
      ...cloud.facts("ingress"),
      rules: [{ ...rule("443"), sources: ["192.0.2.0/24"] }],
      nodes: [],
    });
    await clock.advance(MINUTE_MS);
    await firewall.read(caller, []);
    expect(taken()).to.deep.equal([ruleKey(rule("443")), A, B]);
    await change({ addRules: [rule("443")] });
    await change({ addNodes: [A] });
    await change({ removeNodes: [A] });
    await clock.advance(MINUTE_MS);
    await firewall.read(caller, []);
    expect(taken(), "the operator itself took one out").to.deep.equal([B]);
  });

  it("knows after a restart which of the rules on record others took out meanwhile", async () => {
    const restarted = new FirewallRegistry(clock).of({}, "ingress");
    const { protocol, sources } = rule("80");
    const record = (ports: string, phase: "present" | "adding") => ({
      protocol: protocol as "tcp",
      ports,
      sources,
      phase,
    });
    restarted.record("uid", {
      rules: [record("443", "present"), record("80", "present"), record("81", "adding")],
      nodes: [A, B],
    });
    await restarted.read(caller, []);
    expect([...restarted.view().taken]).to.deep.equal([ruleKey(rule("80"))]);
  });

  it("is known by its new name when somebody renames it, also once there is another one, until it is gone", async () => {
    const read = async () => {
      await clock.advance(MINUTE_MS);
      await firewall.read(caller, []);
      return firewall.view().renamed;
    };
    expect(await read()).to.equal(undefined);
    cloud.all.set("id-1", { ...cloud.facts("ingress"), name: "web" });
    expect(await read()).to.equal("web");
    await firewall.create(caller, CREATION);
    expect(await read()).to.equal("web");
    cloud.all.delete("id-1");
    expect(await read()).to.equal(undefined);
  });

  it("is known by its id from the status after a restart", async () => {
    const restarted = new FirewallRegistry(clock).of({}, "ingress");
    restarted.former.note("id-1");
    cloud.all.set("id-1", { ...cloud.facts("ingress"), name: "web" });
    await restarted.read(caller, []);
    expect(restarted.view()).to.include({ facts: "missing", renamed: "web" });
  });

  it("is gone when the provider says so of the next call", async () => {
    await removeIt();
    await firewall.create(caller, CREATION);
    cloud.all.clear();
    cloud.faults.set("apply", { kind: "Conflict", status: 404 });
    await change({ addNodes: [A] }).catch(() => undefined);
    await firewall.read(caller, []);
    expect(seen()).to.equal("missing");
  });
});
