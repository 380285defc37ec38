import { expect } from "chai";
import { describe, it } from "mocha";
import { PROTOBUF, readProtobuf } from "../../src/kubernetes/built-in/protobuf.js";

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
