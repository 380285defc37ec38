import { expect } from "chai";
import { type Emulator, startEmulator } from "flipop-sandbox/kubernetes";
import { afterEach, beforeEach, describe, it } from "mocha";
import { SharedWatches } from "../../../src/kube/cache/shared-watches.js";
import { type SlimPod, slimPods, wholeObjects } from "../../../src/kube/cache/slim-objects.js";
import { Store } from "../../../src/kube/cache/store.js";
import { isForbidden } from "../../../src/kube/client.js";
import { Decoders } from "../../../src/kube/protobuf/decoder.js";
import { ProtobufError } from "../../../src/kube/protobuf/reader.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import { Reflector } from "../../../src/kube/watch/reflector.js";
import { silentLogger } from "../../../src/logging.js";
import { answer, errorOf, HttpRig } from "../../support/http-rig.js";
import { plainConfig } from "../../support/kube/reflector-rig.js";
import { scaledClock } from "../../support/time/scaled-clock.js";
import { until } from "../../support/time/until.js";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const PODS = "/api/v1/pods";
const decoder = new Decoders([]).pods;

describe("protobuf on the wire", () => {
  let emulator: Emulator;
  const ends: (() => Promise<void>)[] = [];
  const accepted = new Map<string, string>();
  beforeEach(async () => {
    emulator = await startEmulator({ tls: false });
    ends.push(() => emulator.close());
    accepted.clear();
    emulator.setFaults(({ path, headers }) => {
      accepted.set(path, headers.accept ?? "");
      return undefined;
    });
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  const connect = (token = emulator.adminToken) => {
    const config = { ...plainConfig(emulator.url), auth: { kind: "token", token: { data: token } } } as const;
    const transport = new Transport({ config, env: {} });
    ends.push(() => transport.close());
    return transport;
  };

  it("carries pods, nodes, Services and EndpointSlices; other kinds stay JSON", async () => {
    const watches = new SharedWatches({ client: connect(), nodeAnnotationPrefixes: ["flipop.digitalocean.com/"] });
    ends.push(() => watches.stop());
    const pods = watches.podView(() => {});
    const selected = pods.select({ selector: {} });
    watches.nodes();
    const names = { services: "/api/v1/services", endpointslices: "/apis/discovery.k8s.io/v1/endpointslices" };
    for (const [name, path] of Object.entries(names)) watches.kind(name, path, wholeObjects());
    watches.kind("secrets", "/api/v1/secrets", wholeObjects());
    watches.kind("job-pods", "/api/v1/namespaces/default/pods", wholeObjects());
    await Promise.all([selected, watches.whenSynced()]);
    const format = (path: string) => accepted.get(path)?.split(", ")[0];
    for (const path of [PODS, "/api/v1/nodes", ...Object.values(names)]) expect(format(path), path).to.equal(PROTOBUF);
    for (const path of ["/api/v1/secrets", "/api/v1/namespaces/default/pods"]) {
      expect(format(path), path).to.equal("application/json");
    }
    emulator.create({ apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec: { providerID: "x://1" } });
    await until("the node is there", () => watches.nodes().store.get("n")?.providerID === "x://1");
    emulator.delete({ apiVersion: "v1", kind: "Node", name: "n" });
    await until("the node is gone", () => watches.nodes().store.size === 0);
  });

  it("gives a refusal's reason, which comes in protobuf too", async () => {
    const token = emulator.addIdentity("without-rights", []);
    const error = await errorOf(connect(token).request({ method: "GET", path: PODS, decoder }));
    expect(isForbidden(error)).to.equal(true);
    expect(String(error)).to.match(/GET \/api\/v1\/pods: 403 Forbidden: pods is forbidden/);
  });

  it("reads JSON where the server chooses it", async () => {
    const rig = await HttpRig.create();
    ends.push(() => rig.close());
    rig.handler = (_request, response) => answer(response, 200, { metadata: { resourceVersion: "1" }, items: [] });
    const list = await rig.transport().request({ method: "GET", path: PODS, decoder });
    expect(list).to.deep.equal({ metadata: { resourceVersion: "1" }, items: [] });
    expect(rig.seen[0]?.headers.accept).to.equal(`${PROTOBUF}, application/json`);
  });

  for (const watchList of [true, false]) {
    it(`goes over to JSON where it cannot read the protobuf of a ${watchList ? "watch" : "list"}`, async () => {
      const rig = await HttpRig.create();
      ends.push(() => rig.close());
      rig.handler = (request, response) => {
        if (request.headers.accept?.startsWith(PROTOBUF)) {
          // The frame of an event, with an object of another encoding in it.
          const frame = Buffer.from("\0\0\0\x0c\x0a\x05ADDED\x12\x03\x0a\x01x", "latin1");
          response.writeHead(200, { "content-type": `${PROTOBUF};stream=watch` }).end(frame);
          return;
        }
        const object = { metadata: { name: "p", namespace: "n", uid: "u", resourceVersion: "1" } };
        if (!watchList) return answer(response, 200, { metadata: { resourceVersion: "1" }, items: [object] });
        const annotations = { "k8s.io/initial-events-end": "true" };
        response.writeHead(200, { "content-type": "application/json" });
        response.write(`${JSON.stringify({ type: "ADDED", object })}\n`);
        response.write(
          `${JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion: "1", annotations } } })}\n`,
        );
      };
      const store = new Store<SlimPod>();
      const warnings: string[] = [];
      const reflector = new Reflector<SlimPod>({
        client: rig.transport(),
        target: { name: "pods", path: PODS, decoder },
        transform: slimPods(),
        sink: store,
        features: { watchList },
        clock: scaledClock(100),
        logger: { ...silentLogger, warn: (_fields, message) => warnings.push(message) },
      });
      const controller = new AbortController();
      const running = reflector.run(controller.signal);
      await reflector.whenSynced();
      controller.abort();
      await running;
      expect([...store.list()].map(({ name }) => name)).to.deep.equal(["p"]);
      expect(warnings.filter((line) => line.startsWith("cannot read the server's protobuf"))).to.have.length(1);
    });
  }

  it("says what is wrong with an answer in protobuf that it cannot read", async () => {
    const rig = await HttpRig.create();
    ends.push(() => rig.close());
    rig.handler = (_request, response) => void response.writeHead(200, { "content-type": PROTOBUF }).end("<html>");
    const error = await errorOf(rig.transport().request({ method: "GET", path: PODS, decoder }));
    expect(error).to.be.instanceOf(ProtobufError);
    expect(String(error)).to.include("do not start as an object of Kubernetes");
  });
});
