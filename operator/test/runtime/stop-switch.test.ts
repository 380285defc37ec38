import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { WholeObject } from "../../src/kube/cache/slim-objects.js";
import { Store } from "../../src/kube/cache/store.js";
import { silentLogger } from "../../src/logging.js";
import { NotLeaderError, openFence } from "../../src/runtime/fence.js";
import { StoppedError, StopSwitch, stoppable } from "../../src/runtime/stop-switch.js";

function leaseWith(annotations: Readonly<Record<string, string>>, resourceVersion = "1"): WholeObject {
  const metadata = { name: "lease", namespace: "flipop", uid: "u", resourceVersion, annotations };
  return { uid: "u", name: "lease", namespace: "flipop", resourceVersion, object: { metadata } };
}

const STOPPED = leaseWith({ [Annotation.stop]: "maintenance" }, "2");
const WORKING = leaseWith({}, "1");

describe("the switch that stops an operator", () => {
  function rig({
    connected = true,
    synced = true,
    lastCode,
  }: {
    connected?: boolean;
    synced?: boolean;
    lastCode?: number;
  } = {}) {
    const store = new Store<WholeObject>();
    const state = { name: "leases", synced, connected, lastError: undefined, lastCode };
    const stop = new StopSwitch(silentLogger);
    const part = stop.follow({ store, state, stop: async () => undefined });
    const changes: string[] = [];
    stop.onChange(() => changes.push(stop.current === undefined ? "works" : `stopped: ${stop.current.reason}`));
    return { store, stop, part, changes, fence: stoppable(openFence, stop) };
  }

  it("refuses writes from the moment in which the watch shows the annotation, and allows them when it is gone", () => {
    const { store, fence, changes } = rig();
    store.upsert(WORKING);
    fence.assertHeld();
    store.upsert(STOPPED);
    expect(() => fence.assertHeld())
      .to.throw(StoppedError, "flipop resume")
      .and.to.be.instanceOf(NotLeaderError);
    store.upsert(leaseWith({}, "3"));
    fence.assertHeld();
    expect(changes).to.deep.equal(["stopped: maintenance", "works"]);
  });

  it("counts an annotation without a reason, and no other annotation", () => {
    const { store, stop } = rig();
    store.upsert(leaseWith({ other: "yes" }));
    expect(stop.current).to.equal(undefined);
    store.upsert(leaseWith({ [Annotation.stop]: "" }, "2"));
    expect(stop.current).to.deep.equal({ reason: "" });
  });

  it("works again when the Lease is deleted", () => {
    const { store, stop } = rig();
    store.upsert(STOPPED);
    store.remove(STOPPED);
    expect(stop.current).to.equal(undefined);
  });

  it("believes the election that it is stopped, but not an old answer that it is not", () => {
    const { store, stop } = rig();
    stop.elected(STOPPED.object);
    expect(stop.current).to.deep.equal({ reason: "maintenance" });
    store.upsert(STOPPED);
    stop.elected(WORKING.object);
    stop.elected(undefined);
    expect(stop.current).to.deep.equal({ reason: "maintenance" });
  });

  it("follows the election alone where the watch is forbidden, and waits for no watch then", () => {
    const { stop, part } = rig({ connected: false, synced: false, lastCode: 403 });
    expect(part.hasSynced()).to.equal(true);
    stop.elected(STOPPED.object);
    expect(stop.current).to.deep.equal({ reason: "maintenance" });
    stop.elected(WORKING.object);
    expect(stop.current).to.equal(undefined);
    expect(rig({ synced: false }).part.hasSynced()).to.equal(false);
  });
});
