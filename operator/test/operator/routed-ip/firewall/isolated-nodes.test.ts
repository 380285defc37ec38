import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld, TAINT } from "../../../controllers/routed-ip/routed-world.js";

const NODES = ["n1", "n2", "n3"];
/** Ten readings of the firewall. */
const LONG_MS = 600_000;

describe("operator in process: nodes that the firewall would isolate", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  /** No firewall covers the nodes. @returns the node that has the taint after each request to the API server. */
  async function start(): Promise<{ readonly tainted: string[] }> {
    made = await RoutedWorld.create([]);
    const { world } = made;
    for (const node of NODES) world.addNode(node);
    made.serve(...NODES.map((node) => ({ node })));
    const tainted: string[] = [];
    world.kubernetes.onRequest(() => {
      const now = NODES.filter((node) => made.taints(node).includes(TAINT)).join();
      if (now !== tainted.at(-1)) tainted.push(now);
    });
    made.addIssuer();
    made.addRouted("a", { routedIP: world.digitalocean.state.addAddress().ip });
    world.start();
    await made.until("it says so", () => made.condition("a", "FirewallReady") === "False/WouldIsolateNode");
    return { tainted };
  }

  it("of them, only the elected one has the taint, which stays there while nothing changes", async () => {
    const { tainted } = await start();
    await made.world.clock.sleep(LONG_MS);
    const before = tainted.length;
    await made.world.clock.sleep(LONG_MS);
    expect(tainted.filter((nodes) => nodes.includes(","))).to.deep.equal([]);
    expect(tainted.slice(before), "changes at rest").to.deep.equal([]);
    expect(NODES).to.include(tainted.at(-1));
  });

  it("take the address as soon as another firewall covers one of them, whichever that is", async () => {
    const { tainted } = await start();
    await made.world.clock.sleep(LONG_MS);
    const covered = NODES.find((node) => node !== tainted.at(-1)) ?? "";
    const dropletIds = [made.world.droplet(covered).id];
    made.world.digitalocean.state.firewalls.add({ name: "late", dropletIds });
    await made.until("it has the address", () => made.nodeOf("a") === covered);
    await made.settledOn(covered);
  });
});
