import { expect } from "chai";
import { describe, it } from "mocha";
import { PROTOBUF, readProtobuf, readProtobufEvent } from "../../src/kubernetes/built-in/protobuf.js";
import { eventFrame, inEnvelope, listBytes, objectBytes } from "../../src/kubernetes/built-in/write-protobuf.js";
import type { JsonObject } from "../../src/kubernetes/json.js";

const text = (field: number, value: string | Buffer) => {
  const content = Buffer.from(value);
  return Buffer.concat([Buffer.from([(field << 3) | 2, content.length]), content]);
};
const number = (field: number, value: number) => Buffer.from([field << 3, value]);
const message = (...fields: Buffer[]) => Buffer.concat(fields);
const envelope = (kind: string, raw: Buffer, apiVersion = "v1") =>
  message(Buffer.from("k8s\0"), text(1, message(text(1, apiVersion), text(2, kind))), text(2, raw));

describe("Kubernetes' protobuf", () => {
  it("reads metadata, maps and the type", () => {
    const labels = [text(11, message(text(1, "a"), text(2, "b"))), text(11, message(text(1, "c"), text(2, "d")))];
    const metadata = message(text(1, "settings"), text(3, ""), ...labels);
    const body = envelope("ConfigMap", message(text(1, metadata), text(2, message(text(1, "k"), text(2, "v")))));
    expect(readProtobuf(body)).to.deep.equal({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings", labels: { a: "b", c: "d" } },
      data: { k: "v" },
    });
  });
  it("reads bytes as base64", () => {
    const body = envelope("Secret", text(2, message(text(1, "k"), text(2, "hello"))));
    expect(readProtobuf(body).data).to.deep.equal({ k: "aGVsbG8=" });
  });
  it("reads numbers and lists, and skips fields that it does not know", () => {
    const body = envelope("DeleteOptions", message(number(1, 30), number(9, 1), text(5, "All"), text(15, "later")));
    expect(readProtobuf(body)).to.deep.include({ gracePeriodSeconds: 30, dryRun: ["All"] });
  });
  it("reads times of a Lease with 6 digits, and leaves out what is not set", () => {
    const time = message(number(1, 60), Buffer.from([2 << 3, 0xb8, 0xb2, 0xe5, 0x3a]));
    const spec = message(text(1, "a"), number(2, 15), text(4, time), number(5, 0));
    const body = envelope("Lease", message(text(1, text(8, "")), text(2, spec)), "coordination.k8s.io/v1");
    expect(readProtobuf(body)).to.deep.equal({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: {},
      spec: {
        ...{ holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 0 },
        renewTime: "1970-01-01T00:01:00.123296Z",
      },
    });
  });
  it("reads integers with a sign, integers or texts, quantities, and fields that stand in another message", () => {
    const probe = text(
      10,
      message(text(1, text(2, message(text(1, "/"), text(2, message(number(1, 1), text(3, "web"))))))),
    );
    const limits = text(8, text(1, message(text(1, "cpu"), text(2, text(1, "100m")))));
    const container = text(2, message(text(1, "web"), limits, probe));
    const grace = Buffer.from([4 << 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
    const hostNetwork = Buffer.from([11 << 3, 0]);
    const { spec } = readProtobuf(envelope("Pod", text(2, message(container, grace, hostNetwork)))) as { spec: object };
    expect(spec).to.deep.equal({
      containers: [
        { name: "web", resources: { limits: { cpu: "100m" } }, livenessProbe: { httpGet: { path: "/", port: "web" } } },
      ],
      terminationGracePeriodSeconds: -1,
    });
  });
  it("refuses a kind that it does not read with 415, and says what to send", () => {
    expect(() => readProtobuf(envelope("Quiz", Buffer.alloc(0)))).to.throw(
      `the emulator does not read Quiz as ${PROTOBUF}: send application/json`,
    );
  });
  it("refuses what is no protobuf of Kubernetes", () => {
    expect(() => readProtobuf(Buffer.from("{}"))).to.throw(/send application\/json/);
  });
});

describe("Kubernetes' protobuf, written", () => {
  const POD = { apiVersion: "v1", kind: "Pod" };
  const roundTrip = (type: typeof POD, object: JsonObject) => readProtobuf(inEnvelope(type, objectBytes(type, object)));

  it("has the fields in the order of their numbers, behind the kind", () => {
    const map = message(text(1, "a"), text(2, "b"));
    const content = message(
      text(1, message(text(1, "settings"))),
      text(2, map),
      text(2, message(text(1, "c"), text(2, ""))),
    );
    const object = { data: { c: "", a: "b" }, metadata: { name: "settings" } };
    const type = { apiVersion: "v1", kind: "ConfigMap" };
    expect(inEnvelope(type, objectBytes(type, object))).to.deep.equal(envelope("ConfigMap", content));
  });
  it("reads back as it was, whatever the types of its fields", () => {
    const probe = { httpGet: { path: "/", port: "web" }, periodSeconds: 300 };
    const limits = { cpu: "100m", memory: "1Gi" };
    const managedFields = [{ manager: "a", fieldsType: "FieldsV1", fieldsV1: { "f:spec": { ".": {} } } }];
    const pod = {
      ...POD,
      metadata: { name: "p", labels: { grüße: "x" }, creationTimestamp: "2025-01-01T00:00:00Z", managedFields },
      spec: {
        containers: [{ name: "web", command: ["a", "b"], resources: { limits }, livenessProbe: probe }],
        terminationGracePeriodSeconds: -1,
        hostNetwork: true,
      },
    };
    expect(roundTrip(POD, pod)).to.deep.equal(pod);
  });
  it("keeps six digits of a MicroTime, and bytes", () => {
    const type = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
    const lease = { ...type, metadata: {}, spec: { holderIdentity: "a", renewTime: "2025-01-01T00:00:00.123456Z" } };
    expect(roundTrip(type, lease)).to.deep.equal(lease);
    const secret = { apiVersion: "v1", kind: "Secret", metadata: {}, data: { k: "aGVsbG8=" } };
    expect(roundTrip({ apiVersion: "v1", kind: "Secret" }, secret)).to.deep.equal(secret);
  });
  it("leaves out what the message does not have, and values of another type", () => {
    const pod = { ...POD, metadata: { name: "p" }, spec: { containers: "none", nodeName: null }, more: 1 };
    expect(roundTrip(POD, pod)).to.deep.equal({ ...POD, metadata: { name: "p" }, spec: {} });
  });
  it("has lists and events", () => {
    const items = ["a", "b"].map((name) => objectBytes(POD, { metadata: { name } }));
    const type = { apiVersion: "v1", kind: "PodList" };
    expect(readProtobuf(inEnvelope(type, listBytes({ resourceVersion: "7" }, items)))).to.deep.equal({
      ...type,
      metadata: { resourceVersion: "7" },
      items: [{ metadata: { name: "a" } }, { metadata: { name: "b" } }],
    });
    const frame = eventFrame("ADDED", inEnvelope(POD, items[0] ?? Buffer.alloc(0)));
    expect(frame.readUInt32BE()).to.equal(frame.length - 4);
    const object = { ...POD, metadata: { name: "a" } };
    expect(readProtobufEvent(frame.subarray(4))).to.deep.equal({ type: "ADDED", object });
  });
});
