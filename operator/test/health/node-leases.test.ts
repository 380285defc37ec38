import { expect } from "chai";
import { describe, it } from "mocha";
import { NodeLeases } from "../../src/health/node-leases.js";
import { Store } from "../../src/kube/cache/store.js";
import { FakeClock } from "../support/time/fake-clock.js";

describe("the watches of the kubelets' Leases", () => {
  it("have all ended when they are closed, also those that a resource no longer needs", async () => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const state = { name: "nodeleases", synced: true, connected: true, lastError: undefined, lastCode: undefined };
    const leases = new NodeLeases({
      clock: new FakeClock(),
      open: () => ({ store: new Store(), state, stop: () => ended }),
      onRenewed: () => undefined,
    });
    await leases.watch(["a"]);
    const noLonger = leases.watch([]);
    let isClosed = false;
    const closed = leases.close().then(() => {
      isClosed = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).to.equal(false);
    end();
    await Promise.all([noLonger, closed]);
  });
});
