import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { ServerRig } from "../../support/kube/server-rig.js";

describe("reflector on an API server without watch lists", function () {
  this.timeout(120_000);
  let plane: ControlPlane;
  let rig: ServerRig | undefined;
  before(async function () {
    plane = await controlPlaneOrSkip(this, { emulatedVersion: "1.33" });
    rig = await ServerRig.create(plane);
  });
  after(() => rig?.close());

  it("lists in pages after one refusal, and never asks again", async () => {
    if (rig === undefined) return expect.fail("no rig");
    for (let i = 0; i < 3; i++) await rig.put(`object-${i}`, "0");
    await rig.synced();
    await rig.equal();
    rig.proxy.resetAll();
    await rig.put("object-0", "1");
    await rig.equal();
    const urls = rig.proxy.requests.map((request) => request.url);
    expect(urls.filter((url) => url.includes("sendInitialEvents"))).to.have.length(1);
    expect(urls.filter((url) => url.includes("limit=500"))).to.have.length(1);
    return undefined;
  });
});
