import { expect } from "chai";
import fc from "fast-check";
import { eventFrame, inEnvelope, listBytes, objectBytes } from "flipop-sandbox/kubernetes";
import { describe, it } from "mocha";
import { Decoders, readStatus } from "../../../src/kube/protobuf/decoder.js";
import { ProtobufError } from "../../../src/kube/protobuf/reader.js";

const decoders = new Decoders(["flipop.digitalocean.com/"]);
const RUNS = { numRuns: 3_000 };

/** Whatever the bytes are: an object, or the one error that the reflector knows. */
function survives(decode: () => unknown): void {
  try {
    expect(decode()).to.be.an("object");
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
  }
}

function everyDecoder() {
  return [decoders.pods, decoders.nodes, ...["services", "endpointslices"].flatMap((name) => decoders.of(name) ?? [])];
}

const KINDS = [
  { apiVersion: "v1", kind: "Pod" },
  { apiVersion: "v1", kind: "Node" },
  { apiVersion: "v1", kind: "Service" },
  { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" },
];
const time = "2025-01-01T00:00:00Z";
const OBJECT = {
  metadata: { name: "a", labels: { a: "b" }, annotations: { "k8s.io/a": "b" }, deletionTimestamp: time },
  spec: {
    ...{ nodeName: "n", hostNetwork: true, containers: [{ name: "c", ports: [{ containerPort: 1, hostPort: 2 }] }] },
    ...{ taints: [{ key: "k", effect: "e", timeAdded: time }], selector: { a: "b" } },
    ports: [{ port: 1, targetPort: "web" }],
  },
  status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: time }], addresses: [{ type: "a" }] },
  endpoints: [{ nodeName: "n", conditions: { ready: true } }],
};
/** Real messages, to be damaged: random bytes alone hardly come past the first tag. */
const MESSAGES = KINDS.flatMap((type) => {
  const bytes = objectBytes(type, OBJECT);
  const event = eventFrame("ADDED", inEnvelope(type, bytes)).subarray(4);
  return [event, inEnvelope({ ...type, kind: `${type.kind}List` }, listBytes({ resourceVersion: "1" }, [bytes]))];
});
const damage = fc.record({ at: fc.nat(), byte: fc.nat(255), cut: fc.option(fc.nat()) });

describe("protobuf decoder, fed with anything", () => {
  it("survives random bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (random) => {
        const bytes = Buffer.from(random);
        for (const decoder of everyDecoder()) {
          survives(() => decoder.list(bytes));
          survives(() => decoder.event(bytes));
        }
        survives(() => readStatus(bytes));
      }),
      RUNS,
    );
  });

  it("survives random bytes in the place of an object", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(...KINDS), (random, type) => {
        const bytes = Buffer.from(random);
        for (const decoder of everyDecoder()) {
          survives(() => decoder.event(eventFrame("ADDED", inEnvelope(type, bytes)).subarray(4)));
          survives(() => decoder.list(inEnvelope({ ...type, kind: `${type.kind}List` }, bytes)));
        }
        survives(() => readStatus(inEnvelope({ apiVersion: "v1", kind: "Status" }, bytes)));
      }),
      RUNS,
    );
  });

  it("survives damaged and cut messages", () => {
    fc.assert(
      fc.property(fc.constantFrom(...MESSAGES), fc.array(damage, { minLength: 1, maxLength: 4 }), (whole, damages) => {
        let bytes = Buffer.from(whole);
        for (const { at, byte, cut } of damages) {
          bytes[at % bytes.length] = byte;
          if (cut !== null) bytes = bytes.subarray(0, 1 + (cut % bytes.length));
        }
        for (const decoder of everyDecoder()) {
          survives(() => decoder.event(bytes));
          survives(() => decoder.list(bytes));
        }
      }),
      { numRuns: 2 * RUNS.numRuns },
    );
  });

  it("takes time that grows with the length only, in the worst cases too", () => {
    // A map in ten thousand pieces, each with a new key; annotations; and a length that promises more than there is.
    const pieces = Array.from({ length: 10_000 }, (_, index) => {
      const entry = Buffer.concat([Buffer.from([0x0a, 5]), Buffer.from(index.toString(36).padStart(5, "0"))]);
      return Buffer.concat([Buffer.from([0x5a, entry.length]), entry, Buffer.from([0x78, 1])]);
    });
    const content = Buffer.concat(pieces);
    const length = [(content.length & 0x7f) | 0x80, ((content.length >> 7) & 0x7f) | 0x80, content.length >> 14];
    const object = Buffer.concat([Buffer.from([0x0a, ...length]), content]);
    const { labels } = decoders.pods.event(
      eventFrame("ADDED", inEnvelope({ apiVersion: "v1", kind: "Pod" }, object)).subarray(4),
    ).object.metadata;
    expect(Object.keys(labels ?? {})).to.have.length(pieces.length);
  }).timeout(5_000);
});
