import { expect } from "chai";
import { describe, it } from "mocha";
import { type ClassObject, classFor } from "../../src/routing/read-resources.js";

describe("the class that serves a name", () => {
  const OLD = "2026-01-01T00:00:00Z";
  const NEW = "2026-01-01T00:00:01Z";

  const named = (name: string, creationTimestamp: string, uid: string): ClassObject => ({
    metadata: { name, uid, creationTimestamp, resourceVersion: "1" },
    spec: { className: "fast" },
  });

  it("is the oldest of those that have it", () => {
    expect(classFor("fast", [named("a", NEW, "1"), named("b", OLD, "2")])).to.equal("b");
  });

  it("is the first by name of those that one kubectl apply created, whatever their uid", () => {
    expect(classFor("fast", [named("b", OLD, "1"), named("a", OLD, "2")])).to.equal("a");
  });

  it("is none if no class has it", () => {
    expect(classFor("slow", [named("a", OLD, "1")])).to.equal(undefined);
  });
});
