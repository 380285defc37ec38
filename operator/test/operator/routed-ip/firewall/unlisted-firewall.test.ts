import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { FIREWALL, RoutedWorld } from "../../../controllers/routed-ip/routed-world.js";

const MINUTE_MS = 60_000;
/** Of real time. */
const REAL_MS = 30_000;
const OWN = "own";

describe("operator in process: a firewall that a list does not show", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  const firewalls = () => made.world.digitalocean.state.firewalls;
  const unlist = (name = FIREWALL) => firewalls().unlist(firewalls().byName(name)?.id ?? "");
  const names = () =>
    firewalls()
      .all()
      .map(({ config }) => config.name);

  /** `a` is ready; then the operator is killed, and the first list of the next one does not show the firewall. */
  async function restart(between: () => void = () => undefined): Promise<void> {
    const first = made.world.start();
    await made.ready("a");
    await first.kill();
    between();
    unlist();
    made.world.start();
  }

  async function create(spec: object = {}): Promise<void> {
    made = await RoutedWorld.create(["n1", "n2"]);
    made.addIssuer(spec);
    made.addRouted("a", { routedIP: made.world.digitalocean.state.addAddress().ip });
    made.serve({ node: "n1" });
  }

  const remove = () => made.world.kubernetes.delete(made.refTo("a"));
  const gone = () => made.until("a is gone", () => made.object("a") === undefined);

  it("loses the rule and the node of a RoutedIP that is deleted while the operator starts", async () => {
    await create({ routedIPReclaimPolicy: "Delete" });
    await restart(remove);
    await gone();
    await made.until("the firewall is gone", () => made.firewall() === undefined, REAL_MS);
  });

  it("loses them also if it is the user's", async () => {
    await create();
    const inbound = [{ protocol: "tcp", ports: "22", target: { addresses: ["0.0.0.0/0"] } }] as const;
    firewalls().add({ name: FIREWALL, inbound });
    await restart(remove);
    await gone();
    expect(made.firewall()).to.deep.equal({ nodes: [], ports: ["22"] });
  });

  it("stays on record, and the operator creates no other one of the name", async () => {
    await create();
    await restart();
    const posts: string[] = [];
    made.world.digitalocean.journal.subscribe(({ route }) => posts.push(route ?? ""));
    await made.world.clock.sleep(MINUTE_MS);
    await made.ready("a");
    expect(posts).not.to.include("POST /v2/firewalls");
    expect(made.firewall()).to.deep.equal({ nodes: ["n1"], ports: ["443"] });
    expect(JSON.stringify(made.object("do", "RoutedIPIssuer")?.["status"])).to.include("createdFirewall");
  });

  it("counts as there also when it was listed before", async () => {
    await create();
    made.world.start();
    await made.ready("a");
    await made.world.clock.sleep(MINUTE_MS);
    unlist();
    const posts: string[] = [];
    made.world.digitalocean.journal.subscribe(({ route }) => posts.push(route ?? ""));
    await made.world.clock.sleep(3 * MINUTE_MS);
    await made.ready("a");
    expect(posts).not.to.include("POST /v2/firewalls");
  });

  it("is created again if it is really gone", async () => {
    await create();
    made.world.start();
    await made.ready("a");
    firewalls().remove(firewalls().byName(FIREWALL)?.id ?? "");
    await made.until("it is there again", () => made.firewall()?.nodes.join() === "n1");
    await made.ready("a");
    expect(names()).to.deep.equal(["base", FIREWALL]);
  });

  it("loses what is left of a RoutedIP that has left it for another one", async () => {
    await create();
    const first = made.world.start();
    await made.ready("a");
    await first.kill();
    made.world.kubernetes.change(made.refTo("do", "RoutedIPIssuer"), (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), routedIPFirewallName: OWN },
    }));
    unlist();
    made.world.start();
    await made.until("it is in the other one", () => firewalls().byName(OWN)?.config.dropletIds.length === 1);
    await made.until("it has left", () => made.firewall() === undefined || made.firewall()?.nodes.length === 0);
  });
});
