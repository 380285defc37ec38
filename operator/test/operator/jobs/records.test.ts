import { type ClusterRoutedIPClassStatus, GROUP_VERSION, type RoutedIPSpec } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { JOB_NAMESPACE, JOB_SPEC, JobPlatform } from "./platform.js";

const CLASS = { apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata: { name: "rack" } };
const FLAGS = { namespace: "flipop", features: "pools,dns,routedip,jobs", "job-namespaces": JOB_NAMESPACE };
const IP = "192.0.2.1";
const ZONE = "example.com";
const WWW = { zone: ZONE, recordName: "www", provider: "digitalocean" } as const;

describe("operator in process: the DNS record of a RoutedIP whose class works by Jobs", function () {
  this.timeout(240_000);
  let made: RoutedWorld;
  let platform: JobPlatform;

  afterEach(() => made.close());

  async function begin(routed: Partial<RoutedIPSpec>, limits: object = { allowedNames: [`*.${ZONE}`] }): Promise<void> {
    made = await RoutedWorld.create(["n1", "n2"], { flags: FLAGS });
    platform = new JobPlatform(made.world);
    const settings = { updateRoutedIP: JOB_SPEC, updateFirewall: JOB_SPEC, allowedAddresses: ["192.0.2.0/24"] };
    made.world.kubernetes.create({ ...CLASS, spec: { ...settings, ...limits } });
    made.serve({ node: "n1" });
    made.addRouted("a", { className: "rack", routedIP: IP, ...routed });
    made.world.start();
  }

  const records = (name = "www") => made.world.digitalocean.state.dns.records(ZONE, name).map(({ data }) => data);
  const says = (name: string, type: string, text: string) =>
    made.until(`${name} says ${type}=${text}`, () => made.condition(name, type) === text);
  /** Whatever its record is. */
  const serves = async (name: string) => {
    for (const type of ["Accepted", "Assigned", "FirewallReady"]) {
      await made.until(`${name} says ${type}=True`, () => made.condition(name, type).startsWith("True"));
    }
  };
  const message = (name: string, type: string) =>
    made.status(name).conditions?.find((condition) => condition.type === type)?.message ?? "";
  const changes = () => made.world.digitalocean.journal.count({ mutating: true, on: /domains/ });

  it("names the address once a Job has assigned it, and stays through a move", async () => {
    await begin({ dnsRecordSet: WWW });
    await made.until("a Job runs", () => platform.begun > 0);
    expect(records(), "nothing is published before the address is assigned").to.deep.equal([]);
    await serves("a");
    await says("a", "DNSReady", "True/Observed");
    expect(records()).to.deep.equal([IP]);
    expect(made.status("a").dns).to.deep.include({ recordName: "www", values: [IP], provider: "digitalocean" });
    const before = changes();
    made.serve({ node: "n2" });
    await made.until("moved", () => made.status("a").assignedNode === "n2");
    await says("a", "DNSReady", "True/Observed");
    expect([records(), changes()], "a move changes no record").to.deep.equal([[IP], before]);
  });

  it("names an address of the other family that it leaves alone, also through a move", async () => {
    await begin({ dnsRecordSet: WWW });
    made.world.digitalocean.state.dns.addRecord(ZONE, { type: "AAAA", name: "www", data: "2001:db8::1" });
    await says("a", "DNSReady", "True/UnmanagedRecords");
    const said = `A records of www.${ZONE} hold ${IP}; the name also has AAAA 2001:db8::1, which this resource does not manage; fix: if it is not meant, have the owner of the DNS account delete it at digitalocean`;
    expect(message("a", "DNSReady")).to.equal(said);
    made.serve({ node: "n2" });
    await made.until("moved", () => made.status("a").assignedNode === "n2");
    expect(message("a", "DNSReady")).to.equal(said);
    expect(records().sort()).to.deep.equal(["192.0.2.1", "2001:db8::1"]);
  });

  it("follows another address, and is restored within the drift interval", async () => {
    await begin({ dnsRecordSet: WWW });
    await says("a", "DNSReady", "True/Observed");
    const edit = (routedIP: string) =>
      made.world.kubernetes.change(made.refTo("a"), (object) => ({
        ...object,
        spec: { ...(object["spec"] as object), routedIP },
      }));
    edit("192.0.2.7");
    await made.until("the other address is published", () => records().join() === "192.0.2.7");
    const { dns } = made.world.digitalocean.state;
    const [record] = dns.records(ZONE, "www");
    dns.removeRecord(ZONE, record?.id ?? 0);
    await made.until("restored", () => records().join() === "192.0.2.7");
  });

  it("goes with the RoutedIP under Delete, and stays under Retain", async () => {
    await begin({ dnsRecordSet: { ...WWW, deletionPolicy: "Delete" } });
    made.addRouted("b", {
      ...{ className: "rack", routedIP: "192.0.2.2", serviceRef: { serviceName: "web" } },
      dnsRecordSet: { ...WWW, recordName: "kept" },
    });
    made.serve({ node: "n1" }, { node: "n2" });
    for (const name of ["a", "b"]) await says(name, "DNSReady", "True/Observed");
    for (const name of ["a", "b"]) made.world.kubernetes.delete(made.refTo(name));
    await made.until("both are gone", () => ["a", "b"].every((name) => made.object(name) === undefined));
    expect([records(), records("kept")]).to.deep.equal([[], ["192.0.2.2"]]);
    const { retainedRecords } = (made.world.kubernetes.get({ ...CLASS, name: "rack" })?.["status"] ??
      {}) as ClusterRoutedIPClassStatus;
    expect(retainedRecords?.map(({ recordName, values }) => [recordName, values])).to.deep.equal([
      ["kept", ["192.0.2.2"]],
    ]);
    made.addRouted("b", { className: "rack", routedIP: "192.0.2.3", dnsRecordSet: { ...WWW, recordName: "kept" } });
    await says("b", "DNSReady", "True/Observed");
    expect(records("kept"), "a RoutedIP that is created again has its name again").to.deep.equal(["192.0.2.3"]);
  });

  it("shows when the deletion of its former name is tried again", async () => {
    await begin({ dnsRecordSet: { ...WWW, deletionPolicy: "Delete" } });
    await says("a", "DNSReady", "True/Observed");
    const { faults } = made.world.digitalocean;
    faults.inject({ kind: "status", status: 403 }, { on: /^DELETE .*\/records/, times: Infinity });
    made.world.change(made.refTo("a"), "spec", {
      dnsRecordSet: { ...WWW, recordName: "new", deletionPolicy: "Delete" },
    });
    await made.until("the failure is a condition", () => made.condition("a", "DNSReady").startsWith("False"));
    await made.until("the next try is on record", () => made.status("a").retryAt !== undefined);
    expect([records(), records("new"), made.status("a").dns?.recordName]).to.deep.equal([[IP], [IP], "new"]);
    faults.clear();
    await says("a", "DNSReady", "True/Observed");
    expect([records(), made.status("a").retryAt]).to.deep.equal([[], undefined]);
  });

  it("is not written where neither the class nor the namespace allows it", async () => {
    await begin({ dnsRecordSet: WWW }, {});
    await serves("a");
    await says("a", "DNSReady", "False/NameNotAllowed");
    expect(message("a", "DNSReady")).to.contain(`www.${ZONE}`).and.contain("allowedNames");
    expect(records()).to.deep.equal([]);
  });

  it("has to name its provider", async () => {
    await begin({ dnsRecordSet: { zone: ZONE, recordName: "www" } });
    await serves("a");
    await says("a", "DNSReady", "False/UnknownProvider");
    expect(message("a", "DNSReady")).to.contain("spec.dnsRecordSet.provider");
    expect(records()).to.deep.equal([]);
  });

  it("leaves a record alone that another resource has, or that the operator did not write", async () => {
    await begin({ dnsRecordSet: WWW });
    await says("a", "DNSReady", "True/Observed");
    made.world.digitalocean.state.dns.addRecord(ZONE, { type: "A", name: "shop", data: "198.51.100.9" });
    made.addRouted("b", { className: "rack", routedIP: "192.0.2.2", dnsRecordSet: WWW });
    made.serve({ node: "n1" }, { node: "n2" });
    await says("b", "DNSReady", "False/ClaimedByOther");
    await says("b", "Conflict", "True/ClaimedByOther");
    await made.until("serves without a record", () => made.condition("b", "Assigned") === "True/Observed");
    made.world.kubernetes.change(made.refTo("b"), (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), dnsRecordSet: { ...WWW, recordName: "shop" } },
    }));
    await says("b", "DNSReady", "False/RecordExists");
    const { conditions = [] } = made.status("b");
    expect(conditions.find(({ type }) => type === "DNSReady")?.message)
      .to.include("have the owner of the DNS account delete the record")
      .and.include("author of ClusterRoutedIPClass rack")
      .and.include("reads the name again within 2 minutes");
    expect([records(), records("shop")]).to.deep.equal([[IP], ["198.51.100.9"]]);
    const { dns } = made.world.digitalocean.state;
    dns.removeRecord(ZONE, dns.records(ZONE, "shop")[0]?.id ?? 0);
    const removedAt = made.world.clock.now();
    await says("b", "DNSReady", "True/Observed");
    // The drift interval is ten minutes.
    expect(made.world.clock.now() - removedAt).to.be.below(4 * 60_000);
    expect(records("shop")).to.deep.equal(["192.0.2.2"]);
  });
});
