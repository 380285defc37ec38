import { expect } from "chai";
import { describe, it } from "mocha";
import { readNearPods } from "../../../src/commands/explain/near-pods.js";
import type { KubeClient } from "../../../src/kube/client.js";

describe("what flipop explain reads in place of the pods that a selector lacks", () => {
  const read = (reader: { readonly matchedPods?: unknown }, namespace?: string) => {
    let requests = 0;
    const refuse = () => {
      requests += 1;
      return Promise.reject(new Error("no request is expected"));
    };
    const client = { request: refuse } as Partial<KubeClient> as KubeClient;
    const requirements = [{ key: "app", operator: "In", values: ["web"] } as const];
    const asked = { requirements, ...(namespace !== undefined && { namespace }) };
    const result = readNearPods({ client, signal: AbortSignal.timeout(1000), ...reader }, asked, [], "podLabel");
    return result.then((near) => ({ near, requests })).catch(() => ({ near: "refused", requests }));
  };

  it("is nothing for all resources of a node, nor in all namespaces", async () => {
    expect((await read({}, "game")).requests).to.be.above(0);
    expect(await read({ matchedPods: [] }, "game")).to.deep.equal({ near: undefined, requests: 0 });
    expect(await read({})).to.deep.equal({ near: undefined, requests: 0 });
  });
});
