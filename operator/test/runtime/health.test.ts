import { expect } from "chai";
import { describe, it } from "mocha";
import { Health } from "../../src/runtime/health.js";

function setUp() {
  const health = new Health();
  health.add("readyz", "ping", () => undefined);
  health.add("readyz", "caches", () => "not synced yet: nodes");
  return health;
}

describe("health", () => {
  it("is ok in one word", () => {
    const health = new Health();
    health.add("healthz", "ping", () => undefined);
    expect(health.report("healthz")).to.deep.equal({ ok: true, text: "ok" });
  });

  it("lists every check where one fails, with its reason", () => {
    expect(setUp().report("readyz")).to.deep.equal({
      ok: false,
      text: "[+]ping ok\n[-]caches failed: not synced yet: nodes\nreadyz check failed\n",
    });
  });

  it("lists every check where asked to, and leaves out what is excluded", () => {
    expect(setUp().report("readyz", { verbose: true, exclude: ["caches"] })).to.deep.equal({
      ok: true,
      text: "[+]ping ok\nreadyz check passed\n",
    });
  });

  it("fails where a check throws", () => {
    const health = new Health();
    health.add("healthz", "broken", () => {
      throw new Error("oops");
    });
    expect(health.report("healthz").text).to.include("[-]broken failed: the check itself failed: oops");
  });

  it("keeps liveness and readiness apart", () => {
    expect(setUp().report("healthz").ok).to.equal(true);
  });
});
