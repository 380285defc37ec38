import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const NAMES_ASSIGNED = /see condition Assigned, which says why/;

describe("operator in process: the conditions of a RoutedIP whose address, record and firewall are not all ready", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  beforeEach(async () => {
    made = await RoutedWorld.create(["n1"]);
    made.addIssuer();
    const { ip } = made.world.digitalocean.state.addAddress();
    made.addRouted("a", { routedIP: ip, dnsRecordSet: { zone: "example.com", recordName: "www" } });
    made.serve({ node: "n1" });
  });

  afterEach(() => made.close());

  const refuse = (status: number, on: RegExp) =>
    made.world.digitalocean.faults.inject({ kind: "status", status }, { on, times: Infinity });
  const message = (type: string) => made.status("a").conditions?.find((one) => one.type === type)?.message ?? "";
  const until = (type: string, seen: string) => made.until(`${type} ${seen}`, () => made.condition("a", type) === seen);

  it("Assigned is True while the record fails, and DNSReady says itself why", async () => {
    refuse(503, /domains/);
    made.world.start();
    await until("DNSReady", "False/ProviderUnavailable");
    await until("Assigned", "True/Observed");
    expect(message("DNSReady")).to.include("www.example.com").and.not.match(NAMES_ASSIGNED);
  });

  it("Assigned and DNSReady are True while a change of the firewall is refused", async () => {
    made.world.start();
    await made.ready("a");
    refuse(403, /firewalls/);
    const service = { apiVersion: "v1", kind: "Service", name: "web", namespace: "default" };
    made.world.kubernetes.change(service, (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), loadBalancerSourceRanges: ["10.0.0.0/8"] },
    }));
    await until("FirewallReady", "False/Unauthorized");
    expect(made.condition("a", "Assigned")).to.equal("True/Observed");
    expect(made.condition("a", "DNSReady")).to.equal("True/Observed");
  });

  it("DNSReady names condition Assigned, which says why, while the firewall keeps the address from its first node", async () => {
    refuse(403, /firewalls/);
    made.world.start();
    await until("DNSReady", "False/NoneActive");
    await until("Assigned", "False/Unauthorized");
    expect(message("DNSReady")).to.match(NAMES_ASSIGNED);
    expect(message("Assigned")).to.include("list firewalls");
  });
});
