import { expect } from "chai";
import { describe, it } from "mocha";
import { Publications } from "../../src/publishing/publications.js";

describe("the resources that publish in one object", () => {
  const ref = (name: string) => ({ kind: "FloatingIPPool", namespace: "web", name, uid: name });
  const target = { kind: "Service", name: "shop" } as const;

  it("come in the order of their age, whichever the operator reads first", () => {
    const publications = new Publications(() => undefined);
    publications.claim(ref("young"), "2025-06-02T00:00:00Z", [target]);
    publications.claim(ref("old"), "2025-06-01T00:00:00Z", [target]);
    publications.claim(ref("middle"), "2025-06-01T12:00:00Z", [target]);
    const names = publications.resourcesOf("Service", "web/shop").map((one) => one.ref.name);
    expect(names).to.deep.equal(["old", "middle", "young"]);
  });
});
