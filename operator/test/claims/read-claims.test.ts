import type { RoutedIPStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { Claimant } from "../../src/claims/claimant.js";
import { normalName, type ZoneLookUp } from "../../src/claims/claimed-names.js";
import { nodeRecordClaims, poolClaims, routedIpClaims } from "../../src/claims/read-claims.js";
import { meta, pool, routed } from "./resources.js";

const [A, B, C] = ["203.0.113.1", "203.0.113.2", "203.0.113.3"];
const CREATED = "flipop.digitalocean.com/created-ips";
const WWW = { recordName: "www", zone: "example.com" };
const WRITTEN = { ...WWW, provider: "digitalocean", types: ["A"] as const, values: [A] };

const addresses = ({ addresses: desiredItems }: Claimant) => desiredItems.map(({ ip, title }) => `${ip} ${title}`);
const names = ({ names: desiredItems }: Claimant) =>
  desiredItems.map(({ provider, zone, fqdn, type, title }) => `${provider} ${zone} ${fqdn} ${type} ${title}`);

describe("claims of a pool", () => {
  it("are its addresses, those that its status has without Conflict being held", () => {
    const status = { ips: { [A]: { state: "no-match" }, [B]: { state: "error", reason: "ClaimedByOther" } } } as const;
    expect(addresses(poolClaims(pool("p", { spec: { ips: [A, B, C] }, status })))).to.deep.equal([
      `${A} holds`,
      `${B} asks`,
      `${C} asks`,
    ]);
  });

  it("serve the addresses that are at work, or on their way, but for those that are another one's", () => {
    const ips = { [A]: { state: "active" }, [B]: { state: "in-progress" }, [C]: { state: "unassigned" } } as const;
    const lost = { ...ips, [B]: { state: "active", reason: "ClaimedByOther" } } as const;
    const spec = { ips: [A, B, C] };
    const claimsOf = (all: typeof ips | typeof lost) =>
      addresses(poolClaims(pool("p", { spec, status: { ips: all } })));
    expect(claimsOf(ips)).to.deep.equal([`${A} serves`, `${B} serves`, `${C} waits`]);
    expect(claimsOf(lost)).to.deep.equal([`${A} serves`, `${B} asks`, `${C} waits`]);
  });

  it("spare a disabled address on no machine, unless the pool is being deleted, whose addresses are all disabled", () => {
    const ips = { [A]: { state: "disabled" }, [B]: { state: "disabled", providerID: "digitalocean://1" } } as const;
    const idle = pool("p", { spec: { ips: [C, A, B], desiredIPs: 1 }, status: { ips } });
    const deleting = { ...idle, metadata: { ...idle.metadata, deletionTimestamp: "2025-02-01T00:00:00Z" } };
    expect(addresses(poolClaims(idle))).to.deep.equal([`${C} asks`, `${A} spares`, `${B} holds`]);
    expect(addresses(poolClaims(deleting))).to.deep.equal([`${C} asks`, `${A} waits`, `${B} holds`]);
  });

  it("include what it created, in ips or not", () => {
    const status = { createdIPs: [A, B].map((ip) => ({ ip, createdTime: "2025-01-01T00:00:00Z" })), ips: { [A]: {} } };
    expect(addresses(poolClaims(pool("p", { spec: { ips: [A] }, status })))).to.deep.equal([
      `${A} created`,
      `${B} created`,
    ]);
  });

  it("include what the annotation says of a lost status", () => {
    const claimant = poolClaims(pool("p", { annotations: { [CREATED]: `${B}, ${C}` }, spec: { ips: [A, B] } }));
    expect(addresses(claimant)).to.deep.equal([`${A} asks`, `${B} restored`, `${C} restored`]);
  });

  it("do not include an address that was dropped from ips, though the status still has it", () => {
    expect(
      addresses(poolClaims(pool("p", { spec: { ips: [] }, status: { ips: { [A]: { state: "active" } } } }))),
    ).to.deep.equal([]);
  });

  it("compare addresses, not spellings, and pass over what is none", () => {
    const status = { ips: { "2001:DB8::1": {} } };
    const claimant = poolClaims(
      pool("p", { spec: { ips: ["2001:db8:0::1", "2001:db8::1", "203.0.113", ""] }, status }),
    );
    expect(addresses(claimant)).to.deep.equal(["2001:db8::1 waits"]);
  });

  it("stay while it is paused or being deleted", () => {
    const plain = pool("p", { spec: { ips: [A] } });
    const deleting = { ...plain, metadata: { ...plain.metadata, deletionTimestamp: "2025-02-01T00:00:00Z" } };
    expect(poolClaims(deleting)).to.deep.equal({ ...poolClaims(plain), leaving: true });
    expect(poolClaims(pool("p", { spec: { ips: [A], paused: true } }))).to.deep.equal({
      ...poolClaims(plain),
      paused: true,
    });
  });

  it("have the type of its family", () => {
    const types = (spec: object) =>
      poolClaims(pool("p", { spec: { dnsRecordSet: WWW, ...spec } })).names.map(({ type }) => type);
    expect([types({}), types({ ips: ["2001:db8::1"] }), types({ ipFamily: "IPv6" })]).to.deep.equal([
      ["A"],
      ["AAAA"],
      ["AAAA"],
    ]);
  });

  it("hold the name that it wrote last", () => {
    const parts = { spec: { dnsRecordSet: { ...WWW, recordName: "WWW.example.com." } }, status: { dns: WRITTEN } };
    expect(names(poolClaims(pool("p", parts)))).to.deep.equal(["digitalocean example.com www.example.com A holds"]);
  });

  it("hold it once, though it is to be deleted with the pool", () => {
    const parts = { spec: { dnsRecordSet: { ...WWW, deletionPolicy: "Delete" as const } }, status: { dns: WRITTEN } };
    expect(names(poolClaims(pool("p", parts)))).to.deep.equal(["digitalocean example.com www.example.com A holds"]);
  });

  it("leave a former name, or clear it where its records are still to be deleted", () => {
    const renamed = (deletionPolicy: "Retain" | "Delete", values: readonly string[] = []) =>
      poolClaims(
        pool("p", {
          spec: { dnsRecordSet: { ...WWW, recordName: "@", deletionPolicy } },
          status: { dns: { ...WRITTEN, values } },
        }),
      );
    const asked = "digitalocean example.com example.com A asks";
    expect(names(renamed("Retain"))).to.deep.equal([asked, "digitalocean example.com www.example.com A leaves"]);
    expect(names(renamed("Delete"))).to.deep.equal([asked, "digitalocean example.com www.example.com A clears"]);
    for (const policy of ["Delete", "Retain"] as const)
      expect(renamed(policy, ["203.0.113.7"]).names[1]?.values).to.deep.equal(["203.0.113.7"]);
  });

  it("take a name at once if the pool has something to publish there, and may write", () => {
    const taken = (parts: Parameters<typeof pool>[1], metadata: object = {}) => {
      const made = pool("p", { ...parts, spec: { dnsRecordSet: { ...WWW, recordName: "@" }, ...parts?.spec } });
      return poolClaims({ ...made, metadata: { ...made.metadata, ...metadata } }).names[0]?.title;
    };
    const published = { status: { dns: { ...WRITTEN, values: ["203.0.113.7"] } } };
    const active = { status: { ips: { "203.0.113.7": { state: "active" as const } } } };
    const moving = { status: { ips: { "203.0.113.7": { state: "in-progress" as const } } } };
    expect([taken(published), taken(active), taken({})]).to.deep.equal(["takes", "takes", "asks"]);
    expect(taken(moving), "its only address moves").to.equal("asks");
    expect(taken({ ...active, spec: { paused: true } })).to.equal("asks");
    expect(taken(active, { deletionTimestamp: "2025-02-01T00:00:00Z" }), "it needs none any more").to.equal(undefined);
  });

  it("are none where the spec is missing or half written", () => {
    expect(addresses(poolClaims({ metadata: meta("p") }))).to.deep.equal([]);
    expect(names(poolClaims(pool("p", { spec: { dnsRecordSet: { recordName: "www", zone: "" } } })))).to.deep.equal([]);
  });
});

describe("claims of a NodeDNSRecordSet", () => {
  const claimed = (spec: object) =>
    names(nodeRecordClaims({ metadata: meta("n"), spec: { dnsRecordSet: WWW, ...spec } }));

  it("are its name, at the provider of the record set, of the spec, or digitalocean", () => {
    const dnsRecordSet = { ...WWW, provider: "cloudflare" };
    expect(claimed({})).to.deep.equal(["digitalocean example.com www.example.com A asks"]);
    expect(claimed({ provider: "other" })).to.deep.equal(["other example.com www.example.com A asks"]);
    expect(claimed({ provider: "other", dnsRecordSet })).to.deep.equal([
      "cloudflare example.com www.example.com A asks",
    ]);
  });

  it("have one type for each family", () => {
    const types = (spec: object) => claimed(spec).map((name) => name.split(" ")[3]);
    expect(types({ ipFamilies: ["IPv4", "IPv6"] })).to.deep.equal(["A", "AAAA"]);
    expect(types({ ipFamilies: [] })).to.deep.equal(["A"]);
    expect(types({ addressType: "flipop.digitalocean.com/ipv6-reserved-ip" })).to.deep.equal(["AAAA"]);
    expect(types({ addressType: "flipop.digitalocean.com/ipv4-reserved-ip" })).to.deep.equal(["A"]);
  });

  it("hold those types that were written", () => {
    const spec = { dnsRecordSet: WWW, ipFamilies: ["IPv4", "IPv6"] as const };
    const claimant = nodeRecordClaims({ metadata: meta("n"), spec, status: { dns: WRITTEN } });
    expect(claimant.names.map(({ type, title }) => `${type} ${title}`)).to.deep.equal(["A holds", "AAAA asks"]);
  });
});

describe("claims of a RoutedIP", () => {
  const provider = "digitalocean";
  const claimed = (...parts: Parameters<typeof routed>) => addresses(routedIpClaims(routed(...parts), { provider }));

  it("are the address given, or the one that its status has", () => {
    expect(claimed("r", { routedIP: A })).to.deep.equal([`${A} asks`]);
    expect(claimed("r", { routedIP: A }, { routedIP: A, state: "unassigned" })).to.deep.equal([`${A} waits`]);
    expect(claimed("r", { routedIP: A }, { routedIP: A, providerID: "x://1" })).to.deep.equal([`${A} holds`]);
    expect(claimed("r", { routedIP: A }, { routedIP: A, reason: "ClaimedByOther" })).to.deep.equal([`${A} asks`]);
    expect(claimed("r", {}, { routedIP: B })).to.deep.equal([`${B} waits`]);
    expect(claimed("r", {})).to.deep.equal([]);
  });

  it("leave what it created once another one is given, so that two can exchange theirs", () => {
    const copied = routed("r", { routedIP: A }, { routedIP: B, created: true });
    const metadata = { ...copied.metadata, annotations: { [CREATED]: `${B},${C}` } };
    expect(claimed("r", { routedIP: A }, { routedIP: B, created: true })).to.deep.equal([`${B} leaves`, `${A} asks`]);
    expect(addresses(routedIpClaims({ ...copied, metadata }, { provider }))).to.deep.equal([
      `${B} leaves`,
      `${A} asks`,
      `${C} restored`,
    ]);
    expect(claimed("r", { routedIP: A }, { routedIP: B })).to.deep.equal([`${A} asks`]);
  });

  it("are only what it had before, while it cannot be served, paused or not", () => {
    const unserved = (spec: Parameters<typeof routed>[1], status: RoutedIPStatus = {}) => {
      const claimant = routedIpClaims(routed("r", { dnsRecordSet: WWW, ...spec }, status), {
        provider,
        unserved: true,
      });
      return [...addresses(claimant), ...names(claimant)];
    };
    expect(unserved({ routedIP: A })).to.deep.equal([]);
    expect(unserved({ routedIP: A }, { routedIP: A, state: "unassigned" })).to.deep.equal([]);
    expect(unserved({ routedIP: A, paused: true }, { routedIP: A, state: "active" })).to.deep.equal([`${A} serves`]);
    expect(unserved({}, { routedIP: A, created: true })).to.deep.equal([`${A} created`]);
    expect(unserved({}, { dns: WRITTEN })).to.have.length(1);
  });

  it("have a name where a provider is known", () => {
    const named = (of?: string) => names(routedIpClaims(routed("r", { dnsRecordSet: WWW }), { provider: of }));
    expect(named("digitalocean")).to.deep.equal(["digitalocean example.com www.example.com A asks"]);
    expect(named()).to.deep.equal([]);
  });
});

const ID = "023e105f4ecef8ad9ca31a8372d0c353";
const zones: ZoneLookUp = (provider, zone) =>
  provider === "cloudflare" && zone === ID ? { domain: "example.com" } : undefined;

describe("the normal form of a DNS name", () => {
  const cases: readonly (readonly [zone: string, name: string, fqdn: string])[] = [
    ["example.com", "www", "www.example.com"],
    ["example.com", "www.example.com", "www.example.com"],
    ["Example.com.", "WWW.example.com.", "www.example.com"],
    ["example.com", "@", "example.com"],
    ["example.com", "", "example.com"],
    ["example.com", "example.com", "example.com"],
    ["example.com", "a.b", "a.b.example.com"],
    ["example.com", "notexample.com", "notexample.com.example.com"],
    [ID, "www.example.com", "www.example.com"],
    [ID, "www", "www.example.com"],
    [ID, "@", "example.com"],
  ];
  for (const [zone, name, fqdn] of cases) {
    it(`of ${name} in ${zone} is ${fqdn}`, () => {
      expect(normalName("cloudflare", { zone, name }, zones)).to.deep.equal({ zone: "example.com", fqdn });
    });
  }

  it("knows the domain of a zone though that has no dot", () => {
    const lookUp: ZoneLookUp = () => ({ domain: "internal" });
    expect(normalName("cloudflare", { zone: ID, name: "www" }, lookUp).fqdn).to.equal("www.internal");
  });

  it("keeps the id of a zone, and takes the name to be full, while its domain is unknown", () => {
    expect(normalName("cloudflare", { zone: ID, name: "WWW.example.com" })).to.deep.equal({
      zone: ID,
      fqdn: "www.example.com",
    });
  });
});
