import { expect } from "chai";
import { eventFrame, inEnvelope, listBytes, objectBytes } from "flipop-sandbox/kubernetes";
import { describe, it } from "mocha";
import { Decoders, isProtobuf, readStatus } from "../../../src/kube/protobuf/decoder.js";
import { ProtobufError } from "../../../src/kube/protobuf/reader.js";

const PREFIX = "flipop.digitalocean.com/";
const POD = { apiVersion: "v1", kind: "Pod" };
const NODE = { apiVersion: "v1", kind: "Node" };
const STATUS = { apiVersion: "v1", kind: "Status" };
const HEADER_BYTES = 4;

const decoders = () => new Decoders([PREFIX]);
const frame = (type: typeof POD, object: Record<string, unknown>, event = "ADDED") =>
  eventFrame(event, inEnvelope(type, objectBytes(type, object))).subarray(HEADER_BYTES);
const pod = (object: Record<string, unknown>) => decoders().pods.event(frame(POD, object)).object;
const node = (object: Record<string, unknown>) => decoders().nodes.event(frame(NODE, object)).object;

describe("protobuf decoder", () => {
  it("takes of a pod what decisions read, and nothing else", () => {
    const condition = (type: string) => ({
      type,
      status: "True",
      lastTransitionTime: "2025-01-01T00:00:00Z",
      reason: "x",
    });
    const object = {
      metadata: {
        ...{ name: "p", namespace: "n", uid: "u", resourceVersion: "7", labels: { a: "1", b: "" } },
        annotations: { pad: "x".repeat(1000), [`${PREFIX}x`]: "y" },
        managedFields: [{ manager: "m", fieldsV1: { "f:spec": {} } }],
        creationTimestamp: "2025-01-01T00:00:00Z",
        deletionTimestamp: "2025-02-01T00:00:00Z",
        deletionGracePeriodSeconds: 7200,
        finalizers: ["example.com/drain"],
      },
      spec: {
        nodeName: "n1",
        hostNetwork: true,
        volumes: [{ name: "v", emptyDir: {} }],
        containers: [
          {
            name: "c",
            env: [{ name: "A", value: "b" }],
            ports: [{ containerPort: 80, hostPort: 8080, hostIP: "127.0.0.1" }],
          },
        ],
        initContainers: [
          { name: "i", restartPolicy: "Always", ports: [{ name: "udp", containerPort: 0, protocol: "UDP" }] },
        ],
      },
      status: { phase: "Running", podIP: "10.0.0.1", conditions: ["PodScheduled", "Ready"].map(condition) },
    };
    expect(pod(object)).to.deep.equal({
      metadata: {
        ...{ name: "p", namespace: "n", uid: "u", resourceVersion: "7", labels: { a: "1", b: "" } },
        deletionTimestamp: "2025-02-01T00:00:00Z",
        deletionGracePeriodSeconds: 7200,
        finalizers: ["example.com/drain"],
      },
      spec: {
        nodeName: "n1",
        hostNetwork: true,
        containers: [{ ports: [{ containerPort: 80, hostPort: 8080, hostIP: "127.0.0.1" }] }],
        initContainers: [{ restartPolicy: "Always", ports: [{ name: "udp", containerPort: 0, protocol: "UDP" }] }],
      },
      status: {
        phase: "Running",
        podIP: "10.0.0.1",
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2025-01-01T00:00:00Z" }],
      },
    });
  });

  it("takes the state, the node and the target of each endpoint of a slice", () => {
    const type = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" };
    const states = [{ ready: true }, { ready: false, serving: true, terminating: true }];
    const endpoints = states.map((conditions, index) => ({
      ...{ conditions, nodeName: `n${index}` },
      targetRef: { kind: "Pod", name: `p${index}` },
    }));
    const slice = { metadata: { name: "s", namespace: "n" }, addressType: "IPv4" };
    const full = endpoints.map(({ targetRef, ...one }) => ({
      ...one,
      targetRef: { ...targetRef, namespace: "n", uid: "u" },
      ...{ addresses: ["10.0.0.1"], zone: "a" },
    }));
    const ports = [{ name: "http", port: 80 }];
    const { object } =
      decoders()
        .of("endpointslices")
        ?.event(frame(type, { ...slice, endpoints: full, ports })) ?? {};
    expect(object).to.deep.equal({ ...slice, endpoints });
  });

  it("takes the annotations of a node that start with a prefix", () => {
    const annotations = { "a/b": "1", [`${PREFIX}x`]: "2", [`${PREFIX}y`]: "", flipop: "3", "k8s.io/end": "true" };
    expect(node({ metadata: { name: "n", annotations } }).metadata.annotations).to.deep.equal({
      [`${PREFIX}x`]: "2",
      [`${PREFIX}y`]: "",
      "k8s.io/end": "true",
    });
  });

  it("distinguishes an empty text from an absent one as JSON does", () => {
    const taints = [{ key: "k", value: "", effect: "" }];
    expect(node({ metadata: {}, spec: { taints, providerID: "" } })).to.deep.equal({
      metadata: {},
      spec: { taints: [{ key: "k", effect: "" }] },
    });
  });

  it("refuses a field of a taint that it does not know: its patches test the whole list", () => {
    const bytes = Buffer.from(frame(NODE, { metadata: {}, spec: { taints: [{ key: "abc", effect: "e" }] } }));
    // Field 1 of the taint becomes field 9.
    bytes[bytes.indexOf("abc") - 2] = (9 << 3) | 2;
    expect(() => decoders().nodes.event(bytes)).to.throw(ProtobufError, "Taint has the field 9");
  });

  it("shares one frozen map and one string for equal bytes", () => {
    const { pods } = decoders();
    const labels = { app: "web", tier: "front" };
    const [a, b] = ["a", "b"].map((name) => {
      return pods.event(frame(POD, { metadata: { name, labels }, spec: { nodeName: "n" } })).object;
    });
    expect(a?.metadata.labels).to.equal(b?.metadata.labels);
    expect(Object.isFrozen(a?.metadata.labels)).to.equal(true);
    const other = pods.event(frame(POD, { metadata: { labels: { ...labels, tier: "back" } } })).object;
    expect(other.metadata.labels).to.deep.equal({ app: "web", tier: "back" });
  });

  it("does not mix up what it has shared, however many strings there are", () => {
    const { pods } = decoders();
    for (let index = 0; index < 20_000; index++) {
      const nodeName = `node-${index % 15_000}`;
      const { spec } = pods.event(frame(POD, { metadata: {}, spec: { nodeName } })).object;
      expect(spec).to.deep.equal({ nodeName });
    }
  });

  it("reads a list, an empty one too", () => {
    const items = ["a", "b"].map((name) => objectBytes(POD, { metadata: { name } }));
    const type = { apiVersion: "v1", kind: "PodList" };
    const list = decoders().pods.list(inEnvelope(type, listBytes({ resourceVersion: "7", continue: "x" }, items)));
    expect(list).to.deep.equal({
      metadata: { resourceVersion: "7", continue: "x" },
      items: [{ metadata: { name: "a" } }, { metadata: { name: "b" } }],
    });
    const empty = decoders().pods.list(inEnvelope(type, listBytes({ resourceVersion: "8" }, [])));
    expect(empty).to.deep.equal({ metadata: { resourceVersion: "8" }, items: [] });
  });

  it("reads a refusal, as an answer and as an event", () => {
    const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
    const object = { message: "m", reason: "Timeout", code: 504, details: { causes, retryAfterSeconds: 1 } };
    const bytes = inEnvelope(STATUS, objectBytes(STATUS, { ...object, metadata: {} }));
    expect(readStatus(bytes)).to.deep.equal({ kind: "Status", ...object });
    const event = decoders().pods.event(eventFrame("ERROR", bytes).subarray(HEADER_BYTES));
    expect(event).to.deep.equal({ type: "ERROR", object: { metadata: {}, ...object } });
  });

  it("refuses another kind, and what is no protobuf", () => {
    expect(() => pod2node()).to.throw(ProtobufError, "a Pod, where a Node was expected");
    expect(() => decoders().pods.list(Buffer.from("<html>"))).to.throw(ProtobufError, "do not start as an object");
    expect(() => decoders().pods.event(Buffer.alloc(0))).to.throw(ProtobufError, "without an object");
    expect(() => readStatus(inEnvelope(POD, Buffer.alloc(0)))).to.throw(ProtobufError, "a Status was expected");
  });

  it("knows protobuf by its content type", () => {
    const types = ["application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf;stream=watch"];
    expect(types.map(isProtobuf)).to.deep.equal([true, true]);
    expect([undefined, "", "application/json", "application/vnd.kubernetes.protobufs"].map(isProtobuf)).to.not.include(
      true,
    );
  });
});

function pod2node() {
  return decoders().nodes.event(frame(POD, { metadata: {} }));
}
