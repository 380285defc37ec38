import { expect } from "chai";
import { describe, it } from "mocha";
import { controlPlaneOrSkip } from "../src/shared-control-plane.js";

const nothing = { cacheFolder: "/nonexistent/cache", archive: "/nonexistent/archive", goModule: "/nonexistent/module" };

describe("a suite without binaries", () => {
  it("counts as skipped and logs one line", async () => {
    const lines: string[] = [];
    const lookup = { ...nothing, env: {}, log: (line: string) => lines.push(line) };
    const outcome = await controlPlaneOrSkip(context(), { lookup }).catch((error: unknown) => error);
    expect(outcome).to.have.property("message", "skipped");
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^SKIPPED, no control plane for this suite: KUBEBUILDER_ASSETS: not set; cache: /);
  });

  it("fails in continuous integration", async () => {
    const lookup = { ...nothing, env: { CI: "true" } };
    const outcome = await controlPlaneOrSkip(context(), { lookup }).catch((error: unknown) => error);
    expect(outcome).to.have.property("message").that.contains("no control plane for this suite: KUBEBUILDER_ASSETS:");
  });
});

/** Replaces mocha's context, whose skip also throws. */
function context() {
  return {
    timeout: () => undefined,
    skip: (): never => {
      throw new Error("skipped");
    },
  };
}
