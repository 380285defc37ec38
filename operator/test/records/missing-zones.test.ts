import { expect } from "chai";
import { describe, it } from "mocha";
import { ASKER, providerError } from "./fake-dns.js";
import { MINUTE, type Rig, rig } from "./record-set-rig.js";

describe("the wait for a missing zone", () => {
  async function missing({ dns, registry, clock }: Rig, ...names: readonly string[]): Promise<number> {
    dns.fault = () => ({ error: providerError("NotFound") });
    const sets = names.map((name) => registry.of(dns, { zone: "none.example", name, types: ["A"] }));
    for (const set of sets) await set.read({ provider: dns, context: ASKER }).catch(() => undefined);
    return (sets.at(-1)?.view().retryAt ?? 0) - clock.now();
  }
  const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

  it("counts no record set that no resource has asked for in two hours", async () => {
    const made = rig();
    expect(await missing(made, ...many(100))).to.equal(100 * 6_000);
    await made.clock.advance(131 * MINUTE);
    expect(await missing(made, "last")).to.equal(MINUTE);
  });

  it("is at most one hour: a longer one would count as a clock that was set back", async () => {
    expect(await missing(rig(), ...many(1_300))).to.equal(60 * MINUTE);
  });
});
