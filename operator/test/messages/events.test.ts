import { expect } from "chai";
import { describe, it } from "mocha";
import { changeText } from "../../src/messages/events.js";

describe("the text of a change of records", () => {
  const [A, B] = ["203.0.113.7", "203.0.113.8"];
  const change = { fqdn: "www.example.com", before: [A, B], after: [B, A] };
  const step = { do: "update", id: "1", type: "A", from: A, to: A, ttl: 60 } as const;

  it("shows the addresses before and after", () => {
    expect(changeText({ ...change, after: [A] })).to.equal(`www.example.com: ${A}, ${B} -> ${A}`);
    expect(changeText({ ...change, before: [] })).to.equal(`www.example.com: nothing -> ${B}, ${A}`);
  });

  it("shows the TTL where the addresses stay", () => {
    expect(changeText({ ...change, steps: [step] })).to.equal(`www.example.com: ${B}, ${A}, now with TTL 60`);
  });
});
