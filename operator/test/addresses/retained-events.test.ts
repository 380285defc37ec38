import { expect } from "chai";
import { describe, it } from "mocha";
import { retainedEvents } from "../../src/addresses/retained-events.js";

describe("the Event about addresses that a deleted resource leaves", () => {
  const [A, B] = ["203.0.113.7", "203.0.113.8"];
  type Known = Parameters<typeof retainedEvents>[0];
  type Gone = Parameters<typeof retainedEvents>[1];

  /** Addresses of the account, with their holders, and those that another resource has. */
  function eventOf(held: Readonly<Record<string, string | undefined>>, taken: readonly string[] = []) {
    const inventories = { find: (ip: string) => (ip in held ? { holder: held[ip] } : undefined) };
    const claims = { holderOf: (ip: string) => (taken.includes(ip) ? {} : undefined) };
    const gone = { addresses: [A, B].map((ip) => ({ ip })), field: "ips", spec: {}, status: {} };
    return retainedEvents({ inventories, claims } as unknown as Known, gone as unknown as Gone)[0]?.note;
  }

  it("names one as well as several", () => {
    expect(eventOf({ [A]: undefined }))
      .to.include(A)
      .and.not.include(B);
    expect(eventOf({ [A]: undefined, [B]: "digitalocean://1" }))
      .to.include(A)
      .and.include(B);
  });

  it("names none that another resource has, or that is not in the account", () => {
    expect(eventOf({ [A]: undefined }, [A])).to.equal(undefined);
    expect(eventOf({})).to.equal(undefined);
  });

  it("names the record set, unless the operator deletes it", () => {
    const dns = { provider: "digitalocean", zone: "example.com", recordName: "www", types: ["A"], values: [A] };
    const notesOf = (deletionPolicy: string, values = [A]) => {
      const known = { inventories: {}, claims: {} } as unknown as Known;
      const gone = {
        addresses: [],
        field: "ips",
        spec: { dnsRecordSet: { deletionPolicy } },
        status: { dns: { ...dns, values } },
      };
      return retainedEvents(known, gone as unknown as Gone).map(({ note }) => note);
    };
    expect(notesOf("Retain")).to.have.length(1);
    expect(notesOf("Retain")[0]).to.include("by the last status, it holds 203.0.113.7");
    expect(notesOf("Delete")).to.deep.equal([]);
    expect(notesOf("Retain", [])).to.deep.equal([]);
  });

  it("names also a record set that the operator has begun to write, unless it deletes it", () => {
    const begun = { provider: "digitalocean", zone: "example.com", recordName: "www", types: ["A"], values: [A] };
    const notesOf = (spec: object, deletionPolicy?: string) => {
      const status = { begunRecords: [{ ...begun, ...(deletionPolicy && { deletionPolicy }) }] };
      const gone = { addresses: [], field: "ips", spec, status } as unknown as Gone;
      return retainedEvents({ inventories: {}, claims: {} } as unknown as Known, gone).map(({ reason }) => reason);
    };
    expect(notesOf({})).to.deep.equal(["RecordsRetained"]);
    expect(notesOf({ dnsRecordSet: { deletionPolicy: "Retain" } }, "Delete")).to.deep.equal(["RecordsRetained"]);
    expect(notesOf({ dnsRecordSet: { deletionPolicy: "Delete" } })).to.deep.equal([]);
    expect(notesOf({}, "Delete"), "the status has the policy").to.deep.equal([]);
  });
});
