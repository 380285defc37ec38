import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip } from "flipop-testbed";
import { after, before, beforeEach, describe, it } from "mocha";
import { type SlimNode, slimNodes, type Taint } from "../../../src/kube/cache/slim-objects.js";
import { isConflict, isNotFound, StatusError } from "../../../src/kube/client.js";
import { loadClusterConfig } from "../../../src/kube/config/load-config.js";
import type { KubeObject } from "../../../src/kube/objects.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import {
  finalizerPatch,
  nodeAnnotationPatch,
  ownAnnotationPatch,
  sendPatch,
  statusPatch,
  taintPatch,
} from "../../../src/kube/write/patch.js";

const PREFIX = "flipop.digitalocean.com/";
const KEY = `${PREFIX}ipv4-reserved-ip`;
const TAINT: Taint = { key: `${PREFIX}x`, effect: "NoSchedule" };

describe("patches on a real API server", () => {
  let plane: ControlPlane;
  let admin: Transport;
  let node: SlimNode;
  let runs = 0;
  const path = () => `/api/v1/nodes/${node.name}`;
  const evaluate = async () => slimNodes([PREFIX])(await admin.request<KubeObject>({ method: "GET", path: path() }));
  const errorOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => expect.fail("did not reject"),
      (error: unknown) => error,
    );

  before(async function () {
    plane = await controlPlaneOrSkip(this);
    admin = new Transport({ config: loadClusterConfig({ kubeconfig: await plane.kubeconfig(), env: {} }), env: {} });
  });
  after(() => admin?.close());
  beforeEach(async () => {
    const body = { metadata: { name: `patched-${process.pid}-${++runs}`, annotations: { other: "1" } } };
    node = slimNodes([PREFIX])(await admin.request<KubeObject>({ method: "POST", path: "/api/v1/nodes", body }));
    // Admission taints a new node as not ready.
    await sendPatch(admin, path(), taintPatch(node, []));
    node = await evaluate();
  });

  it("sets and removes a node annotation and leaves others alone", async () => {
    await sendPatch(admin, path(), nodeAnnotationPatch(node, { [KEY]: "192.0.2.1" }));
    expect((await evaluate()).annotations).to.deep.equal({ [KEY]: "192.0.2.1" });
    const raw = await sendPatch(admin, path(), nodeAnnotationPatch(await evaluate(), { [KEY]: undefined }));
    expect(raw?.metadata.annotations).to.include({ other: "1" }).and.not.have.property(KEY);
  });

  it("refuses an annotation for a node that is gone or was created anew", async () => {
    const patch = nodeAnnotationPatch(node, { [KEY]: "1" });
    await admin.request({ method: "DELETE", path: path() });
    expect(isNotFound(await errorOf(sendPatch(admin, path(), patch)))).to.equal(true);
    await admin.request({ method: "POST", path: "/api/v1/nodes", body: { metadata: { name: node.name } } });
    expect(await errorOf(sendPatch(admin, path(), patch)))
      .to.be.instanceOf(StatusError)
      .with.property("code")
      .that.is.oneOf([409, 422]);
  });

  it("taints a node without taints, adds, removes, and refuses when the list has changed", async () => {
    expect(node.taints).to.equal(undefined);
    await sendPatch(admin, path(), taintPatch(node, [TAINT]));
    const tainted = await evaluate();
    expect(tainted.taints).to.deep.equal([TAINT]);
    expect(await errorOf(sendPatch(admin, path(), taintPatch(node, [TAINT, { ...TAINT, key: "y" }])))).to.include({
      code: 422,
    });
    await sendPatch(admin, path(), taintPatch(tainted, [{ ...TAINT, value: "v" }]));
    expect(await errorOf(sendPatch(admin, path(), taintPatch(tainted, [])))).to.include({ code: 422 });
    await sendPatch(admin, path(), taintPatch(await evaluate(), []));
    expect((await evaluate()).taints).to.equal(undefined);
  });

  it("merges conditions of a status by type and is refused when the object has changed", async () => {
    const raw = await admin.request<KubeObject>({ method: "GET", path: path() });
    const time = "2025-01-01T00:00:00Z";
    const ready = { type: "Ready", status: "True", reason: "R", message: "", lastTransitionTime: time } as const;
    const first = await sendPatch(admin, path(), statusPatch(raw, { conditions: [ready] }), { subresource: "status" });
    const other = { ...ready, type: "Other" } as const;
    const seen = first ?? expect.fail("nothing was sent");
    const second = await sendPatch(admin, path(), statusPatch(seen, { conditions: [other] }), {
      subresource: "status",
    });
    const { conditions } = (second ?? seen).status as { conditions: { type: string }[] };
    const types = conditions.map((condition) => condition.type);
    expect(types).to.deep.equal(["Ready", "Other"]);
    const stale = statusPatch(raw, { conditions: [{ ...ready, status: "False" as const }] });
    expect(isConflict(await errorOf(sendPatch(admin, path(), stale, { subresource: "status" })))).to.equal(true);
  });

  it("takes null for vanished map keys", async () => {
    const raw = await admin.request<KubeObject>({ method: "GET", path: path() });
    const send = (seen: KubeObject, capacity: Record<string, string>) =>
      sendPatch(admin, path(), statusPatch(seen, { capacity }), { subresource: "status" });
    const first = (await send(raw, { cpu: "1", "example.com/x": "2" })) ?? expect.fail("nothing was sent");
    const second = await send(first, { cpu: "1" });
    expect(second?.status).to.have.deep.property("capacity", { cpu: "1" });
  });

  it("adds a finalizer and annotations by version, and is refused with an old one", async () => {
    const raw = await admin.request<KubeObject>({ method: "GET", path: path() });
    const finalizer = `${PREFIX}cleanup`;
    const held =
      (await sendPatch(admin, path(), finalizerPatch(raw, finalizer, true))) ?? expect.fail("nothing was sent");
    expect(held.metadata.finalizers).to.deep.equal([finalizer]);
    expect(isConflict(await errorOf(sendPatch(admin, path(), ownAnnotationPatch(raw, { x: "1" }))))).to.equal(true);
    const freed = await sendPatch(admin, path(), finalizerPatch(held, finalizer, false));
    expect(freed?.metadata.finalizers).to.equal(undefined);
  });
});
