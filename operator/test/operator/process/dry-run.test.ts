import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

describe("operator in process: a dry run", function () {
  this.timeout(240_000);
  let world: World;

  afterEach(() => world.close());

  it("changes nothing on a dry run, and shows the plan of each resource once", async () => {
    world = await World.create({ nodes: 2 });
    world.digitalocean.state.dns.addDomain("example.com");
    const dnsRecordSet = { provider: "digitalocean", zone: "example.com", recordName: "www" };
    const { id } = world.droplet("node-1");
    world.addPool("web", {
      ips: [world.digitalocean.state.addAddress({ dropletId: id }).ip],
      desiredIPs: 2,
      dnsRecordSet,
    });
    world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      metadata: { name: "nodes", namespace: "default" },
      spec: { dnsRecordSet: { ...dnsRecordSet, recordName: "nodes" } },
    });
    const { revision } = world.kubernetes;
    world.start({ "dry-run": "true", resync: "5" });
    const plans = () => world.logs.filter((line) => line.startsWith("info dry run: plan"));
    await world.until("it has planned", () => plans().length >= 2);
    await world.rest();
    expect(world.kubernetes.revision).to.equal(revision);
    expect(world.digitalocean.journal.calls({ mutating: true })).to.be.empty;
    expect(new Set(plans()).size, plans().join("\n")).to.equal(plans().length);
    const [pool, set] = ["FloatingIPPool/default/web", "NodeDNSRecordSet/default/nodes"].map((resource) =>
      plans()
        .filter((line) => line.includes(`"resource":"${resource}"`))
        .join("\n"),
    );
    expect(pool).to.include("create-address: ").and.include("apply-records: ");
    expect(set).to.include("apply-records: ");
    expect(world.logs.filter((line) => /^info .*(not sent|cloud mutation|no Event)/.test(line))).to.deep.equal([]);
  });

  for (const verb of ["create-address", "assign"] as const) {
    it(`plans on a dry run for each of two pools that share the nodes: ${verb}`, async () => {
      world = await World.create({ nodes: 3 });
      const wants = (count: number) => (verb === "assign" ? { ips: world.addAddresses(count) } : { desiredIPs: count });
      world.addPool("first", wants(1));
      await world.clock.sleep(2_000);
      world.addPool("second", wants(2));
      world.start({ "dry-run": "true", resync: "5" });
      const planOf = (pool: string) => {
        const own = (line: string) => line.startsWith("info dry run: plan") && line.includes(`/default/${pool}"`);
        return world.logs.filter(own).join("\n");
      };
      await world.until("both are planned", () => planOf("first") !== "" && planOf("second") !== "");
      await world.rest();
      const planned = (pool: string) => planOf(pool).match(new RegExp(`"${verb}: [^"]*`, "g")) ?? [];
      // A pool creates one address after the other.
      expect(planned("first"), planOf("first")).to.have.length(1);
      expect(planned("second"), planOf("second")).to.have.length(verb === "assign" ? 2 : 1);
      const nodes = [...planned("first"), ...planned("second")].flatMap((change) => change.match(/node-\d/g) ?? []);
      expect(new Set(nodes).size, "no node twice").to.equal(nodes.length);
    });
  }
});
