import type { DnsStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { recordChain, stepsByName } from "../../src/addresses/dns-records.js";
import type { RecordChain, RecordDns } from "../../src/records/record-actions.js";
import { A, B, cloudOf } from "../situations/pool-scenes.js";

const WWW: DnsStatus = { provider: "digitalocean", zone: "example.com", recordName: "www", types: ["A"], values: [A] };
const API: DnsStatus = { ...WWW, recordName: "api", values: [B] };

describe("the steps of a chain about records", () => {
  const note: RecordDns = { do: "record-dns", written: undefined, why: "resolvers may have its records" };
  const read = (which: "current" | "begun") => ({ do: "read-records", which, why: "its content is unknown" }) as const;
  const stepsOf = (...chain: RecordChain) =>
    stepsByName(chain, "wanted key").map(({ name, retryKey, reliesOn, actions }) => {
      const verbs = actions.map((action) => ("which" in action ? action.which : action.do)).join();
      return `${name ?? "-"} (${retryKey}) ${reliesOn?.join() ?? "-"}: ${verbs}`;
    });

  it("are two where the wanted name is called before another one", () => {
    expect(stepsOf(note, read("current"), read("begun"), note)).to.deep.equal([
      "wanted name (wanted key) -: record-dns,current",
      "- (other names) wanted name: begun,record-dns",
    ]);
  });

  it("are one where only the other name is called: a failure of the wanted one does not hold up its status", () => {
    const only = (chain: string) => [`- (other names) -: ${chain}`];
    expect(stepsOf(note, read("begun"), note)).to.deep.equal(only("record-dns,begun,record-dns"));
    expect(stepsOf(read("begun"))).to.deep.equal(only("begun"));
  });

  it("are one where no other name is called", () => {
    expect(stepsOf(read("current"), note)).to.deep.equal(["- (wanted key) -: current,record-dns"]);
  });
});

describe("a pool whose spec has no record set any more", () => {
  const forgotten = (dns: DnsStatus | undefined, ...begunRecords: readonly DnsStatus[]) => {
    const { set, now, memory } = cloudOf({ status: { ...(dns && { dns }), begunRecords } }).snapshot("web");
    return recordChain({ set, now, memory }, [], "IPv4");
  };
  const goes = (written: DnsStatus): DnsStatus => ({ ...written, deletionPolicy: "Delete" });

  it("gives as reason what becomes of its records", () => {
    const reasonOf = (...of: Parameters<typeof forgotten>) => forgotten(...of)[0]?.why;
    const [deleted, stay] = ["its records are to be deleted", "the records stay"];
    expect(reasonOf(goes(WWW))).to.equal(`spec.dnsRecordSet is gone; ${deleted}`);
    expect(reasonOf(WWW)).to.equal(`spec.dnsRecordSet is gone; ${stay}`);
    expect(reasonOf(WWW, goes(API)), "one goes").to.equal(`spec.dnsRecordSet is gone; ${deleted}`);
    expect(reasonOf(undefined, API), "a begun one stays").to.equal(`spec.dnsRecordSet is gone; ${stay}`);
  });

  it("names each record set that stays in a note of its own, for its Event", () => {
    const leftBy = (...of: Parameters<typeof forgotten>) =>
      forgotten(...of).map((note) => note.do === "record-dns" && [note.left, note.written, note.begun]);
    const [mail, gone] = [{ ...API, recordName: "mail" }, goes(WWW)];
    expect(leftBy(undefined, API, gone, mail)).to.deep.equal([
      [API, undefined, [gone, mail]],
      [mail, undefined, [gone]],
    ]);
    expect(leftBy(gone, API)).to.deep.equal([
      [API, gone, []],
      [undefined, undefined, [gone]],
    ]);
    expect(leftBy(WWW)).to.deep.equal([[WWW, undefined, undefined]]);
  });
});
