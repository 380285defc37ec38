import type { CreatedFirewall } from "cdk8s-flipop/api";
import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import type { FirewallChange } from "../../../src/providers/firewall-types.js";
import { FirewallRegistry } from "../../../src/routing/firewalls/firewall-registry.js";
import type { SharedFirewall } from "../../../src/routing/firewalls/shared-firewall.js";
import { SECOND_MS, SECOND_READ_SECONDS } from "../../../src/timings.js";
import { errorOf } from "../../support/http-rig.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { FakeFirewalls, PER_FIREWALL, rule } from "./fake-firewalls.js";

const ISSUER = "default/do";
const TIME = "2025-01-01T00:00:00Z";
const CONTEXT = {
  requester: { kind: "RoutedIP", namespace: "default", name: "a" },
  why: "test",
  priority: "check",
} as const;

describe("additional firewalls", () => {
  let clock: FakeClock;
  let cloud: FakeFirewalls;
  let registry: FirewallRegistry;
  let firewall: SharedFirewall;
  /** Ids as they are on record; `undefined`: taken off it. */
  let recorded: (string | undefined)[];
  const account = {};
  const recovering = { recovered: 0 };

  beforeEach(async () => {
    clock = new FakeClock();
    cloud = new FakeFirewalls();
    recorded = [];
    recovering.recovered = 0;
    cloud.add({ name: "fw", rules: [rule("443"), rule("9", true)], nodes: ["a", "b"] });
    await restart();
  });

  /** A process that knows only what the issuer has on record, and what it reads. */
  async function restart(...onRecord: readonly Partial<CreatedFirewall>[]): Promise<void> {
    registry = new FirewallRegistry(clock);
    firewall = registry.of(account, "fw");
    firewall.additional.note(
      ISSUER,
      onRecord.map((each) => ({ id: "", name: "fw-2", createdTime: TIME, ...each })),
    );
    await firewall.read(caller(), []);
  }

  function caller() {
    return { provider: cloud.provider, context: CONTEXT, account: recovering };
  }

  function extend(node: string, name = "fw-2"): Promise<boolean> {
    const record = (id: string | undefined) => Promise.resolve(void recorded.push(id));
    return firewall.extend(caller(), { name, nodes: [node], record });
  }

  function apply(part: Partial<FirewallChange>): Promise<boolean> {
    const nothing = { addRules: [], addNodes: [], removeRules: [], removeNodes: [] };
    return firewall.apply(caller(), "uid", { id: "id-1", name: "fw", ...nothing, ...part });
  }

  function view() {
    return firewall.group(PER_FIREWALL);
  }

  it("are on record before and after the creation, and have the rules that they can have", async () => {
    expect(view()).to.include({ room: 0, next: "fw-2" });
    expect(await extend("c")).to.equal(true);
    expect(recorded).to.deep.equal(["", "id-2"]);
    expect(cloud.state).to.deep.equal({ fw: "443,9 a,b", "fw-2": "443 c" });
    expect(view()).to.include({ room: 1, next: "fw-3" });
    expect(firewall.view().facts).to.have.property("nodes").that.deep.equals(["a", "b", "c"]);
  });

  it("are known after a crash between the creation and the record of its id", async () => {
    cloud.add({ name: "fw-2", rules: [rule("443")], nodes: ["c"] });
    await restart({ id: "" });
    expect(view()).to.include({ room: 1, next: "fw-3" });
  });

  it("are not those of a person, whatever their names", async () => {
    cloud.add({ name: "fw-2", rules: [rule("22")], nodes: ["c"] });
    await restart();
    expect(view()).to.deep.include({ room: 0, additional: [], next: "fw-3" });
    await restart({ id: "id-of-one-that-was-deleted" });
    expect(view()).to.deep.include({ room: 0, additional: [], next: "fw-3" });
  });

  it("are not those that an issuer names, nor take their names", async () => {
    registry.of(account, "fw-3");
    cloud.add({ name: "fw-2", rules: [], nodes: ["c"] });
    await restart({ id: "id-2" });
    expect(view()).to.deep.include({ room: 1, next: "fw-3" });
    registry.of(account, "fw-2");
    registry.of(account, "fw-3");
    expect(view()).to.deep.include({ room: 0, additional: [], next: "fw-4" });
  });

  it("are created once for all that need one at the same time", async () => {
    expect(await Promise.all([extend("c"), extend("d")])).to.deep.equal([true, false]);
    expect(recorded).to.deep.equal(["", "id-2"]);
    expect(await apply({ addNodes: ["d"] })).to.equal(true);
    expect(cloud.state["fw-2"]).to.equal("443 c,d");
  });

  it("are not on record if no RoutedIP wants one any more when its turn comes", async () => {
    const context = { ...CONTEXT, recheck: () => "the node has left" };
    const record = (id: string | undefined) => Promise.resolve(void recorded.push(id));
    const call = firewall.extend({ ...caller(), context }, { name: "fw-2", nodes: ["c"], record });
    expect(await errorOf(call)).to.deep.include({ reason: "Superseded", outcome: "not-sent" });
    expect(recorded).to.deep.equal([]);
  });

  it("are created, and joined, though what was read before the wait is too old when the turn comes", async () => {
    const isFresh = () => firewall.view().due === undefined && firewall.view().coveredBy.has("c");
    const context = { ...CONTEXT, recheck: () => (isFresh() ? undefined : "what was read is too old") };
    await firewall.read(caller(), ["c"]);
    await clock.advance(61_000);
    const record = (id: string | undefined) => Promise.resolve(void recorded.push(id));
    const extension = { name: "fw-2", nodes: ["c"], record };
    expect(await firewall.extend({ ...caller(), context }, extension)).to.equal(true);
    await clock.advance(61_000);
    const nothing = { addRules: [], addNodes: [], removeRules: [], removeNodes: [] };
    const change = { ...nothing, id: "id-1", name: "fw", addNodes: ["d"] };
    const again = { ...context, recheck: () => (firewall.view().coveredBy.has("d") ? undefined : "too old") };
    expect(await firewall.apply({ ...caller(), context: again }, "uid", change)).to.equal(true);
    expect(cloud.state["fw-2"]).to.equal("443 c,d");
  });

  it("stay known when a change of them is not wanted any more", async () => {
    const context = { ...CONTEXT, recheck: () => "the port is closed" };
    const nothing = { addRules: [], addNodes: [], removeRules: [], removeNodes: [] };
    const change = { ...nothing, id: "id-1", name: "fw", addRules: [rule("80")] };
    await errorOf(firewall.apply({ ...caller(), context }, "uid", change));
    expect(firewall.view().facts).to.be.an("object");
  });

  it("stay known when the last wait before the call shows that a change is not wanted any more, if nothing was sent", async () => {
    cloud.faults.set("apply", { kind: "Conflict", reason: "Superseded", outcome: "not-sent" });
    await errorOf(apply({ addRules: [rule("80")], removeNodes: ["a"] }));
    expect(firewall.view().facts, "one part may have been sent").to.equal("unknown");
    await firewall.read(caller(), []);
    await errorOf(apply({ addRules: [rule("80")] }));
    expect(firewall.view().facts).to.be.an("object");
    expect(firewall.view().due, "a change waits for the next reading").to.equal(true);
    cloud.faults.set("apply", { kind: "Unavailable", reason: "Cancelled", outcome: "unknown" });
    await errorOf(apply({ addRules: [rule("80")] }));
    expect(firewall.view().facts, "it was sent").to.equal("unknown");
  });

  it("get each change of rules, and lose a node wherever it is", async () => {
    await extend("c");
    await apply({ addRules: [rule("80")] });
    await apply({ removeRules: [rule("443")], removeNodes: ["a", "c"] });
    expect(cloud.state).to.deep.equal({ fw: "9,80 b", "fw-2": "80 " });
  });

  it("get the rules back that a person removes from one of them", async () => {
    await extend("c");
    cloud.all.set("id-2", { ...cloud.add({ name: "fw-2", rules: [], nodes: ["c"] }), id: "id-2" });
    cloud.all.delete("id-3");
    await restart({ id: "id-2" });
    expect(view()).to.include({ outOfStep: true });
    await apply({});
    expect(cloud.state["fw-2"]).to.equal("443 c");
    expect(view()).to.include({ outOfStep: false });
  });

  it("say that a node is not in when another has taken the last place, or nothing is known any more", async () => {
    await extend("c");
    const all = await Promise.all([apply({ addNodes: ["d"] }), apply({ addNodes: ["e"] })]);
    expect(all).to.deep.equal([true, false]);
    cloud.faults.set("apply", { outcome: "unknown" });
    const lost = [errorOf(apply({ addRules: [rule("80")] })), apply({ removeNodes: ["d"] })];
    expect((await Promise.all(lost))[1], "after a change whose answer was lost").to.equal(false);
  });

  it("go off the record when the provider refuses one, and are tried again in time, or when the account recovers", async () => {
    cloud.faults.set("create", { outcome: "refused" });
    await errorOf(extend("c"));
    expect(recorded).to.deep.equal(["", undefined]);
    expect(view()?.failure?.message).to.contain("answer 403");
    expect(view()?.retryAt).to.be.greaterThan(clock.now());
    expect(firewall.view().failure, "the others go on").to.equal(undefined);
    recovering.recovered += 1;
    expect(view()?.retryAt).to.equal(undefined);
    cloud.faults.clear();
    await extend("c");
    expect(view()?.failure).to.equal(undefined);
  });

  it("stay on record when the answer is lost", async () => {
    cloud.faults.set("create", { kind: "Unavailable", outcome: "unknown" });
    await errorOf(extend("c"));
    expect(recorded).to.deep.equal([""]);
    cloud.faults.set("create", { kind: "Conflict", outcome: "refused" });
    await clock.advance(600_000);
    await firewall.read(caller(), []);
    await errorOf(extend("c"));
    expect(recorded, "the first creation may have taken the name").to.deep.equal(["", ""]);
    cloud.faults.clear();
    await clock.advance(600_000);
    await firewall.read(caller(), []);
    expect(await extend("c")).to.equal(true);
    expect(recorded.at(-1)).to.equal("id-2");
  });

  it("are removed only if they are still empty when they are read again", async () => {
    await extend("c");
    expect(await firewall.removeAdditional(caller(), { id: "id-2" })).to.equal(false);
    await apply({ removeNodes: ["c"] });
    expect(await firewall.removeAdditional(caller(), { id: "id-2" })).to.equal(true);
    expect(Object.keys(cloud.state)).to.deep.equal(["fw"]);
    expect(view()).to.include({ next: "fw-2" });
  });

  it("are created again after a person has deleted one", async () => {
    await extend("c");
    cloud.all.delete("id-2");
    const restarted = restart({ id: "id-2" });
    await clock.advance(SECOND_READ_SECONDS * SECOND_MS);
    await restarted;
    expect(firewall.view().facts).to.have.property("nodes").that.deep.equals(["a", "b"]);
    expect(await extend("c")).to.equal(true);
    expect(recorded.slice(2), "a new id").to.deep.equal(["", "id-3"]);
  });
});
