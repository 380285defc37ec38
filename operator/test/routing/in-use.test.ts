import { expect } from "chai";
import { describe, it } from "mocha";
import {
  haveUsersChanged,
  inUseFinalizersOf,
  inUsePatch,
  isHeld,
  isKeptByOthers,
  isLeftStale,
  isLeftToOthers,
  leavePatch,
} from "../../src/routing/in-use.js";
import { JANITOR_RETRY_MS } from "../../src/timings.js";
import { meta } from "../claims/resources.js";

const ALL = "flipop.digitalocean.com/in-use";
const [A, B] = [`${ALL}.a`, `${ALL}.b`];
const OF_A = inUseFinalizersOf({ namespace: "a", watchNamespaces: ["web"] });
const OF_B = inUseFinalizersOf({ namespace: "b", watchNamespaces: ["shop"] });
const OF_ALL = inUseFinalizersOf({ namespace: "a", watchNamespaces: [] });
const DELETED = { deletionTimestamp: "2025-06-01T09:00:00Z" };

describe("the finalizer in-use of an installation", () => {
  it("leaves the status to exactly one of those that keep the object, whatever they had formerly", () => {
    for (const finalizers of [
      [A, B],
      [ALL, A, B],
      [A, ALL, B],
      ["example.com/other", A, B],
    ]) {
      expect(isLeftToOthers({ finalizers }, OF_A), `A of ${finalizers}`).to.equal(false);
      expect(isLeftToOthers({ finalizers }, OF_B), `B of ${finalizers}`).to.equal(true);
      expect(isLeftToOthers({ ...DELETED, finalizers }, OF_B), `B of ${finalizers}, deleted`).to.equal(true);
    }
    expect(isLeftToOthers({ finalizers: [B] }, OF_A), "kept by another one alone").to.equal(true);
    expect(isLeftToOthers({ finalizers: [B] }, OF_B), "the next one takes over").to.equal(false);
    expect(isLeftToOthers({ finalizers: [ALL] }, OF_A), "of an earlier release").to.equal(false);
    expect(isLeftToOthers({}, OF_A), "unused").to.equal(false);
  });

  it("says whether RoutedIPs may use the object that the installation does not see", () => {
    expect(isKeptByOthers({ finalizers: [A, B] }, OF_A)).to.equal(true);
    expect(isKeptByOthers({ finalizers: [A] }, OF_A)).to.equal(false);
    expect(isKeptByOthers({ finalizers: [ALL, A] }, OF_A), "of an earlier release").to.equal(false);
    expect(isKeptByOthers({ finalizers: [B, ALL] }, OF_ALL), "it sees all RoutedIPs").to.equal(false);
    expect(isLeftToOthers({ finalizers: [B, ALL] }, OF_ALL), "it sees all RoutedIPs").to.equal(false);
  });

  it("shows when installations come and go, if others are among them", () => {
    const changed = (before: readonly string[], after: readonly string[], ours = OF_A) =>
      haveUsersChanged({ finalizers: before }, { finalizers: after }, ours);
    expect(changed([B], [B, A]), "A comes back").to.equal(true);
    expect(changed([B, A], [B]), "A leaves").to.equal(true);
    expect(changed([A], [A, B]), "B comes").to.equal(true);
    expect(changed([A, B], [A]), "B leaves").to.equal(true);
    expect(changed([A, B], [A, `${ALL}.c`]), "C follows B").to.equal(true);
    expect(changed([A, B], [B, "example.com/other", A]), "the same two").to.equal(false);
    expect(changed([], [A]), "A alone").to.equal(false);
    expect(changed([A], [A, ALL]), "of an earlier release").to.equal(false);
    expect(changed([ALL], [ALL, B], OF_ALL), "it sees all RoutedIPs").to.equal(false);
  });

  it("leaves the status of a deleted object to others for a while, as long as they have not changed it", () => {
    const began = Date.parse(DELETED.deletionTimestamp);
    const [late, soon] = [began + JANITOR_RETRY_MS, began + JANITOR_RETRY_MS - 1];
    const of = (status: "True" | "False", type = "Ready") => [
      { type, status, reason: "Observed", message: "", lastTransitionTime: "2025-06-01T08:00:00Z" },
    ];
    expect(isLeftStale({ metadata: DELETED, conditions: of("True") }, late)).to.equal(true);
    expect(isLeftStale({ metadata: DELETED, conditions: of("True") }, soon), "they may yet write").to.equal(false);
    expect(isLeftStale({ metadata: DELETED, conditions: of("False") }, late), "they have").to.equal(false);
    expect(isLeftStale({ metadata: DELETED, conditions: of("True", "Accepted") }, late)).to.equal(false);
    expect(isLeftStale({ metadata: DELETED }, late), "no status").to.equal(false);
    expect(isLeftStale({ metadata: {}, conditions: of("True") }, late), "not deleted").to.equal(false);
  });

  it("stays when the others have left since the decision to leave the clean-up to them", () => {
    const shared = { ...meta("do"), finalizers: [A, B] };
    const left = { metadata: { ...shared, finalizers: [A] } };
    expect(leavePatch(left, OF_A, shared), "it is the last one now").to.equal(undefined);
    expect(leavePatch({ metadata: shared }, OF_A, shared)?.body).to.have.deep.nested.property("metadata.finalizers", [
      B,
    ]);
    expect(leavePatch(left, OF_A, left.metadata)?.body).to.have.deep.nested.property("metadata.finalizers", []);
  });

  it("takes the former one away only during a deletion: it may be another installation's", () => {
    const living = { metadata: { ...meta("do"), finalizers: [ALL] } };
    const deleted = { metadata: { ...living.metadata, ...DELETED } };
    expect(isHeld(living.metadata, OF_A)).to.equal(false);
    expect(inUsePatch(living, OF_A, false)).to.equal(undefined);
    expect(isHeld(deleted.metadata, OF_A)).to.equal(true);
    expect(inUsePatch(deleted, OF_A, false)?.body).to.deep.include({
      metadata: { resourceVersion: living.metadata.resourceVersion, finalizers: [] },
    });
  });
});
