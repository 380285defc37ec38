import type { TenantLimits } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { CreationRegistry } from "../../src/addresses/creation/creation-registry.js";
import { CreatedAddresses } from "../../src/limits/addresses-per-namespace.js";
import { isUnnamed, recordLimits, TenantAccess } from "../../src/limits/tenant-limits.js";
import { limitedTo } from "../support/kube/limited-to.js";

const ID = "023e105f4ecef8ad9ca31a8372d0c353";

function ref(name: string, namespace = "team") {
  return { kind: "FloatingIPPool", namespace, name, uid: `${namespace}/${name}` };
}

function rig(limits: TenantLimits) {
  const notified: string[] = [];
  const creations = new CreationRegistry((uids) => notified.push(...uids));
  const created = new CreatedAddresses(() => creations.retry());
  const tenants = new TenantAccess(limits, { created, creations });
  const begin = (name: string, namespace?: string) =>
    creations.set({
      ...{ resource: ref(name, namespace), provider: "cloud", family: "IPv4", account: undefined, running: true },
    });
  const reason = (name: string, namespace?: string) => tenants.creationProblem(ref(name, namespace), "Delete")?.reason;
  return { notified, creations, created, tenants, begin, reason };
}

describe("what the configuration allows a namespace", () => {
  const LIMITS: TenantLimits = {
    maxCreatedAddresses: 4,
    namespaces: [
      { names: ["team"], maxCreatedAddresses: 2, allowedAddresses: ["Created", "203.0.113.0/28", "2001:db8::/64"] },
    ],
  };

  it("counts addresses and creations of the namespace, and those of all", () => {
    const { created, begin, reason } = rig(LIMITS);
    expect(reason("a")).to.equal(undefined);
    created.put(ref("a"), ["203.0.113.1"]);
    expect(reason("a")).to.equal(undefined);
    begin("b");
    expect(reason("a")).to.equal("CreationNotAllowed");
    expect(reason("b"), "its own creation").to.equal(undefined);
    expect(reason("c", "free")).to.equal(undefined);
    created.put(ref("x", "free"), ["198.51.100.1", "198.51.100.2"]);
    expect(reason("c", "free"), "the total").to.equal("CreationNotAllowed");
  });

  it("says that the total is the limit of all namespaces, how many this one has, and what lowering desiredIPs costs", () => {
    const { created, begin, tenants } = rig(LIMITS);
    created.put(ref("x", "free"), ["198.51.100.1", "198.51.100.2", "198.51.100.3"]);
    begin("a");
    const message = (name: string, namespace?: string) =>
      tenants.creationProblem(ref(name, namespace), "Delete")?.message;
    const [allowed, so] = [
      "the operator's tenantLimits allows the operator to create 4 addresses",
      "so it creates no more",
    ];
    const inAll = `${allowed} in all namespaces together, and as many exist or are being created`;
    expect(message("b")).to.include(`${inAll} (1 in namespace team, 3 in other namespaces), ${so}`);
    expect(message("b", "free")).to.include(
      `${inAll} (3 in namespace free, 1 in other namespaces, FloatingIPPool free/x has 3), ${so}`,
    );
    expect(message("b", "other"))
      .to.include("(0 in namespace other, 4 in other namespaces)")
      .and.to.include("reclaimPolicy Delete (if all exist, the operator then releases one that serves)")
      .and.not.to.include("free");
    begin("b");
    expect(message("c")).to.include("tenantLimits.namespaces[0]").and.not.to.include("all namespaces");
  });

  it("names the resources of the namespace that have created addresses, three at most, and none of another namespace", () => {
    const { created, tenants } = rig({ namespaces: [{ names: ["*"], maxCreatedAddresses: 2 }] });
    const message = () => tenants.creationProblem(ref("new"), "Delete")?.message ?? "";
    created.put(ref("secret", "other"), ["198.51.100.9"]);
    created.put(ref("try-out"), ["198.51.100.1"]);
    created.put({ ...ref("web"), kind: "RoutedIP" }, ["198.51.100.2"]);
    created.put(ref("empty"), []);
    const held = "exist or are being created";
    expect(message())
      .to.include(`${held} (FloatingIPPool team/try-out has 1, RoutedIP team/web has 1), so`)
      .and.not.to.include("secret");
    created.put(ref("shop"), ["198.51.100.3", "198.51.100.4"]);
    created.put(ref("z1"), ["198.51.100.5"]);
    const three = "FloatingIPPool team/shop has 2, FloatingIPPool team/try-out has 1, RoutedIP team/web has 1";
    expect(message()).to.include(`${held} (${three}, 1 more resource of the namespace has 1), so`);
    created.put(ref("z2"), ["198.51.100.6"]);
    expect(message()).to.include(`(${three}, 2 more resources of the namespace have 2), so`);
    for (const name of ["try-out", "web", "shop", "z1", "z2"]) created.drop(ref(name).uid);
    created.put(ref("shop"), ["198.51.100.3", "198.51.100.4"]);
    expect(message()).to.include(`${held} (FloatingIPPool team/shop has 2), so`);
  });

  it("names the namespaces of the limit, and a more exact entry that comes too late", () => {
    const messageWith = (namespaces: TenantLimits["namespaces"]) => {
      const { created, tenants } = rig({ namespaces: namespaces ?? [] });
      created.put(ref("x"), ["198.51.100.1"]);
      return tenants.creationProblem(ref("a"), "Delete")?.message ?? "";
    };
    const [all, exact] = [
      { names: ["*"], maxCreatedAddresses: 0 },
      { names: ["te*", "x"], maxCreatedAddresses: 1 },
    ];
    const only = "only the first entry that matches a namespace applies";
    const late = messageWith([all, exact]);
    expect(late)
      .to.match(/^the operator's tenantLimits.namespaces\[0\] \(for \*\) allows/)
      .and.include(
        `have the cluster's administrator raise maxCreatedAddresses in namespaces[1] (for te*, x) of the operator's tenantLimits, and move that entry before namespaces[0] (for *), because ${only}`,
      );
    expect(messageWith([all, { ...exact, maxCreatedAddresses: 2 }]), "the later entry allows it").to.include(
      `have the cluster's administrator move namespaces[1] (for te*, x) before namespaces[0] (for *) in the operator's tenantLimits, where ${only}`,
    );
    expect(messageWith([exact, all])).to.include("namespaces[0] (for te*, x)");
    const other = { names: ["other"], maxCreatedAddresses: 0 };
    expect(messageWith([other, all, other, exact])).to.include("in namespaces[3] (for te*, x) of");
    expect(messageWith([exact, other, all]), "an entry before").to.include("namespaces[0] (for te*, x)");
    const exacter = { names: ["tea*"], maxCreatedAddresses: 1 };
    expect(messageWith([exacter, { names: ["x"], maxCreatedAddresses: 0 }, all])).to.include(
      "namespaces[0] (for tea*)",
    );
  });

  it("has an entry of a team moved where it comes too late, for its address and its name, and changes no other team's", () => {
    const entries = [
      { names: ["team-*"], allowedAddresses: ["Created"], allowedZones: ["example.net"], maxCreatedAddresses: 1 },
      { names: ["team-shop"], allowedAddresses: ["192.0.2.0/28"], allowedNames: ["www.example.com"] },
    ];
    const { tenants } = rig({ namespaces: entries });
    const namespace = "team-shop";
    const name = (fqdn: string) =>
      tenants.nameProblem({ zone: "example.com", normal: { zone: "example.com", fqdn }, namespace })?.message;
    const [applies, before] = [
      "only the first entry that matches a namespace applies",
      "before namespaces[0] (for team-*)",
    ];
    const move = `have the cluster's administrator move namespaces[1] (for team-shop) ${before} in the operator's tenantLimits, where ${applies}`;
    const add = (what: string) =>
      `have the cluster's administrator add ${what} in namespaces[1] (for team-shop) of the operator's tenantLimits, and move that entry ${before}, because ${applies}`;
    expect(tenants.addressProblem(namespace, "192.0.2.10")?.message)
      .to.include("tenantLimits.namespaces[0] (for team-*) allows only")
      .and.include(`fix: to use the address, ${move}; to do`);
    expect(tenants.addressProblem(namespace, "192.0.2.16")?.message).to.include(
      add("192.0.2.16/32 to allowedAddresses"),
    );
    expect(name("www.example.com")).to.include(`fix: use another name, or ${move}`);
    expect(name("shop.example.com")).to.include(add("shop.example.com to allowedNames"));
    const pool = { kind: "FloatingIPPool", namespace, name: "a", uid: "a" };
    expect(tenants.creationProblem(pool, "Retain")?.message).to.include(`or ${move}`);
  });

  it("counts an address once that two resources have on record", () => {
    const { created, reason } = rig(LIMITS);
    created.put(ref("a"), ["203.0.113.1"]);
    created.put(ref("b"), ["203.0.113.1"]);
    expect(reason("c")).to.equal(undefined);
    created.drop(ref("a").uid);
    expect([created.countIn("team"), created.isCreatedFor("team", "203.0.113.1")]).to.deep.equal([1, true]);
    created.drop(ref("b").uid);
    expect([created.countIn("team"), created.total]).to.deep.equal([0, 0]);
  });

  it("creates nothing before all resources are read", () => {
    const { creations, reason } = rig(LIMITS);
    creations.expectMore();
    expect(reason("a")).to.equal("UnderWay");
    creations.allKnown();
    expect(reason("a")).to.equal(undefined);
    const unlimited = rig({});
    unlimited.creations.expectMore();
    expect(unlimited.reason("a")).to.equal(undefined);
  });

  it("notifies those that wait when an address goes or a creation ends, and no others", () => {
    const { notified, creations, created, begin, reason } = rig(LIMITS);
    created.put(ref("a"), ["203.0.113.1", "203.0.113.2"]);
    reason("b");
    reason("free", "free");
    created.put(ref("a"), ["203.0.113.1"]);
    expect(notified).to.deep.equal([ref("b").uid]);
    begin("a");
    reason("b");
    creations.end(ref("a").uid);
    expect(notified).to.deep.equal([ref("b").uid, ref("b").uid]);
  });

  it("creates for no resource that retains, where the namespace has a maximum of its own", () => {
    const { tenants } = rig(LIMITS);
    expect(tenants.creationProblem(ref("a"), "Retain")?.message).to.contain("reclaimPolicy");
    expect(tenants.creationProblem(ref("a", "free"), "Retain")).to.equal(undefined);
  });

  it("names the issuer whose policy retains, its author and the administrator, and what the author of a RoutedIP can do", () => {
    const { tenants } = rig(LIMITS);
    const { reason, message } = tenants.creationProblem(ref("a"), "Retain", "flipop/do") ?? {};
    expect(reason).to.equal("CreationNotAllowed");
    expect(message)
      .to.include("under policy Retain of RoutedIPIssuer flipop/do")
      .and.to.include("ask the author of the issuer to set routedIPReclaimPolicy to Delete")
      .and.to.include("set routedIP")
      .and.to.match(/^the operator's tenantLimits\.namespaces\[0\] \(for team\) limits created addresses, /)
      .and.to.match(/have the cluster's administrator remove maxCreatedAddresses from tenantLimits$/);
    expect(tenants.creationProblem(ref("a"), "Delete", "flipop/do")).to.equal(undefined);
  });

  it("allows addresses in a range, and those that were created for the namespace", () => {
    const { tenants, created } = rig(LIMITS);
    created.put(ref("a"), ["198.51.100.1"]);
    created.put(ref("x", "free"), ["198.51.100.2"]);
    const allowed = (ip: string, namespace = "team") => tenants.addressProblem(namespace, ip) === undefined;
    expect(["203.0.113.15", "198.51.100.1", "2001:DB8::1", "no address"].map((ip) => allowed(ip))).to.deep.equal([
      true,
      true,
      true,
      true,
    ]);
    expect(["203.0.113.16", "198.51.100.2", "2001:db8:1::1"].map((ip) => allowed(ip))).to.deep.equal([
      false,
      false,
      false,
    ]);
    expect(allowed("203.0.113.16", "free")).to.equal(true);
  });
});

describe("the record set of a limited namespace", () => {
  const tenants = limitedTo({
    namespaces: [{ names: ["team"], allowedNames: ["*.{namespace}.example.com"] }],
  });
  const records = (recordName: string, { zone = "example.com", written = false, domain = "" } = {}) => {
    const wanted = { zone, recordName };
    const last = written ? { ...wanted, provider: "cloudflare", types: ["A" as const], values: [] } : undefined;
    const known = () => (domain === "" ? undefined : { domain });
    return [tenants, known, { namespace: "team", provider: "cloudflare", wanted, last }] as const;
  };

  it("is refused, allowed, or kept because the operator wrote it", () => {
    expect(recordLimits(...records("www.team"))).to.deep.equal({});
    expect(recordLimits(...records("www")).refused?.reason).to.equal("NameNotAllowed");
    const kept = recordLimits(...records("www", { written: true }));
    expect(kept).to.have.property("kept").that.includes({ reason: "NameNotAllowed" });
    expect(kept).not.to.have.property("refused");
    expect([isUnnamed(...records("www")), isUnnamed(...records("www", { written: true }))]).to.deep.equal([
      true,
      false,
    ]);
  });

  it("in a zone that is given by an id waits for the domain, and keeps its claim meanwhile", () => {
    for (const name of ["www.team", "www.team.example.com"]) {
      const unknown = records(name, { zone: ID });
      expect(recordLimits(...unknown).refused?.message, name).to.contain(ID);
      expect(isUnnamed(...unknown)).to.equal(false);
    }
    expect(recordLimits(...records("www.team", { zone: ID, domain: "example.com" }))).to.deep.equal({});
    const disguised = records("www.team.example.com", { zone: ID, domain: "other.example" });
    expect(recordLimits(...disguised).refused?.message).to.contain("www.team.example.com.other.example");
    expect(isUnnamed(...disguised)).to.equal(true);
  });
});
