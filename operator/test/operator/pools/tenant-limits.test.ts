import { GROUP_VERSION, type TenantLimits } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type CloudflareSimulator, DEFAULT_TOKEN, startCloudflareSimulator } from "flipop-sandbox/cloudflare";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import type { World, WorldOptions } from "../world.js";

const CREATE = /^POST \/v2\/reserved_ip(s|v6)$/;
const ZONE = "example.com";
interface Reported {
  readonly conditions?: readonly { readonly type: string; readonly message: string }[];
}

const DNS_MATCH = { match: {} };

describe("operator in process: limits of tenants", function () {
  this.timeout(240_000);
  let made: RoutedWorld;
  let world: World;
  let cloudflare: CloudflareSimulator | undefined;

  afterEach(async () => {
    await made.close();
    await cloudflare?.close();
    cloudflare = undefined;
  });

  const create = async (nodes: number, options: WorldOptions = {}) => {
    const names = Array.from({ length: nodes }, (_, index) => `n${index + 1}`);
    made = await RoutedWorld.create(names, options);
    ({ world } = made);
  };
  const start = (limits: TenantLimits) => world.start({ "tenant-limits": JSON.stringify(limits) });
  const limit = (limits: object): TenantLimits => ({ namespaces: [{ names: ["def*"], ...limits }] });
  const says = (name: string, condition: string, kind = "FloatingIPPool") => {
    const [type = "", expected = ""] = condition.split("=");
    return made.until(`${name} says ${condition}`, () => made.condition(name, type, kind).startsWith(expected));
  };
  const message = (name: string, type: string, kind = "FloatingIPPool") =>
    (made.object(name, kind)?.["status"] as Reported | undefined)?.conditions?.find(
      (condition) => condition.type === type,
    )?.message;
  const created = () => world.digitalocean.journal.calls({ on: CREATE }).length;
  const addSet = (name: string, dnsRecordSet: object) =>
    world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      metadata: { name, namespace: "default" },
      spec: { ...DNS_MATCH, dnsRecordSet },
    });
  const values = (name: string) => world.digitalocean.state.dns.records(ZONE, name).map(({ data }) => data);

  describe("addresses", () => {
    it("that are not allowed stay where they are, and the pool does not keep others from them", async () => {
      await create(2);
      const by_hand = world.digitalocean.state.addAddress().ip;
      const allowed = world.digitalocean.state.addAddress().ip;
      world.addPool("greedy", { ips: [by_hand, allowed] });
      start(limit({ allowedAddresses: ["Created", `${allowed}/32`] }));
      await says("greedy", "Accepted=False/AddressNotAllowed");
      await made.until("the allowed one is served", () => world.holder(allowed) !== undefined);
      expect(message("greedy", "Accepted")).to.contain(by_hand).and.contain("tenantLimits.namespaces[0]");
      expect(world.status("greedy").ips?.[by_hand]).to.include({ state: "error", reason: "AddressNotAllowed" });
      await made.until("an Event", () => world.events("AddressNotAllowed").length > 0);
      await world.rest();
      expect(world.holder(by_hand)).to.equal(undefined);
      // A RoutedIP is limited by its class or issuer; the older pool is no obstacle to it.
      made.addIssuer();
      made.addRouted("rightful", { routedIP: by_hand });
      made.serve({ node: "n1" }, { node: "n2" });
      await made.until("the RoutedIP has it", () => world.holder(by_hand) !== undefined);
      await says("rightful", "Conflict=False", "RoutedIP");
    });

    it("that an annotation claims are not believed, and the annotation is kept", async () => {
      await create(1);
      const { ip } = world.digitalocean.state.addAddress();
      const annotations = { "flipop.digitalocean.com/created-ips": ip };
      const metadata = { name: "forged", namespace: "default", annotations };
      world.addPool("forged", { desiredIPs: 1 }, { metadata });
      start(limit({ allowedAddresses: ["Created"] }));
      await says("forged", "Accepted=False/AddressNotAllowed");
      await world.rest();
      expect(world.holder(ip)).to.equal(undefined);
      expect(created()).to.equal(0);
      expect(world.pool("forged").metadata.annotations).to.include(annotations);
    });

    it("that a pool served before a limit stay, move on a failure, and are reported", async () => {
      await create(2);
      const { ip } = world.digitalocean.state.addAddress();
      world.addPool("web", { ips: [ip] });
      const first = world.start();
      await world.fulfilled("web");
      await first.stop();
      const before = world.holder(ip);
      start(limit({ allowedAddresses: [] }));
      await says("web", "Accepted=True/AddressNotAllowed");
      expect(message("web", "Accepted")).to.contain(ip);
      world.setReady(world.status("web").ips?.[ip]?.nodeName ?? "", false);
      await made.until("it has moved", () => ![before, undefined].includes(world.holder(ip)));
    });

    it("that the operator created for another resource of the namespace are allowed with Created", async () => {
      await create(2);
      world.addPool("maker", { desiredIPs: 1 });
      start(limit({ allowedAddresses: ["Created"] }));
      await world.fulfilled("maker");
      const [{ ip = "" } = {}] = world.status("maker").createdIPs ?? [];
      world.addPool("second", { ips: [ip] });
      await says("second", "Conflict=True/ClaimedByOther");
    });
  });

  describe("created addresses", () => {
    const total = () => world.digitalocean.state.addresses().length;

    it("of two pools and a RoutedIP that come at once never exceed the maximum of their namespace", async () => {
      await create(8);
      made.addIssuer({ routedIPReclaimPolicy: "Delete" });
      made.serve({ node: "n1" }, { node: "n2" });
      world.addPool("a", { desiredIPs: 3, reclaimPolicy: "Delete" });
      world.addPool("b", { desiredIPs: 3, reclaimPolicy: "Delete", region: "ams3" });
      world.addPool("c", { desiredIPs: 3, reclaimPolicy: "Delete", ipFamily: "IPv6" });
      made.addRouted("r");
      start(limit({ maxCreatedAddresses: 4 }));
      await made.until("4 are created", () => total() === 4);
      await world.rest();
      // The cloud may refuse a creation for a droplet that another family is busy with, so calls do not count.
      expect(total()).to.equal(4);
      const full = ["a", "b", "c"].filter((name) =>
        made.condition(name, "Fulfilled", "FloatingIPPool").endsWith("False/CreationNotAllowed"),
      );
      expect(full).not.to.be.empty;
      expect(message(full[0] ?? "", "Fulfilled"))
        .to.contain("4 addresses")
        .and.contain("maxCreatedAddresses");
    });

    it("count after a restart, and a deleted resource makes room at once", async () => {
      await create(4);
      world.addPool("a", { desiredIPs: 2, reclaimPolicy: "Delete" });
      const limits = limit({ maxCreatedAddresses: 2 });
      const first = start(limits);
      await world.fulfilled("a");
      await first.stop();
      world.addPool("b", { desiredIPs: 1, reclaimPolicy: "Delete" });
      start({ ...limits, maxCreatedAddresses: 10 });
      await says("b", "Fulfilled=False/CreationNotAllowed");
      await made.until("an Event", () => world.events("CreationNotAllowed").length > 0);
      expect(created()).to.equal(2);
      world.kubernetes.delete(world.refTo("a"));
      await world.fulfilled("b");
      expect(total()).to.equal(1);
    });

    it("count from the moment of the intent, also if its answer is lost and the operator restarts", async () => {
      await create(4);
      world.digitalocean.faults.inject({ kind: "reset", when: "after" }, { on: CREATE, times: 1 });
      world.addPool("a", { desiredIPs: 1, reclaimPolicy: "Delete" });
      const limits: TenantLimits = { maxCreatedAddresses: 1 };
      const first = start(limits);
      await made.until("the intent is there", () => world.status("a").pendingCreation !== undefined);
      await made.until("the call is sent", () => created() === 1);
      await first.kill();
      world.addPool("b", { desiredIPs: 1 });
      start(limits);
      await world.fulfilled("a");
      await says("b", "Fulfilled=False/CreationNotAllowed");
      await world.rest();
      expect(total()).to.equal(1);
    });

    it("are not created for a resource that would retain them beyond the count", async () => {
      await create(2);
      world.addPool("keeps", { desiredIPs: 1 });
      start(limit({ maxCreatedAddresses: 5 }));
      await says("keeps", "Fulfilled=False/CreationNotAllowed");
      expect(message("keeps", "Fulfilled")).to.contain("set reclaimPolicy");
      world.edit("keeps", { reclaimPolicy: "Delete" });
      await world.fulfilled("keeps");
    });

    it("stay when the maximum is lowered below their number", async () => {
      await create(3);
      world.addPool("web", { desiredIPs: 2, reclaimPolicy: "Delete" });
      const first = world.start();
      await world.fulfilled("web");
      await first.stop();
      start(limit({ maxCreatedAddresses: 1 }));
      await world.rest();
      expect(total()).to.equal(2);
      expect(made.condition("web", "Fulfilled", "FloatingIPPool")).to.equal("True/Observed");
    });
  });

  describe("names", () => {
    const LIMITED = limit({ allowedNames: [`*.{namespace}.${ZONE}`] });

    it("of pools and record sets that are not allowed are not written, and block no other resource", async () => {
      await create(2);
      const { ip } = world.digitalocean.state.addAddress();
      world.addPool("web", { ips: [ip], dnsRecordSet: { zone: ZONE, recordName: "www" } });
      addSet("nodes", { zone: ZONE, recordName: "nodes" });
      addSet("fine", { zone: ZONE, recordName: "nodes.default" });
      start(LIMITED);
      await says("web", "DNSReady=False/NameNotAllowed");
      await says("nodes", "DNSReady=False/NameNotAllowed", "NodeDNSRecordSet");
      await says("fine", "DNSReady=True", "NodeDNSRecordSet");
      await world.fulfilled("web");
      expect(message("nodes", "DNSReady", "NodeDNSRecordSet"))
        .to.contain(`nodes.${ZONE}`)
        .and.contain("allowedNames");
      expect([values("www"), values("nodes"), values("nodes.default").length]).to.deep.equal([[], [], 2]);
    });

    it("that were written before a limit stay up to date, and are reported", async () => {
      await create(1);
      addSet("nodes", { zone: ZONE, recordName: "nodes" });
      const { ip } = world.digitalocean.state.addAddress();
      world.addPool("web", { ips: [ip], dnsRecordSet: { zone: ZONE, recordName: "www" } });
      const first = world.start();
      await says("nodes", "DNSReady=True", "NodeDNSRecordSet");
      await says("web", "DNSReady=True");
      await first.stop();
      start(LIMITED);
      await says("nodes", "DNSReady=True/NameNotAllowed", "NodeDNSRecordSet");
      await says("web", "DNSReady=True/NameNotAllowed");
      made.addNode("n2");
      await made.until("the new node is published", () => values("nodes").length === 2);
    });

    const withCloudflare = async (): Promise<string> => {
      cloudflare = await startCloudflareSimulator({ zones: [{ name: "other.example" }, { name: ZONE }] });
      const env = { CLOUDFLARE_TOKEN: DEFAULT_TOKEN, CLOUDFLARE_API_URL: cloudflare.url };
      await create(1, { env });
      return cloudflare.zone(ZONE).id;
    };
    const cloudflareRecords = (zone: string) => cloudflare?.records(zone).map(({ name }) => name) ?? [];

    it("of a zone that is given by an id are compared as full names", async () => {
      const zone = await withCloudflare();
      const other = cloudflare?.zone("other.example").id;
      addSet("relative", { provider: "cloudflare", zone, recordName: "nodes.default" });
      addSet("refused", { provider: "cloudflare", zone, recordName: "nodes" });
      // As text, the name is one that is allowed; its zone makes it another one.
      addSet("disguised", { provider: "cloudflare", zone: other, recordName: `x.default.${ZONE}` });
      start(LIMITED);
      await says("relative", "DNSReady=True", "NodeDNSRecordSet");
      await says("refused", "DNSReady=False/NameNotAllowed", "NodeDNSRecordSet");
      await made.until(
        "the domain of the other zone is known",
        () =>
          message("disguised", "DNSReady", "NodeDNSRecordSet")?.includes(`x.default.${ZONE}.other.example`) === true,
      );
      expect(cloudflareRecords(ZONE)).to.deep.equal([`nodes.default.${ZONE}`]);
      expect(cloudflareRecords("other.example")).to.deep.equal([]);
    });

    it("of a RoutedIP in a zone that is given by an id are compared as full names, too", async () => {
      const zone = await withCloudflare();
      made.addIssuer({ allowedNames: [`*.{namespace}.${ZONE}`] });
      const other = cloudflare?.zone("other.example").id ?? "";
      const recordSet = { provider: "cloudflare", zone, recordName: "www.default" };
      made.addRouted("a", { dnsRecordSet: recordSet });
      made.serve({ node: "n1" });
      world.start();
      await says("a", "DNSReady=True", "RoutedIP");
      made.addRouted("b", { dnsRecordSet: { ...recordSet, zone: other, recordName: `www.default.${ZONE}` } });
      await says("b", "DNSReady=False/NameNotAllowed", "RoutedIP");
      expect(cloudflareRecords(ZONE)).to.deep.equal([`www.default.${ZONE}`]);
      expect(cloudflareRecords("other.example")).to.deep.equal([]);
    });
  });
});
