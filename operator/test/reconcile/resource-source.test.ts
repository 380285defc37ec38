import { expect } from "chai";
import { describe, it } from "mocha";
import type { KubeObject } from "../../src/kube/objects.js";
import { OwnResources } from "../../src/reconcile/resource-source.js";

type Watches = ConstructorParameters<typeof OwnResources>[0];

describe("the answer to a write of a resource", () => {
  const DELETED = "2025-06-01T10:00:00Z";

  /** Whether the cache forgets the object. */
  function forgets(metadata: Partial<KubeObject["metadata"]>, connected = false): boolean {
    const forgotten: object[] = [];
    const cache = { state: { connected }, store: {}, forget: (object: object) => forgotten.push(object) };
    const resources = new OwnResources({ kind: () => cache } as unknown as Watches, "floatingippools", []);
    resources.wrote({ metadata: { name: "a", namespace: "b", uid: "u", resourceVersion: "1", ...metadata } });
    return forgotten.length > 0;
  }

  it("removes it from a cache without a watch, if the write deleted it", () => {
    expect(forgets({ deletionTimestamp: DELETED })).to.equal(true);
    expect(forgets({ deletionTimestamp: DELETED, finalizers: [] })).to.equal(true);
  });

  it("leaves it there while it exists, and where the watch reports the deletion", () => {
    expect(forgets({})).to.equal(false);
    expect(forgets({ deletionTimestamp: DELETED, finalizers: ["a/b"] })).to.equal(false);
    expect(forgets({ deletionTimestamp: DELETED }, true)).to.equal(false);
  });
});
