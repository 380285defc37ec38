import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const RECORDS = { zone: "example.com", recordName: "www", ttl: 30 };

describe("operator in process: a name whose address is released, and deletionPolicy is Retain", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  beforeEach(async () => {
    made = await RoutedWorld.create(["n1"]);
    made.addIssuer({ routedIPReclaimPolicy: "Delete" });
    made.serve({ node: "n1" });
    made.world.start();
  });

  afterEach(() => made.close());

  const zone = () => made.world.digitalocean.state.dns.records("example.com", "www").map(({ data }) => data);
  const addresses = () => made.world.digitalocean.state.addresses().map(({ ip }) => ip);
  const notes = (reason: string) => made.world.events(reason).map(({ note, message }) => String(note ?? message));

  /** The name goes first, and the address not before resolvers have forgotten it. */
  async function isReleased(ip: string, isGone: () => boolean): Promise<void> {
    await made.until("the record goes", () => zone().length === 0);
    const from = made.world.clock.now();
    expect(addresses()).to.deep.equal([ip]);
    await made.until("the address goes", () => addresses().length === 0);
    expect(made.world.clock.now() - from).to.be.at.least(RECORDS.ttl * 900);
    await made.until("the resource goes", isGone);
    expect(notes("RecordsChanged").at(-1)).to.equal(
      `www.example.com: ${ip} -> nothing (the operator is about to release ${ip})`,
    );
    expect(notes("RecordsRetained")).to.deep.equal([]);
  }

  it("is empty before that, and a RoutedIP that is created again gets it", async () => {
    const ref = { apiVersion: GROUP_VERSION, kind: "RoutedIP", namespace: "default", name: "a" };
    made.addRouted("a", { dnsRecordSet: RECORDS });
    await made.until("it is published", () => made.condition("a", "DNSReady")?.startsWith("True") === true);
    const [ip = ""] = zone();
    made.world.kubernetes.delete(ref);
    await isReleased(ip, () => made.world.kubernetes.get(ref) === undefined);
    made.addRouted("a", { dnsRecordSet: RECORDS });
    await made.until("it is published again", () => made.condition("a", "DNSReady")?.startsWith("True") === true);
    expect(zone()).to.deep.equal([made.status("a").routedIP]);
  });

  it("is empty before that, also of a pool", async () => {
    const { world } = made;
    world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete", dnsRecordSet: RECORDS });
    await world.until("it is published", () => world.condition("web", "DNSReady")?.status === "True");
    const [ip = ""] = zone();
    world.kubernetes.delete(world.refTo("web"));
    await isReleased(ip, () => world.kubernetes.get(world.refTo("web")) === undefined);
  });
});
