import { expect } from "chai";
import { ControlPlane, controlPlaneOrSkip } from "flipop-testbed";
import { after, afterEach, before, beforeEach, describe, it } from "mocha";
import { request } from "undici";
import { isTooLargeResourceVersion } from "../../../src/kube/client.js";
import type { KubeObject } from "../../../src/kube/objects.js";
import { listPages, PAGE_SIZE, probeVersion } from "../../../src/kube/watch/list.js";
import { ServerRig } from "../../support/kube/server-rig.js";
import { until } from "../../support/time/until.js";

const FUTURE = "900000000";
/** Nothing here waits for an answer that the server takes its time for. */
const FAST = 30;

describe("history that a real API server does not have", function () {
  this.timeout(120_000);
  let plane: ControlPlane;
  let rig: ServerRig;
  const never = new AbortController().signal;
  before(async function () {
    const { binaries } = await controlPlaneOrSkip(this);
    plane = await ControlPlane.start({ binaries });
  });
  after(() => plane?.stop());
  beforeEach(async () => {
    rig = await ServerRig.create(plane, FAST);
  });
  afterEach(() => rig?.close());

  it("of the future: a watch is answered with 200 and silence, a probe with a refusal", async () => {
    const watch = (resourceVersion: string) =>
      rig.admin.open({ method: "GET", path: rig.path(), query: { watch: true, resourceVersion } });
    const [future, present] = [await watch(FUTURE), await watch("0")];
    let bytes = 0;
    const reading = (async () => {
      for await (const chunk of future) bytes += chunk.length;
    })();
    const chunks = present[Symbol.asyncIterator]();
    await rig.put("a", "1");
    expect(String((await chunks.next()).value)).to.include('"ADDED"');
    expect(bytes).to.equal(0);
    for (const stream of [future, present]) stream.close();
    await reading;
    const target = { name: "configmaps", path: rig.path() };
    const refusal: unknown = await probeVersion({ client: rig.admin, target, signal: never }, FUTURE).catch(
      (error: unknown) => error,
    );
    expect(isTooLargeResourceVersion(refusal), String(refusal)).to.equal(true);
  });

  it("of the future: a reflector that got there past its probe is right again after the silence", async () => {
    await rig.put("a", "1");
    await rig.synced();
    const resuming = (url: string) => url.includes("watch=true") && !url.includes("sendInitialEvents");
    const url = (seen: string) => seen.replace(/resourceVersion=\d+/, `resourceVersion=${FUTURE}`);
    rig.proxy.inject({ kind: "rewrite", url }, 1, (seen) => resuming(seen.url ?? ""));
    rig.proxy.resetAll();
    await until("it watches the future", () => rig.proxy.requests.some((seen) => resuming(seen.url)));
    await rig.put("b", "1");
    await rig.equal();
    expect(rig.notes.join()).to.include("no event for 75 s");
  });

  it("of the past: a listing starts over when its continue token has been compacted away", async () => {
    const names = Array.from({ length: PAGE_SIZE + 20 }, (_, index) => `object-${index}`);
    await Promise.all(names.map((name) => rig.put(name, "1")));
    let restarts = 0;
    const seen = new Set<string>();
    const onPage = async (items: readonly KubeObject[]) => {
      for (const { metadata } of items) seen.add(metadata.name);
      if (restarts === 0) await compact(rig, plane);
    };
    const onRestart = () => {
      restarts++;
      seen.clear();
    };
    const target = { name: "configmaps", path: rig.path(), labelSelector: "flipop=yes" };
    await listPages({ client: rig.admin, target, signal: never }, onPage, onRestart);
    expect(restarts).to.equal(1);
    expect([...seen].sort()).to.deep.equal(names.sort());
  });
});

/** Takes the history from etcd, and the snapshots that the API server would serve instead with its process. */
async function compact(rig: ServerRig, plane: ControlPlane): Promise<void> {
  await rig.put("object-0", "2");
  const { metadata } = await rig.admin.request<KubeObject>({ method: "GET", path: rig.path("object-0") });
  const answer = await request(`http://127.0.0.1:${plane.etcd.port}/v3/kv/compaction`, {
    method: "POST",
    body: JSON.stringify({ revision: metadata.resourceVersion, physical: true }),
  });
  expect(answer.statusCode).to.equal(200);
  await answer.body.dump();
  await plane.apiserver.restart();
}
