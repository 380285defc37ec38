import { expect } from "chai";
import { describe, it } from "mocha";
import { changeText } from "../../src/messages/events.js";
import { recordsWritten } from "../../src/records/record-events.js";

describe("the text of a change of records", () => {
  const [A, B] = ["203.0.113.7", "203.0.113.8"];
  const change = { fqdn: "www.example.com", before: [A, B], after: [B, A] };
  const step = { do: "update", id: "1", type: "A", from: A, to: A, ttl: 60 } as const;

  it("shows the addresses before and after", () => {
    expect(changeText({ ...change, after: [A] })).to.equal(`www.example.com: ${A}, ${B} -> ${A}`);
    expect(changeText({ ...change, before: [] })).to.equal(`www.example.com: nothing -> ${B}, ${A}`);
  });

  it("says how to restore records of somebody else that it replaced", () => {
    expect(recordsWritten({ changes: { ...change, after: [B] }, replaced: [A] }).note).to.equal(
      `www.example.com: ${A}, ${B} -> ${B}: the status did not show that the operator wrote ${A}; fix: if the name is to keep that, set another dnsRecordSet.recordName, then have the owner of the DNS account restore the records of www.example.com`,
    );
  });

  it("shows records that have gone, and are created anew, as new", () => {
    const steps = [A, B].map((to) => ({ do: "create", type: "A", to, ttl: 60 }) as const);
    const changes = { ...change, zone: "example.com", before: [], after: [A, B], steps };
    expect(recordsWritten({ changes, since: [A, B] }).note).to.equal(`www.example.com: nothing -> ${A}, ${B}`);
    expect(changeText({ ...change, steps })).not.to.include("TTL");
  });

  it("shows the TTL where the addresses stay", () => {
    expect(changeText({ ...change, steps: [step] })).to.equal(`www.example.com: ${B}, ${A}, now with TTL 60`);
  });
});
