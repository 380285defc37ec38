import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import { causes, namespace, type TargetSource } from "../target.js";
import { Things } from "./thing-definition.js";

const text = { type: "string", maxLength: 9 };

const LOOSE = {
  type: "object",
  properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
};

const STRICT = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["need"],
      properties: {
        need: text,
        color: { type: "string", enum: ["red"] },
        extra: text,
        list: { type: "array", maxItems: 9, items: { ...text, pattern: "^good" } },
        map: {
          type: "array",
          maxItems: 9,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: { type: "object", required: ["k"], properties: { k: text, v: { ...text, pattern: "^good" } } },
        },
        inner: { type: "object", properties: { p: { ...text, pattern: "^good" }, q: text } },
        ip: { ...text, "x-kubernetes-validations": [{ rule: "isIP(self)", message: "no ip" }] },
      },
    },
  },
  "x-kubernetes-validations": [
    {
      rule: "has(self.spec) || (oldSelf.hasValue() && !has(oldSelf.value().spec))",
      message: "spec is missing",
      optionalOldSelf: true,
    },
  ],
};

/** What a schema made stricter lets pass of objects stored before. */
export function ratchetingContract(target: TargetSource): void {
  describe("objects from before a stricter schema", () => {
    let things: Things;
    let path = "";
    let bare = "";
    before(async () => {
      things = await Things.define(target(), await namespace(target()), LOOSE);
      const spec = { color: "blue", list: ["bad"], map: [{ k: "a", v: "bad" }], inner: { p: "bad" }, ip: "none" };
      ({ path } = await things.made(spec));
      ({ path: bare } = await things.made(null));
      await things.redefine(STRICT, async () => (await things.create({}, "probe", { dryRun: "All" })).status === 422);
    });
    after(() => things.drop());
    const merge = (body: unknown) => target().admin.patch(path, "merge", body);

    it("take new labels, with a warning of each broken rule", async () => {
      const { status, warnings } = await merge({ metadata: { labels: { a: "b" } } });
      expect(status).to.equal(200);
      expect(warnings).to.deep.equal(['spec.ip: Invalid value: "none": no ip']);
    });
    it("need what is required as soon as the object around it changes", async () => {
      expect(causes(await merge({ spec: { extra: "x" } }))[0]).to.equal("spec.need: Required value");
    });
    it("take a change beside fields that are wrong and do not change", async () => {
      expect((await merge({ spec: { need: "here" } })).status).to.equal(200);
    });
    it("refuse another wrong value", async () => {
      expect(causes(await merge({ spec: { color: "pink" } }))[0]).to.match(/^spec.color: Unsupported value: "pink"/);
    });
    it("take a change beside a wrong field of an inner object", async () => {
      expect((await merge({ spec: { inner: { q: "x" } } })).status).to.equal(200);
    });
    it("know the items of a map list by their key", async () => {
      const map = [
        { k: "b", v: "good" },
        { k: "a", v: "bad" },
      ];
      expect((await merge({ spec: { map } })).status).to.equal(200);
    });
    it("refuse a wrong new item of a map list", async () => {
      const map = [
        { k: "a", v: "bad" },
        { k: "c", v: "bad" },
      ];
      expect(causes(await merge({ spec: { map } }))[0]).to.match(/^spec.map\[1\].v: Invalid value: "bad"/);
    });
    it("do not know the items of other lists: all are checked when one changes", async () => {
      const answer = await merge({ spec: { list: ["bad", "good"] } });
      expect(causes(answer)[0]).to.match(/^spec.list\[0\]: Invalid value: "bad"/);
    });
    it("refuse another value that breaks the same rule", async () => {
      expect(causes(await merge({ spec: { ip: "never" } }))).to.deep.equal(['spec.ip: Invalid value: "never": no ip']);
    });
    it("stay without a spec where a rule with optionalOldSelf allows it", async () => {
      expect((await target().admin.patch(bare, "merge", { metadata: { labels: { a: "b" } } })).status).to.equal(200);
    });
    it("can't lose their spec where the rule forbids it", async () => {
      expect(causes(await merge({ spec: null }))).to.deep.equal(["<nil>: Invalid value: spec is missing"]);
    });
    it("are refused on create without a spec by the rule, whose old value is absent", async () => {
      expect(causes(await things.create(undefined))).to.deep.equal(["<nil>: Invalid value: spec is missing"]);
    });
  });
}
