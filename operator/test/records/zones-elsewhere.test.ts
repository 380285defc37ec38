import { expect } from "chai";
import { describe, it } from "mocha";
import { Claims } from "../../src/claims/claims.js";
import { DnsService, RecordRegistry } from "../../src/records/dns-service.js";
import { ZONE_NAME_RETRY_MS } from "../../src/timings.js";
import { FakeClock } from "../support/time/fake-clock.js";
import { ASKER, FakeDns, providerError } from "./fake-dns.js";

function rig(zone = "example.net") {
  const clock = new FakeClock();
  const [named, other, bare] = [new FakeDns("cloudflare"), new FakeDns("digitalocean"), new FakeDns("external-dns")];
  const all = [named, other, bare];
  const dnsOf = (name: string) => all.find((dns) => dns.name === name);
  const records = new RecordRegistry(clock, 600_000);
  const service = new DnsService({ records, claims: new Claims(), dnsOf, others: () => all });
  const key = { provider: "cloudflare", zone, fqdn: `www.${zone}`, type: "A" as const };
  const names = [{ ...key, claim: { ours: true } as const }];
  const wanted = { zone, recordName: "www" };
  const question = { provider: "cloudflare", wanted, types: ["A"] as const, last: undefined };
  const evaluate = () => service.evaluate({ ...question, claims: { addresses: new Map(), names } });
  named.fault = () => ({ error: providerError("NotFound") });
  return {
    ...{ clock, named, other, bare, evaluate },
    read: async () => {
      const action = { do: "read-records", which: "current", why: "test" } as const;
      const failed = await service.carryOut(evaluate(), action, ASKER).catch((error: Error) => error);
      return (failed as Error).message;
    },
  };
}

const FIX = "; fix: set dnsRecordSet.provider to digitalocean, whose account has zone example.net";

describe("a zone that the provider of a record set lacks", () => {
  it("is looked for at the other providers once in 10 minutes, and the remedy names the one that has it", async () => {
    const { clock, other, bare, evaluate, read } = rig();
    expect(await read()).to.satisfy((text: string) => text.endsWith(FIX));
    expect(evaluate().snapshot.failure?.message).to.satisfy((text: string) => text.endsWith(FIX));
    await read();
    expect([other.calls, bare.calls]).to.deep.equal([["read example.net A"], []]);
    other.fault = () => ({ error: providerError("NotFound") });
    await clock.advance(ZONE_NAME_RETRY_MS);
    expect(await read()).not.to.include("whose account has");
    expect(other.calls).to.have.length(2);
  });

  it("is no more than missing if no other has it, or if the failure is another one", async () => {
    const { named, other, read } = rig();
    named.fault = () => ({ error: providerError("Unavailable") });
    await read();
    expect(other.calls).to.deep.equal([]);
    const byId = rig("023e105f4ecef8ad9ca31a8372d0c353");
    expect(await byId.read()).not.to.include("whose account has");
    expect(byId.other.calls).to.deep.equal([]);
  });
});
