import { expect } from "chai";
import { describe, it } from "mocha";
import { causes, type TargetSource } from "../target.js";
import { NOT_CHECKED, type Things } from "./thing-definition.js";

/** Schemas and rules of a definition refuse what is wrong, and say where. */
export function customResourceValidationContract(target: TargetSource, things: () => Things): void {
  const merge = (path: string, body: unknown, query = {}) => target().admin.patch(path, "merge", body, query);

  describe("validation", () => {
    /** [what is wrong, spec, message; whether rules were left out because of it] */
    const refused: readonly (readonly [string, unknown, string, boolean])[] = [
      [
        "a number too small",
        { count: 0 },
        "spec.count: Invalid value: 0: spec.count in body should be greater than or equal to 1",
        false,
      ],
      [
        "a number too large",
        { count: 11 },
        "spec.count: Invalid value: 11: spec.count in body should be less than or equal to 10",
        false,
      ],
      [
        "text for a number",
        { count: "a" },
        'spec.count: Invalid value: "string": spec.count in body must be of type integer: "string"',
        true,
      ],
      [
        "a fraction for an integer",
        { count: 1.5 },
        'spec.count: Invalid value: "number": spec.count in body must be of type integer: "number"',
        true,
      ],
      [
        "a value that is not in the enum",
        { color: "blue" },
        'spec.color: Unsupported value: "blue": supported values: "red", "green"',
        true,
      ],
      [
        "text too short",
        { name: "a" },
        'spec.name: Invalid value: "a": spec.name in body should be at least 2 chars long',
        false,
      ],
      ["text too long", { name: "abcdef" }, "spec.name: Too long: may not be more than 5 bytes", true],
      [
        "text that does not match",
        { name: "ABC" },
        `spec.name: Invalid value: "ABC": spec.name in body should match '^[a-z]+$'`,
        false,
      ],
      [
        "text for true or false",
        { flag: "x" },
        'spec.flag: Invalid value: "string": spec.flag in body must be of type boolean: "string"',
        true,
      ],
      [
        "no time",
        { when: "yesterday" },
        'spec.when: Invalid value: "yesterday": spec.when in body must be of type date-time: "yesterday"',
        true,
      ],
      [
        "a list for an object",
        { free: [] },
        'spec.free: Invalid value: "array": spec.free in body must be of type object: "array"',
        true,
      ],
      [
        "text for a list",
        { tags: "a" },
        'spec.tags: Invalid value: "string": spec.tags in body must be of type array: "string"',
        true,
      ],
      ["too many items", { tags: ["a", "b", "c", "d"] }, "spec.tags: Too many: 4: must have at most 3 items", true],
      ["the same item twice in a set", { tags: ["a", "a"] }, 'spec.tags[1]: Duplicate value: "a"', false],
      [
        "the same key twice in a map list",
        { ports: [{ name: "a" }, { name: "a" }] },
        'spec.ports[1]: Duplicate value: {"name":"a"}',
        false,
      ],
      ["a missing field", { ports: [{ port: 1 }] }, "spec.ports[0].name: Required value", true],
      [
        "a null item",
        { ports: [null] },
        'spec.ports[0]: Invalid value: "null": spec.ports[0] in body must be of type object: "null"',
        true,
      ],
      [
        "a wrong field of an item",
        { ports: [{ name: "a", port: 0 }] },
        "spec.ports[0].port: Invalid value: 0: spec.ports[0].port in body should be greater than or equal to 1",
        false,
      ],
      [
        "too many properties",
        { labels: { a: "", b: "", c: "" } },
        "spec.labels: Too many: 3: must have at most 2 items",
        true,
      ],
      [
        "a wrong value of a map",
        { labels: { a: 1 } },
        'spec.labels.a: Invalid value: "integer": spec.labels.a in body must be of type string: "integer"',
        true,
      ],
      ["text for the spec", "x", 'spec: Invalid value: "string": spec in body must be of type object: "string"', true],
      ["a broken rule, in its message", { ip: "here" }, 'spec.ip: Invalid value: "here": no ip', false],
      [
        "a broken rule, at its fieldPath and for its reason",
        { low: 5, high: 1 },
        "spec.low: Forbidden: low is over high",
        false,
      ],
      [
        "a broken rule, in the words of its messageExpression",
        { low: 6, high: 1 },
        "spec.low: Forbidden: low is over high by far",
        false,
      ],
      [
        "a broken rule with macros and text functions",
        { tags: ["a-b"] },
        "spec: Invalid value: a tag has a dash or begins with x",
        false,
      ],
    ];
    for (const [what, spec, message, incomplete] of refused) {
      it(`refuses ${what}`, async () => {
        const answer = await things().create(spec);
        expect([answer.status, answer.body.reason]).to.deep.equal([422, "Invalid"]);
        expect(causes(answer)).to.deep.equal(incomplete ? [message, NOT_CHECKED] : [message]);
      });
    }
    it("names kind, group and name in the message", async () => {
      const { body } = await things().create({ count: 0 }, "zero");
      expect(body.message).to.equal(
        `Thing.${things().group} "zero" is invalid: spec.count: Invalid value: 0: spec.count in body should be greater than or equal to 1`,
      );
      expect(body.details).to.deep.include({ name: "zero", group: things().group, kind: "Thing" });
    });
    it("lists all mistakes in one message", async () => {
      const { body } = await things().create({ count: 0, name: "A" }, "both");
      expect(body.message).to.match(/^Thing\..+ "both" is invalid: \[.+, .+\]$/);
      expect(body.message).to.contain("spec.count: Invalid value: 0:").and.contain('spec.name: Invalid value: "A":');
    });
    it("accepts addresses of both families where a rule asks for one", async () => {
      for (const ip of ["192.0.2.1", "2001:db8::1"]) expect((await things().create({ ip })).status).to.equal(201);
    });
    it("does not run a transition rule on create", async () => {
      expect((await things().create({ fixed: "any" })).status).to.equal(201);
    });
    it("runs a transition rule on a change", async () => {
      const { path } = await things().made({ fixed: "one" });
      expect(causes(await merge(path, { spec: { fixed: "two" } }))).to.deep.equal([
        'spec.fixed: Invalid value: "two": was one is two',
      ]);
      expect((await merge(path, { spec: { fixed: "one", low: 1 } })).status).to.equal(200);
    });
    it("refuses a patch to what is invalid, and changes nothing", async () => {
      const { path } = await things().made({});
      expect((await merge(path, { spec: { count: 11 } })).status).to.equal(422);
      expect((await target().admin.get(path)).body.spec?.count).to.equal(3);
    });
  });
}
