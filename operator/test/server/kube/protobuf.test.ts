import { expect } from "chai";
import fc from "fast-check";
import { type ControlPlane, controlPlaneOrSkip } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { systemClock } from "../../../src/clock.js";
import { slimNodes, slimPods } from "../../../src/kube/cache/slim-objects.js";
import { type BodyDecoder, isForbidden, StatusError } from "../../../src/kube/client.js";
import { loadClusterConfig } from "../../../src/kube/config/load-config.js";
import type { Cached, KubeObject, Transform, WatchEvent } from "../../../src/kube/objects.js";
import { Decoders } from "../../../src/kube/protobuf/decoder.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import { listPages } from "../../../src/kube/watch/list.js";
import { readEvents } from "../../../src/kube/watch/read-events.js";
import { slimSlices } from "../../../src/routing/endpoint-workload.js";
import { slimServices } from "../../../src/routing/service.js";
import { errorOf } from "../../support/http-rig.js";
import { view } from "../../support/kube/protobuf-view.js";
import { endpointSlices, nodes, pods, services } from "../../support/kube/random-objects.js";

const PREFIX = "flipop.digitalocean.com/";
const BATCH = 60;

interface Subject {
  readonly name: string;
  readonly collection: string;
  readonly decoder: BodyDecoder;
  readonly transform: Transform<Cached>;
  readonly objects: fc.Arbitrary<object>;
}

describe("protobuf of a real API server", function () {
  this.timeout(180_000);
  let plane: ControlPlane;
  let admin: Transport;
  const never = new AbortController().signal;
  const namespace = `protobuf-${process.pid}`;
  const decoders = new Decoders([PREFIX]);
  const decoderOf = (name: string): BodyDecoder => {
    const decoder = decoders.of(name);
    if (decoder === undefined) throw new Error(`no decoder of ${name}`);
    return decoder;
  };
  const inNamespace = `/namespaces/${namespace}`;
  const subjects: readonly Subject[] = [
    {
      name: "nodes",
      collection: "/api/v1/nodes",
      decoder: decoders.nodes,
      transform: slimNodes([PREFIX]),
      objects: nodes,
    },
    {
      name: "pods",
      collection: `/api/v1${inNamespace}/pods`,
      decoder: decoders.pods,
      transform: slimPods(),
      objects: pods,
    },
    {
      name: "services",
      collection: `/api/v1${inNamespace}/services`,
      decoder: decoderOf("services"),
      transform: slimServices,
      objects: services,
    },
    {
      name: "endpointslices",
      collection: `/apis/discovery.k8s.io/v1${inNamespace}/endpointslices`,
      decoder: decoderOf("endpointslices"),
      transform: slimSlices,
      objects: endpointSlices,
    },
  ];

  before(async function () {
    plane = await controlPlaneOrSkip(this);
    admin = new Transport({ config: loadClusterConfig({ kubeconfig: await plane.kubeconfig(), env: {} }), env: {} });
    await admin.request({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
    const account = `/api/v1${inNamespace}/serviceaccounts`;
    await admin.request({ method: "POST", path: account, body: { metadata: { name: "default" } } }).catch(() => {});
  });
  after(async () => {
    await admin?.request({ method: "DELETE", path: `/api/v1${inNamespace}` }).catch(() => {});
    await admin?.close();
  });

  const list = async (path: string, decoder?: BodyDecoder): Promise<KubeObject[]> => {
    const found: KubeObject[] = [];
    const target = { name: "all", path, ...(decoder && { decoder }) };
    await listPages(
      { client: admin, target, signal: never },
      async (items) => void found.push(...items),
      () => {},
    );
    return found;
  };

  /** The state of a collection as initial events. */
  const watch = async (path: string, decoder?: BodyDecoder): Promise<KubeObject[]> => {
    const query = {
      watch: true,
      sendInitialEvents: true,
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: true,
    };
    const stream = await admin.open({ method: "GET", path, query, ...(decoder && { decoder }) });
    const found: KubeObject[] = [];
    const onEvent = ({ type, object }: WatchEvent) => {
      if (type === "BOOKMARK") stream.close();
      else found.push(object);
      return undefined;
    };
    await readEvents(stream, { clock: systemClock, signal: never, onBytes: () => {}, onEvent, decoder });
    return found;
  };

  for (const { name, collection, decoder, transform, objects } of subjects) {
    it(`shows random ${name} as JSON does, field by field, in lists and watches`, async () => {
      const samples = fc.sample(objects, { numRuns: BATCH, seed: Number(process.env["FLIPOP_SEED"]) });
      let refused = 0;
      for (const [index, object] of samples.entries()) refused += await put(admin, collection, `s-${index}`, object);
      expect(refused, "the random objects are not realistic").to.be.lessThan(BATCH / 4);
      const json = (await list(collection)).sort(byName);
      expect(json.length).to.be.at.least(BATCH - refused);
      for (const read of [list, watch]) {
        const decoded = (await read(collection, decoder)).sort(byName);
        expect(decoded.map(({ metadata }) => metadata.name)).to.deep.equal(json.map(({ metadata }) => metadata.name));
        for (const [index, object] of json.entries()) {
          const other = decoded[index];
          if (other === undefined) throw new Error("fewer objects than in JSON");
          expect(other).to.deep.equal(view(name, object));
          expect(transform(other)).to.deep.equal(transform(object));
        }
      }
    });
  }

  it("gives refusals in protobuf with their reason and details", async () => {
    const spare = await errorOf(
      admin.request({ method: "GET", path: "/api/v1/nodes", query: { continue: "bogus" }, decoder: decoders.nodes }),
    );
    expect(spare).to.be.instanceOf(StatusError).and.include({ code: 400, reason: "BadRequest" });
    expect(isForbidden(spare)).to.equal(false);
    const future = { resourceVersion: "900000000", resourceVersionMatch: "NotOlderThan", limit: 1 };
    const late = await errorOf(
      admin.request({ method: "GET", path: "/api/v1/nodes", query: future, maxAttempts: 1, decoder: decoders.nodes }),
    );
    expect(late).to.be.instanceOf(StatusError).and.include({ code: 504, reason: "Timeout" });
    expect((late as StatusError).details.causes?.[0]?.reason).to.equal("ResourceVersionTooLarge");
  });
});

function byName(a: KubeObject, b: KubeObject): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** @returns 1 where the server refuses the object. */
async function put(admin: Transport, collection: string, name: string, object: object): Promise<0 | 1> {
  const { metadata, status, ...rest } = object as { metadata: object; status?: object };
  try {
    await admin.request({ method: "POST", path: collection, body: { ...rest, metadata: { ...metadata, name } } });
    if (status !== undefined) {
      await admin.request({ method: "PATCH", path: `${collection}/${name}/status`, body: { status } });
    }
    return 0;
  } catch (error) {
    if (error instanceof StatusError && error.code === 422) return 1;
    throw error;
  }
}
