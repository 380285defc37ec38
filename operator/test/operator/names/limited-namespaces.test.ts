import { Annotation, type FloatingIPPoolSpec, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { type Pool, World } from "../world.js";

/** No address of the account. */
const RELEASED = "203.0.113.99";

describe("operators in process: limited to different namespaces, on one account", function () {
  this.timeout(240_000);
  let world: World;

  afterEach(() => world.close());

  async function create(nodes: number): Promise<void> {
    world = await World.create({ nodes });
    for (const name of ["teama", "teamb"])
      world.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }

  it("do not advise anyone to take or release an address that the other installation may manage", async () => {
    await create(2);
    await startBoth();
    add("teama", { desiredIPs: 1 });
    await active("teama");
    add("teamb", { desiredIPs: 1 });
    await active("teamb");
    await world.clock.sleep(600_000);
    await world.rest();
    for (const namespace of ["teama", "teamb"]) {
      expect(fulfilled(namespace)).to.include({ status: "True", reason: "Observed" });
    }
    const events = JSON.stringify(world.events("Created"));
    expect(events).not.to.contain("no resource").and.not.to.contain("write it in ips");
  });

  it("do not advise to take or release an address that no resource in their namespaces names", async () => {
    await create(2);
    world.digitalocean.state.addAddress({ dropletId: world.droplet("node-2").id });
    world.start({ "watch-namespaces": "teama" });
    add("teama", { desiredIPs: 1 });
    await active("teama");
    await world.rest();
    expect(fulfilled("teama")).to.include({ status: "True", reason: "Observed" });
    expect(JSON.stringify(world.events("Created"))).not.to.contain("no resource");
    world.kubernetes.change(ref("teama"), (pool) => ({
      ...pool,
      spec: { ...(pool["spec"] as object), desiredIPs: 2 },
    }));
    await world.until("a node is missing", () => fulfilled("teama")?.status === "False");
    await world.rest();
    expect(fulfilled("teama")?.message)
      .to.contain("which no resource that this operator watches names")
      .and.not.contain("flipop orphans");
  });

  it("leave an address where a node's annotation names an owner in a namespace out of sight", async () => {
    await create(2);
    await startBoth();
    add("teamb", { desiredIPs: 1 });
    const ip = await active("teamb");
    const holder = world.holder(ip);
    add("teama", { ips: [ip] });
    await world.until("the conflict", () => conflict()?.status === "True");
    expect(conflict()?.reason).to.equal("ClaimedByOther");
    expect(conflict()?.message).to.contain(`${ip} belongs to FloatingIPPool teamb/web`);
    await world.rest();
    expect(world.holder(ip)).to.equal(holder);
    expect(status("teamb").ips?.[ip]?.state).to.equal("active");
  });

  it("take the address when the annotation has gone", async () => {
    await create(1);
    const { ip } = world.digitalocean.state.addAddress({ dropletId: world.droplet("node-1").id });
    world.annotate("node-1", { [Annotation.reservedIpv4]: ip, [Annotation.reservedIpv4Owner]: "teamb/web/0000" });
    world.start({ "watch-namespaces": "teama" });
    add("teama", { ips: [ip] });
    await world.until("the conflict", () => conflict()?.status === "True");
    expect(world.annotations("node-1")).to.have.property(Annotation.reservedIpv4Owner, "teamb/web/0000");
    world.annotate("node-1", {});
    await world.until("active", () => status("teama").ips?.[ip]?.state === "active");
    expect(conflict()?.status).to.equal("False");
  });

  it("remove an annotation of the other one that the account contradicts for long, and no name publishes the address", async () => {
    await create(2);
    const { ip: held } = world.digitalocean.state.addAddress({ dropletId: world.droplet("node-2").id });
    for (const [node, ip] of Object.entries({ "node-1": RELEASED, "node-2": held })) {
      world.annotate(node, { [Annotation.reservedIpv4]: ip, [Annotation.reservedIpv4Owner]: "ingress/web/0000" });
    }
    world.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", metadata: { name: "nodes", namespace: "teama" } },
      spec: {
        ...{ match: {}, addressType: Annotation.reservedIpv4 },
        dnsRecordSet: { provider: "digitalocean", zone: "example.com", recordName: "res" },
      },
    });
    world.start({ "watch-namespaces": "teama", features: "pools,dns" });
    const records = () => world.digitalocean.state.dns.records("example.com").filter(({ name }) => name === "res");
    await world.until("the annotation is gone", () => Object.keys(world.annotations("node-1")).length === 0);
    await world.until("only the other address is published", () => `${records().map(({ data }) => data)}` === held);
    await world.clock.sleep(1_200_000);
    await world.rest();
    expect(world.annotations("node-2")).to.have.property(Annotation.reservedIpv4, held);
  });

  async function startBoth(): Promise<void> {
    world.start({ "watch-namespaces": "teama" });
    world.start({ "watch-namespaces": "teamb" });
  }

  function add(namespace: string, spec: Partial<FloatingIPPoolSpec>): void {
    world.addPool("web", spec, { metadata: { name: "web", namespace } });
  }

  function ref(namespace: string) {
    return { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace, name: "web" };
  }

  function status(namespace: string) {
    return (world.kubernetes.get(ref(namespace)) as Pool | undefined)?.status ?? {};
  }

  function fulfilled(namespace: string) {
    return status(namespace).conditions?.find(({ type }) => type === "Fulfilled");
  }

  function conflict() {
    return status("teama").conditions?.find(({ type }) => type === "Conflict");
  }

  async function active(namespace: string): Promise<string> {
    const serving = () => Object.entries(status(namespace).ips ?? {}).find(([, { state }]) => state === "active")?.[0];
    await world.until(`active in ${namespace}`, () => serving() !== undefined);
    return serving() ?? "";
  }
});
