import { type FirewallRule, type PreviousFirewall, routedIPIssuerKind, validateValue } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { FirewallRegistry } from "../../../src/routing/firewalls/firewall-registry.js";
import { partsLeft, partsOf, removeParts, withParts } from "../../../src/routing/firewalls/retained-parts.js";
import { SECOND_MS, SECOND_READ_SECONDS } from "../../../src/timings.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { FakeFirewalls, rule } from "./fake-firewalls.js";

const [N1, N2, N3] = ["digitalocean://1", "digitalocean://2", "digitalocean://3"] as const;

function recorded(ports: string, more: Partial<FirewallRule> = {}): FirewallRule {
  return { protocol: "tcp", ports, sources: ["0.0.0.0/0"], phase: "present", ...more };
}

const PARTS = { name: "ingress", rules: [recorded("443")], nodes: [N1] };

const OTHER: PreviousFirewall = { name: "other", rules: [], nodes: ["o1"] };

/** What many deleted RoutedIPs have left, one after the other. */
function leftBy(count: number, known: readonly PreviousFirewall[] = []): readonly PreviousFirewall[] {
  return Array.from({ length: count }, (_, index) => index).reduce(
    (all, index) =>
      withParts(all, { name: "ingress", rules: [recorded(`${2000 + index}`)], nodes: [`n${index}`] }) ?? all,
    known,
  );
}

describe("what deleted RoutedIPs have left in firewalls", () => {
  it("stays on record whole, however much it is: further entries of the firewall hold what one entry cannot", () => {
    const left = leftBy(300, [OTHER]);
    expect(left).to.deep.include(OTHER);
    const parts = partsOf(left, "ingress");
    const names = Array.from({ length: 300 }, (_, index) => `n${index}`);
    expect(parts.flatMap(({ nodes }) => nodes)).to.deep.equal(names);
    expect(new Set(parts.flatMap(({ rules }) => rules.map(({ ports }) => ports))).size).to.equal(300);
    expect(left).to.have.length(6);
  });

  it("has no more in an entry than the schema allows", () => {
    const status = { retainedFirewalls: leftBy(300) };
    expect(validateValue(routedIPIssuerKind.status, status, "status")).to.deep.equal([]);
  });

  it("is on record once, in whichever entry", () => {
    const left = leftBy(100);
    for (const index of [0, 70, 99]) {
      expect(withParts(left, { name: "ingress", rules: [recorded(`${2000 + index}`)], nodes: [`n${index}`] })).to.equal(
        undefined,
      );
    }
  });
});

describe("the parts of firewalls that deleted RoutedIPs have left, on record in the issuer", () => {
  it("come to what is on record, each once", () => {
    expect(withParts(undefined, PARTS)).to.deep.equal([PARTS]);
    expect(withParts([PARTS], { ...PARTS, rules: [recorded("443", { phase: "removing" })] })).to.equal(undefined);
    const other = { ...PARTS, name: "other" };
    const more = { name: "ingress", rules: [recorded("443"), recorded("80")], nodes: [N2, N1] };
    expect(withParts([PARTS, other], more)).to.deep.equal([
      other,
      { name: "ingress", rules: [recorded("443"), recorded("80")], nodes: [N1, N2] },
    ]);
    expect(withParts([PARTS], { ...PARTS, nodes: [N2] }), "no new rule").to.deep.equal([{ ...PARTS, nodes: [N1, N2] }]);
  });

  it("are those of one firewall, which no RoutedIP needs before it says so", () => {
    const parts = partsOf([PARTS, { ...PARTS, name: "other", nodes: [N2] }], "ingress");
    expect(parts).to.deep.equal([{ rules: [recorded("443", { phase: "removing" })], nodes: [N1] }]);
    expect(partsOf(undefined, "ingress")).to.deep.equal([]);
  });
});

describe("the last installation that uses an issuer", () => {
  const facts = { id: "7", name: "ingress", rules: [rule("443"), rule("22")], nodes: [N1, N2], pending: false };
  const nothing = { shares: [], machines: new Set<string>() };

  it("removes what the firewall still has and no RoutedIP needs, and forgets what it lacks", () => {
    const parts = { name: "ingress", rules: [recorded("443"), recorded("80")], nodes: [N1, N3] };
    expect(partsLeft(parts, facts, nothing)).to.deep.equal({ removeRules: [rule("443")], removeNodes: [N1] });
    expect(partsLeft(parts, "missing", nothing)).to.deep.equal({ removeRules: [], removeNodes: [] });
    const { removeNodes } = partsLeft(parts, { ...facts, mayHave: [N3] }, nothing);
    expect(removeNodes, "a machine that may be in it").to.deep.equal([N1, N3]);
  });

  it("leaves to its RoutedIPs what they have put there, too", () => {
    for (const phase of ["adding", "present", "removing"] as const) {
      const shares = [{ rules: [recorded("443", { phase })], nodes: [N1] }];
      expect(partsLeft(PARTS, facts, { ...nothing, shares }), phase).to.deep.equal({
        ...{ removeRules: [], removeNodes: [] },
      });
    }
  });

  it("keeps on record what its RoutedIPs need and have not put there", () => {
    const shares = [{ rules: [recorded("443", { preexisting: true })], nodes: [] }];
    const kept = { removeRules: [], removeNodes: [], kept: PARTS };
    expect(partsLeft(PARTS, facts, { shares, machines: new Set([N1]) })).to.deep.equal(kept);
    expect(partsLeft(PARTS, facts, { shares, machines: new Set() }), "the rule alone").to.deep.equal({
      ...{ removeRules: [], removeNodes: [N1], kept: { ...PARTS, nodes: [] } },
    });
    expect(partsLeft(PARTS, facts, { shares: [], machines: new Set([N1]) }), "the machine alone").to.deep.equal({
      ...{ removeRules: [rule("443")], removeNodes: [], kept: { ...PARTS, rules: [] } },
    });
    const over = [{ rules: [recorded("443", { preexisting: true, phase: "removing" })], nodes: [] }];
    expect(partsLeft(PARTS, facts, { ...nothing, shares: over }).removeRules, "not any more").to.deep.equal([
      rule("443"),
    ]);
  });
});

describe("the removal of what deleted RoutedIPs have left", () => {
  const context = {
    requester: { kind: "RoutedIPIssuer", namespace: "shared", name: "do" },
    why: "",
    priority: "records",
  };

  async function rig() {
    const cloud = new FakeFirewalls();
    const { provider } = cloud;
    cloud.add({ name: "ingress", rules: [rule("443"), rule("22")], nodes: [N1, N2] });
    const clock = new FakeClock();
    const shared = new FirewallRegistry(clock).of({}, "ingress");
    const caller = { provider, context } as Parameters<typeof removeParts>[1];
    await shared.read(caller, []);
    const remove = (...machines: readonly string[]) =>
      removeParts(shared, caller, { retained: PARTS, machines: new Set(machines), uid: "issuer" });
    return { clock, cloud, remove };
  }

  it("leaves what others have there, and what a RoutedIP needs, which stays on record", async () => {
    const { cloud, remove } = await rig();
    expect(await remove(N1)).to.deep.equal({ ...PARTS, rules: [] });
    expect(cloud.state).to.deep.equal({ ingress: `22 ${N1},${N2}` });
    expect(await remove()).to.equal(undefined);
    expect(cloud.state).to.deep.equal({ ingress: `22 ${N2}` });
    expect(await remove(), "nothing is left").to.equal(undefined);
  });

  it("decides on the firewall as it is now, and is not done while a call fails", async () => {
    const { clock, cloud, remove } = await rig();
    const [facts] = cloud.all.values();
    if (facts !== undefined) cloud.all.set(facts.id, { ...facts, nodes: [N2] });
    cloud.faults.set("apply", {});
    expect(await remove().catch(({ name }: Error) => name)).to.equal("ProviderError");
    expect(cloud.state).to.deep.equal({ ingress: `443,22 ${N2}` });
    cloud.faults.clear();
    expect(await remove(N1), "somebody has removed the machine").to.equal(undefined);
    expect(cloud.state).to.deep.equal({ ingress: `22 ${N2}` });
    cloud.all.clear();
    const removal = remove();
    await clock.advance(SECOND_READ_SECONDS * SECOND_MS);
    expect(await removal, "somebody has deleted it").to.equal(undefined);
  });
});
