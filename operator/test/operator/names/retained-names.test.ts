import type { RoutedIPIssuerStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const RECORDS = { zone: "example.com", recordName: "www", ttl: 30 };
const FOREIGN = "198.51.100.99";

describe("operator in process: a name that a RoutedIP has left under deletionPolicy Retain", function () {
  this.timeout(180_000);
  let made: RoutedWorld;

  beforeEach(async () => {
    made = await RoutedWorld.create(["n1", "n2"], { speed: 10 });
    made.addIssuer({ routedIPReclaimPolicy: "Delete" });
    made.serve({ node: "n1" }, { node: "n2" });
  });

  afterEach(() => made.close());

  const zone = () => made.world.digitalocean.state.dns.records("example.com", "www").map(({ data }) => data);
  const addresses = () => made.world.digitalocean.state.addresses().map(({ ip }) => ip);
  const published = (name: string) =>
    made.until(`${name} is published`, () => made.condition(name, "DNSReady").startsWith("True"));
  const retained = () => {
    const status = (made.object("do", "RoutedIPIssuer")?.["status"] ?? {}) as RoutedIPIssuerStatus;
    return (status.retainedRecords ?? []).map(
      ({ namespace, recordName, values }) => `${namespace} ${recordName} ${values}`,
    );
  };

  async function remove(name: string): Promise<void> {
    made.world.kubernetes.delete(made.refTo(name));
    await made.until(`${name} is gone`, () => made.object(name) === undefined);
  }

  /** RoutedIP a has had the name and is gone; its address is released. @returns the address. */
  async function leave(): Promise<string> {
    made.addRouted("a", { dnsRecordSet: RECORDS });
    await published("a");
    const { routedIP: ip = "" } = made.status("a");
    await remove("a");
    expect([zone(), addresses()]).to.deep.equal([[ip], []]);
    expect(retained()).to.deep.equal([`default www ${ip}`]);
    return ip;
  }

  it("belongs to the RoutedIP that is created again, also after a restart, and is never empty", async () => {
    const first = made.world.start();
    const old = await leave();
    await first.stop();
    const { digitalocean } = made.world;
    const empty: string[] = [];
    digitalocean.journal.subscribe(({ method, path }) => {
      if (zone().length === 0) empty.push(`${method} ${path}`);
    });
    made.world.start();
    made.addRouted("a", { dnsRecordSet: RECORDS });
    await published("a");
    const { routedIP: ip } = made.status("a");
    expect(ip).not.to.equal(old);
    expect([zone(), empty]).to.deep.equal([[ip], []]);
    expect(made.world.events("RecordsReplaced"), "they were not another's").to.deep.equal([]);
    await remove("a");
    expect(retained(), "one entry for each name").to.deep.equal([`default www ${ip}`]);
  });

  it("stays another's when a person has written another address there meanwhile", async () => {
    made.world.start();
    await leave();
    const { dns } = made.world.digitalocean.state;
    for (const { id } of dns.records("example.com", "www")) dns.removeRecord("example.com", id);
    dns.addRecord("example.com", { type: "A", name: "www", data: FOREIGN });
    made.addRouted("a", { dnsRecordSet: RECORDS });
    await made.until("it says so", () => made.condition("a", "DNSReady") === "False/RecordExists");
    expect(zone()).to.deep.equal([FOREIGN]);
  });
});
