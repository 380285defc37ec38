import type { Condition } from "cdk8s-flipop/api";
import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import { HolderRegistry, holderKey, nameOfHolder } from "../../src/health/holder-registry.js";
import { type HolderFacts, massFailuresOf } from "../../src/health/mass-failure.js";
import { type Refusal, refusal, type Verdict } from "../../src/match/checks.js";
import { nodeFacts } from "../../src/match/node-facts.js";
import { MASS_FAILURE_WINDOW_MS, SECOND_MS } from "../../src/timings.js";
import { slimNode } from "../match/cluster.js";
import { FakeClock } from "../support/time/fake-clock.js";

const NOW = 1_000_000;

/** `+` serves, `-` failed, `w` failed and a witness confirms it. */
function holders(text: string, { zone = "", at = NOW - 1 } = {}): readonly HolderFacts[] {
  return [...text].map((sign, index) => ({
    ...{ machine: `m://${zone}${index}`, zone, held: true },
    ...(sign === "+" ? {} : { failure: { at, confirmed: sign === "w" } }),
  }));
}

const stops = (facts: readonly HolderFacts[], now = NOW) =>
  massFailuresOf(facts, now).map(({ zone = "all", lost, holders: of }) => `${zone} ${lost}/${of}`);

describe("mass failure", () => {
  const cases: readonly (readonly [text: string, expected: readonly string[]])[] = [
    ["", []],
    ["--", []],
    ["---", ["all 3/3"]],
    ["---++", ["all 3/5"]],
    ["---+++", []],
    ["----+++", ["all 4/7"]],
    ["www", []],
    ["ww-", ["all 3/3"]],
    ["wwww+++", []],
  ];
  for (const [text, expected] of cases) {
    it(`of ${text || "no holder"}: ${expected.join() || "none"}`, () => {
      expect(stops(holders(text))).to.deep.equal(expected);
    });
  }

  it("is of one zone where the others are well", () => {
    const facts = [...holders("---", { zone: "a" }), ...holders("++++", { zone: "b" })];
    expect(stops(facts)).to.deep.equal(["a 3/3"]);
  });

  it("ends when so many failures are no longer within the window", () => {
    const facts = [...holders("--", { zone: "a", at: NOW }), ...holders("--", { zone: "b", at: NOW + 60_000 })];
    const [stop] = massFailuresOf(facts, NOW + 60_000);
    expect(stop?.until).to.equal(NOW + MASS_FAILURE_WINDOW_MS);
    expect(stops(facts, NOW + MASS_FAILURE_WINDOW_MS - 1)).to.deep.equal(["all 4/4"]);
    expect(stops(facts, NOW + MASS_FAILURE_WINDOW_MS)).to.deep.equal([]);
  });
});

describe("holders of all resources", () => {
  let clock: FakeClock;
  let notified: string[];
  let notReady: readonly string[];
  let registry: HolderRegistry;
  let refused: Map<string, readonly Refusal[]>;

  beforeEach(() => {
    clock = new FakeClock();
    [notified, refused, notReady] = [[], new Map(), []];
    const failing = (name: string) => ({ ...nodeFacts(slimNode(name)), notReady: "Ready is Unknown" });
    const nodes = { list: () => notReady.map(failing).values() };
    registry = new HolderRegistry(clock, (uids) => notified.push(...uids), nodes);
  });

  const machine = (name: string) => `digitalocean://${name}`;
  const verdictOf = (id: string): Verdict => {
    const name = id.replace("digitalocean://", "");
    return { node: nodeFacts(slimNode(name)), refusals: refused.get(name) ?? [] };
  };
  const observe = (uid: string, ...names: readonly string[]) =>
    registry.observe({ uid }, names.map(machine), verdictOf);
  const fail = (...names: readonly string[]) => {
    for (const name of names) refused.set(name, [refusal("NodeNotReady", "Ready is Unknown", clock.now())]);
  };

  it("count together, and the stop concerns each", () => {
    fail("a", "b", "c");
    expect(observe("one", "a")(machine("a"))).to.equal(undefined);
    expect(observe("two", "b")(machine("b"))).to.equal(undefined);
    const view = observe("three", "c");
    expect(view(machine("c"))).to.deep.include({ lost: 3, holders: 3 });
    expect(notified, "those that may wait for it").to.deep.equal(["one", "two"]);
    expect(registry.stops()).to.have.length(1);
  });

  it("stay lost after their addresses have moved, until they recover", () => {
    observe("web", "a", "b", "c", "d");
    fail("a", "b");
    expect(observe("web", "a", "b", "c", "d")(machine("a"))).to.equal(undefined);
    expect(observe("web", "e", "f", "c", "d")(machine("c"))).to.equal(undefined);
    fail("c");
    expect(observe("web", "e", "f", "c", "d")(machine("c"))).to.deep.include({ lost: 3, holders: 4 });
    refused.delete("a");
    expect(observe("web", "e", "f", "c", "d")(machine("c"))).to.equal(undefined);
  });

  it("count no node that a person takes out of service, and none that the provider has removed", () => {
    fail("a", "b", "c");
    refused.set("c", [refusal("Cordoned", ""), ...(refused.get("c") ?? [])]);
    expect(observe("web", "a", "b", "c")(machine("a"))).to.equal(undefined);
    fail("c");
    expect(observe("web", "a", "b", "c")(machine("a"))).not.to.equal(undefined);
    const gone = registry.observe({ uid: "web" }, ["a", "b", "c"].map(machine), (id) =>
      id === machine("c") ? undefined : verdictOf(id),
    );
    expect(gone(machine("a"))).to.equal(undefined);
  });

  it("do not stop when a witness confirms each failed probe, and do when one kubelet lives all the same", () => {
    for (const name of ["a", "b", "c"]) refused.set(name, [refusal("ProbeFailed", "")]);
    expect(observe("web", "a", "b", "c")(machine("a"))).to.equal(undefined);
    refused.set("b", [{ ...refusal("ProbeFailed", ""), isContested: true }]);
    expect(observe("web", "a", "b", "c")(machine("a"))).to.deep.include({ lost: 3, holders: 3 });
  });

  it("count no node that is well again and only has to stay so for a while", () => {
    const failed = refusal("ProbeFailed", "");
    for (const name of ["a", "b"]) refused.set(name, [failed]);
    refused.set("c", [{ ...failed, isContested: true }]);
    expect(observe("web", "a", "b", "c")(machine("c"))).to.deep.include({ lost: 3, holders: 3 });
    expect(observe("web", "c")(machine("c")), "after two moves").to.deep.include({ lost: 3, holders: 1 });
    for (const name of ["a", "b"]) refused.set(name, [{ ...failed, isDamped: true }]);
    expect(observe("web", "c")(machine("c"))).to.equal(undefined);
  });

  it("lift the stop after the window, though a refusal does not say when it began", async () => {
    for (const name of ["a", "b", "c"]) refused.set(name, [refusal("NodeUnwell", "")]);
    expect(observe("web", "a", "b", "c")(machine("a"))).not.to.equal(undefined);
    await clock.advance(MASS_FAILURE_WINDOW_MS - SECOND_MS);
    expect(observe("web", "a", "b", "c")(machine("a"))).not.to.equal(undefined);
    await clock.advance(SECOND_MS);
    expect(observe("web", "a", "b", "c")(machine("a"))).to.equal(undefined);
  });

  it("stop moves for one window at most after the clock was set back", () => {
    fail("a", "b", "c");
    observe("one", "a", "b", "c");
    clock.skew(-3_600_000);
    const until = observe("two", "d")(machine("a"))?.until;
    expect(until).to.equal(clock.now() + MASS_FAILURE_WINDOW_MS);
  });

  it("count with the nodes of DNS names, and on their own: many such nodes hide no failure of most holders", () => {
    const names = (uid: string, ...nodes: readonly string[]) =>
      registry.observe({ uid, held: "names" }, nodes.map(machine), verdictOf);
    fail("a", "b", "c");
    observe("web", "a", "b");
    expect(registry.stops(), "two holders").to.deep.equal([]);
    expect(names("dns", "a", "c", "d")(machine("c")), "three of four nodes").to.deep.include({
      ...{ lost: 3, holders: 4, withNames: true },
    });
    expect(notified, "whose addresses wait").to.deep.equal(["web"]);
    names("dns", "a", "c", "d", "e", "f", "g", "h");
    expect(registry.stops(), "three of eight nodes").to.deep.equal([]);
    const [stop] = [observe("web", "a", "b", "c")(machine("a"))];
    expect(stop, "all three holders").to.deep.include({ lost: 3, holders: 3 });
    expect(stop).not.to.have.property("withNames");
  });

  it("count nodes of DNS names whose machines are not known", () => {
    const nodes = ["a", "b", "c"].map((name) => nodeFacts(slimNode(name))).map(({ machine: _, ...node }) => node);
    fail("a", "b", "c");
    const keys = nodes.map(holderKey);
    expect(keys.map(nameOfHolder)).to.deep.equal(["a", "b", "c"]);
    const view = registry.observe({ uid: "dns", held: "names" }, keys, (key) => verdictOf(nameOfHolder(key)));
    expect(view(keys[0] ?? "")).to.deep.include({ lost: 3, holders: 3 });
    expect(nameOfHolder(machine("a"))).to.equal("");
  });

  it("wait no longer than a whole window when the clock of the former leader was ahead", () => {
    const lastTransitionTime = new Date(clock.now() + 6 * 3_600_000).toISOString();
    const condition = { type: "MassFailure", status: "True", reason: "MassFailure", message: "", lastTransitionTime };
    fail("a", "b", "c");
    notReady = ["a", "b", "c"];
    const began = clock.now();
    const view = registry.observe({ uid: "web", conditions: [condition as Condition] }, [machine("c")], verdictOf);
    expect(view(machine("c"))).to.deep.include({ former: true, until: began + MASS_FAILURE_WINDOW_MS });
  });

  it("wait for a stop that a former leader reported, though the first of them have lost their addresses", async () => {
    const conditionsAt = (time: number): readonly Condition[] => [
      {
        ...{ type: "MassFailure", status: "True", reason: "MassFailure", message: "" },
        lastTransitionTime: new Date(time).toISOString(),
      },
    ];
    const first = (uid: string, conditions: readonly Condition[], ...names: readonly string[]) =>
      registry.observe({ uid, conditions }, names.map(machine), verdictOf);
    fail("c");
    notReady = ["a", "b", "c"];
    const begun = clock.now() - 60 * SECOND_MS;
    // Before the account has been read, the resource has no holders.
    expect(first("web", conditionsAt(begun))(machine("c"))).to.equal(undefined);
    // The status does not keep the condition: only the first look counts.
    expect(observe("web", "c", "d")(machine("c"))).to.deep.include({
      ...{ former: true, until: begun + MASS_FAILURE_WINDOW_MS },
    });
    expect(registry.isStopped(machine("c"))).to.equal(true);
    expect(registry.stops(), "for the metric").to.have.length(1);
    expect(first("old", conditionsAt(begun - MASS_FAILURE_WINDOW_MS), "e")(machine("e")), "too old").to.equal(
      undefined,
    );
    expect(observe("other", "f")(machine("f")), "of another resource").to.equal(undefined);
    notReady = ["a", "c"];
    expect(observe("web", "c", "d")(machine("c")), "one has recovered").to.equal(undefined);
    notReady = ["a", "b"];
    expect(observe("web", "c", "d")(machine("c"))).to.deep.include({ lost: 3, holders: 4 });
    expect(observe("web", "d")(machine("d")), "c holds nothing any more").to.deep.include({ lost: 3, holders: 3 });
    refused.set("c", [refusal("ProbeFailed", "")]);
    expect(observe("web", "c", "d")(machine("c")), "a witness confirms it").to.equal(undefined);
    fail("c");
    await clock.advance(MASS_FAILURE_WINDOW_MS - 60 * SECOND_MS);
    expect(observe("web", "c", "d")(machine("c")), "after the window").to.equal(undefined);
    expect(registry.stops()).to.deep.equal([]);
  });

  it("wait no longer than a whole window when somebody sets the clock back", async () => {
    const lastTransitionTime = new Date(clock.now()).toISOString();
    const condition = { type: "MassFailure", status: "True", reason: "MassFailure", message: "", lastTransitionTime };
    fail("a", "b", "c");
    notReady = ["a", "b", "c"];
    const former = () => registry.observe({ uid: "old", conditions: [condition as Condition] }, [], verdictOf);
    former();
    observe("web", "a", "b", "c");
    observe("web", "d");
    clock.skew(-6 * 3_600_000);
    former();
    expect(observe("web", "d")(machine("d"))).to.deep.include({ until: clock.now() + MASS_FAILURE_WINDOW_MS });
    await clock.advance(MASS_FAILURE_WINDOW_MS);
    former();
    expect(observe("web", "d")(machine("d"))).to.equal(undefined);
    expect(registry.stops()).to.deep.equal([]);
  });

  it("leave nothing behind", () => {
    fail("a", "b", "c");
    observe("web", "a", "b", "c");
    registry.drop("web");
    expect(registry.stops()).to.deep.equal([]);
  });
});
