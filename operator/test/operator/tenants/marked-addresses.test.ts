import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

const VALUE = "flipop.digitalocean.com/ipv4-reserved-ip";
const STRANGER = "elsewhere/web/11111111-13ea-46e4-9e05-3dc4b8431a1a";

describe("operator in process: a node's annotation gives an address to a pool that the operator does not see", function () {
  this.timeout(60_000);
  let world: World;
  afterEach(() => world.close());

  /** Pool `web` has two addresses, and a node without one says that the first is the stranger's. */
  async function marked(flags: Readonly<Record<string, string>> = { "watch-namespaces": "default" }) {
    world = await World.create({ nodes: 6, flags });
    world.start();
    world.addPool("web", { desiredIPs: 2, reclaimPolicy: "Delete" });
    await world.fulfilled("web");
    await world.until("the list", () => world.pool("web").spec.ips?.length === 2);
    const { ips = [] } = world.pool("web").spec;
    const free = [1, 2, 3, 4, 5, 6].map((n) => `node-${n}`).find((node) => !(VALUE in world.annotations(node))) ?? "";
    world.annotate(free, { [VALUE]: ips[0] ?? "", [`${VALUE}-owner`]: STRANGER });
    return { ips, node: free };
  }

  const began = () => world.clock.now();

  it("and a pool that lists it takes it over all the same from the one that the operator created it for", async () => {
    const { ips } = await marked();
    world.addPool("site", { ips, reclaimPolicy: "Delete" });
    await world.until("the claims", () => world.condition("site", "Conflict")?.status === "True");
    const since = began();
    world.kubernetes.delete(world.refTo("web"));
    await world.fulfilled("site");
    expect(world.status("site").createdIPs?.map(({ ip }) => ip)).to.have.members(ips);
    expect(world.clock.now() - since).to.be.below(10_000);
  });

  it("and while it does, that address alone is not released, and the status says why", async () => {
    const { ips, node } = await marked();
    const [first = "", second = ""] = ips;
    const isThere = (ip: string) => world.digitalocean.state.addresses().some((each) => each.ip === ip);
    world.kubernetes.delete(world.refTo("web"));
    await world.until("the other one is released", () => !isThere(second), 10_000);
    expect(isThere(first)).to.equal(true);
    expect(world.condition("web", "Ready")?.message).to.contain(
      `the annotation of node ${node} says that ${first} belongs to FloatingIPPool elsewhere/web`,
    );
    world.annotate(node, {});
    await world.until("it is released", () => !isThere(first), 10_000);
  });

  it("though the operator sees all pools, and there is no such pool: the annotation counts for nothing", async () => {
    const { ips } = await marked({});
    world.kubernetes.delete(world.refTo("web"));
    await world.until("the release", () => world.digitalocean.state.addresses().length === 0, 10_000);
    expect(ips).to.have.length(2);
  });
});
