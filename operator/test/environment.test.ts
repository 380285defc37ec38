import { expect } from "chai";
import { describe, it } from "mocha";
import { misspelt, unknownVariables } from "../src/environment.js";

function env(...names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, "x"]));
}

describe("variables that look like the operator's", () => {
  it("are passed over where Kubernetes made them of a Service", () => {
    const ofFlipop = ["FLIPOP_SERVICE_HOST", "FLIPOP_SERVICE_PORT", "FLIPOP_SERVICE_PORT_METRICS", "FLIPOP_PORT"];
    const ofItsPort = ["", "_PROTO", "_PORT", "_ADDR"].map((end) => `FLIPOP_PORT_8080_TCP${end}`);
    const ofAnother = ["FLIPOP_METRICS_SERVICE_HOST", "FLIPOP_METRICS_PORT", "FLIPOP_METRICS_PORT_8080_TCP_ADDR"];
    const all = env(...ofFlipop, ...ofItsPort, ...ofAnother, "FLIPOP_RESYNC", "FLIPOPS", "PATH");
    expect([misspelt(all), unknownVariables(all)]).to.deep.equal([[], []]);
  });

  it("are told as misspelt where they are like one of its own", () => {
    const wrong = ["FLIPOP_DRYRUN", "FLIPOP_NAMESPACES", "FLIPOP_WATCH_NAMESPACE", "FLIPOP_debug"];
    expect(misspelt(env(...wrong)).map((text) => text.replace(/.* mean /, ""))).to.deep.equal([
      "FLIPOP_DRY_RUN?",
      "FLIPOP_NAMESPACE?",
      "FLIPOP_WATCH_NAMESPACES?",
      "FLIPOP_DEBUG?",
    ]);
    expect(unknownVariables(env(...wrong))).to.deep.equal([]);
  });

  it("are somebody else's where they are like none", () => {
    const others = ["FLIPOP_LONG", "FLIPOP_SEED", "FLIPOP_SPECS", "FLIPOP_TEST_COUNTS", "FLIPOP_VERSION"];
    expect([misspelt(env(...others)), unknownVariables(env(...others))]).to.deep.equal([[], others]);
  });
});
