import { expect } from "chai";
import { ControlPlane, controlPlaneOrSkip } from "flipop-testbed";
import { after, afterEach, before, beforeEach, describe, it } from "mocha";
import { ServerRig } from "../../support/kube/server-rig.js";

describe("reflector while the control plane dies", function () {
  this.timeout(180_000);
  let plane: ControlPlane | undefined;
  let rig: ServerRig;
  before(async function () {
    // Only to skip where there are no binaries; what is killed here must not be shared.
    const { binaries } = await controlPlaneOrSkip(this);
    plane = await ControlPlane.start({ binaries });
  });
  after(() => plane?.stop());
  const running = (): ControlPlane => plane ?? expect.fail("no control plane");
  beforeEach(async () => {
    rig = await ServerRig.create(running());
    for (const name of ["a", "b"]) await rig.put(name, "0");
    await rig.synced();
    await rig.equal();
  });
  afterEach(() => rig?.close());

  it("follows again after kill -9 and a restart of kube-apiserver", async () => {
    await running().apiserver.kill("SIGKILL");
    await running().apiserver.start();
    await rig.put("a", "1");
    await rig.remove("b");
    await rig.equal();
    expect(rig.events.slice(2).sort()).to.deep.equal(["deleted b", "updated a"]);
  });

  it("learns of deletions that it missed while the history it needs was lost", async () => {
    rig.proxy.freeze();
    await rig.remove("b");
    for (let i = 0; i < 5; i++) await rig.put("c", String(i));
    await running().apiserver.kill("SIGKILL");
    await running().apiserver.start();
    await rig.put("d", "1");
    rig.proxy.thaw();
    rig.proxy.resetAll();
    await rig.equal();
    expect(rig.events).to.include("deleted b");
  });

  it("follows again after kill -9 and a restart of etcd", async () => {
    await running().etcd.kill("SIGKILL");
    await running().etcd.start();
    await rig.put("a", "1");
    await rig.equal();
  });

  it("goes back with the server after a restore of etcd to an older state", async () => {
    const state = await running().etcd.saveState();
    for (let i = 0; i < 20; i++) await rig.put(`lost-${i}`, "1");
    await rig.remove("b");
    await rig.equal();
    await running().apiserver.kill("SIGKILL");
    await running().etcd.restoreState(state);
    await running().apiserver.start();
    await rig.equal();
    expect([...rig.store.list()].map((object) => object.name).sort()).to.deep.equal(["a", "b"]);
    expect(rig.warnings.join()).to.match(/resource-version-too-large|expired|outage/);
  });
});
