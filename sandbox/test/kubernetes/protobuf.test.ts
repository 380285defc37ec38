import { expect } from "chai";
import { describe, it } from "mocha";
import { PROTOBUF, readProtobuf } from "../../src/kubernetes/protobuf.js";

const text = (field: number, value: string | Buffer) => {
  const content = Buffer.from(value);
  return Buffer.concat([Buffer.from([(field << 3) | 2, content.length]), content]);
};
const number = (field: number, value: number) => Buffer.from([field << 3, value]);
const message = (...fields: Buffer[]) => Buffer.concat(fields);
const envelope = (kind: string, raw: Buffer) =>
  message(Buffer.from("k8s\0"), text(1, message(text(1, "v1"), text(2, kind))), text(2, raw));

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
  it("refuses a kind that it does not read with 415, and says what to send", () => {
    expect(() => readProtobuf(envelope("Pod", Buffer.alloc(0)))).to.throw(
      `the emulator does not read Pod as ${PROTOBUF}: send application/json`,
    );
  });
  it("refuses what is no protobuf of Kubernetes", () => {
    expect(() => readProtobuf(Buffer.from("{}"))).to.throw(/send application\/json/);
  });
});
