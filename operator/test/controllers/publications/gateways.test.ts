import { Annotation, CONTROLLER_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { readingOf } from "../../../src/controllers/publications/gateway-watches.js";
import {
  factsOfGateway,
  gatewayPatch,
  hasRuns,
  objectOfGateway,
  slimGateways,
} from "../../../src/controllers/publications/gateways.js";
import { FORBIDDEN_GRACE_MS } from "../../../src/timings.js";

const A = "203.0.113.1";
const TARGET = "Gateway web/shop";

interface Raw {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly manager?: string;
  readonly operation?: string;
  readonly fields?: object;
  readonly addresses?: readonly string[];
}

function gateway({ annotations = {}, fields, addresses = [], manager, operation = "Apply" }: Raw) {
  const status = { addresses: addresses.map((value) => ({ type: "IPAddress", value })) };
  const entry = { manager: manager ?? CONTROLLER_NAME, operation, fieldsV1: { "f:status": fields } };
  const managedFields = fields === undefined ? [] : [entry];
  const metadata = { name: "shop", namespace: "web", uid: "u1", resourceVersion: "7", annotations, managedFields };
  return slimGateways({ metadata, status });
}

const ALLOWING = { [Annotation.publishAddresses]: "true" };
const OWNED = { fields: { "f:addresses": {} }, addresses: [A] };

describe("a Gateway that shows addresses", () => {
  it("has to allow it with the annotation and the value true", () => {
    expect(factsOfGateway(TARGET, "read", gateway({ annotations: ALLOWING }))?.problem).to.equal(undefined);
    for (const annotations of [{}, { [Annotation.publishAddresses]: "false" }, { [Annotation.publishAddresses]: "" }]) {
      expect(factsOfGateway(TARGET, "read", gateway({ annotations }))?.problem?.reason).to.equal("GatewayNotAllowed");
    }
  });

  it("is unknown until the Gateways have been read, and absent without the kind", () => {
    const found = gateway({ annotations: ALLOWING });
    expect(factsOfGateway(TARGET, "unread", found)).to.equal(undefined);
    expect(factsOfGateway(TARGET, "absent", found)?.problem?.reason).to.equal("KindNotInstalled");
    expect(factsOfGateway(TARGET, "forbidden", found)?.problem?.message).to.include("apply the roles");
    expect(factsOfGateway(TARGET, "read", undefined)?.problem?.reason).to.equal("GatewayNotFound");
  });

  it("has addresses of the operator only where its field manager applied them", () => {
    const shownOf = (raw: Raw) => objectOfGateway(gateway(raw)).shown;
    expect(shownOf(OWNED)).to.deep.equal([A]);
    expect(shownOf({ ...OWNED, manager: "another" })).to.deep.equal([]);
    expect(shownOf({ ...OWNED, operation: "Update" })).to.deep.equal([]);
    expect(shownOf({ ...OWNED, fields: { "f:conditions": {} } })).to.deep.equal([]);
    expect(shownOf({ addresses: [A] })).to.deep.equal([]);
  });

  it("has runs while it allows addresses, or has some of the operator", () => {
    expect(hasRuns(gateway({}))).to.equal(false);
    expect(hasRuns(gateway({ annotations: ALLOWING }))).to.equal(true);
    expect(hasRuns(gateway(OWNED))).to.equal(true);
  });

  it("is written without force, on the version that was seen", () => {
    const { fieldManager, body } = gatewayPatch(objectOfGateway(gateway({ annotations: ALLOWING })), [A]);
    expect(fieldManager).to.equal(CONTROLLER_NAME);
    expect(body).to.deep.include({
      metadata: { name: "shop", namespace: "web", resourceVersion: "7" },
      status: { addresses: [{ type: "IPAddress", value: A }] },
    });
    expect(gatewayPatch(objectOfGateway(gateway(OWNED)), []).body).not.to.have.property("status");
  });
});

describe("whether Gateways have been read", () => {
  const state = (more: object) => ({
    state: { name: "gateways", synced: false, connected: false, lastError: undefined, lastCode: undefined, ...more },
  });

  const read = (...caches: readonly ReturnType<typeof state>[]) => readingOf(caches, FORBIDDEN_GRACE_MS);

  it("is not known while an API server that has just started refuses everything", () => {
    expect(readingOf([state({ lastCode: 403 })], FORBIDDEN_GRACE_MS - 1)).to.equal("unread");
  });

  it("is known of all namespaces together", () => {
    expect(read(state({ synced: true }), state({ synced: true }))).to.equal("read");
    expect(read(state({ synced: true }), state({}))).to.equal("unread");
    expect(read(state({ lastCode: 404 }), state({ synced: true }))).to.equal("absent");
    expect(read(state({ lastCode: 403 }))).to.equal("forbidden");
  });

  it("changes when somebody removes the kind, and not by a refusal of a later watch", () => {
    expect(read(state({ synced: true, lastCode: 404 }))).to.equal("absent");
    expect(read(state({ synced: true, lastCode: 403 }))).to.equal("read");
  });
});
