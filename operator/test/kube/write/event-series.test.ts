import { expect } from "chai";
import { describe, it } from "mocha";
import { cutBytes, type EventInput, eventObject, redirected } from "../../../src/kube/write/event-series.js";

const pool = { apiVersion: "flipop.digitalocean.com/v1alpha1", kind: "FloatingIPPool", namespace: "apps", name: "web" };
const moved: EventInput = { regarding: pool, type: "Normal", reason: "Assigned", action: "Assign", note: "to node-1" };

describe("event object", () => {
  const by = { controller: "c", instance: "i".repeat(200) };
  const at = { epochMs: 0, suffix: "abc" };

  it("cuts the note at 1,024 bytes, between characters", () => {
    const { note } = eventObject({ ...moved, note: "ä".repeat(600) }, by, at);
    expect(Buffer.byteLength(note)).to.be.within(1_020, 1_024);
    expect(note).to.match(/^ä+\.\.\.$/);
    expect(cutBytes("x".repeat(1_024), 1_024)).to.have.length(1_024);
  });

  it("keeps the limits of the other fields", () => {
    const event = eventObject({ ...moved, reason: "R".repeat(200), action: "A".repeat(200) }, by, at);
    for (const field of [event.reason, event.action, event.reportingInstance]) expect(field).to.have.length(128);
  });

  for (const [object, name] of [
    ["web", "web.abc"],
    ["system:node", "system-node.abc"],
    [`${"a".repeat(248)}-b`, `${"a".repeat(248)}.abc`],
    ["a".repeat(253), `${"a".repeat(249)}.abc`],
    ["::", "event.abc"],
  ] as const) {
    it(`makes a valid name of ${object.slice(0, 20)}`, () => {
      const event = eventObject({ ...moved, regarding: { ...pool, name: object } }, by, at);
      expect(event.metadata.name).to.equal(name);
      expect(event.metadata.name).to.match(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
    });
  }

  it("cuts a redirected note, too", () => {
    const event = redirected(eventObject({ ...moved, note: "x".repeat(1_024) }, by, at));
    expect(Buffer.byteLength(event.note)).to.equal(1_024);
  });
});
