import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../routed-world.js";

/** A wait that the operator should not need. */
const REAL_MS = 20_000;
const JOIN = "POST /v2/firewalls/{firewall_id}/droplets";

describe("operator in process: a firewall that refuses a machine", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  /** A RoutedIP on n1, whose move to the nodes that follow the test prevents. */
  const start = async (...nodes: readonly string[]) => {
    made = await RoutedWorld.create(["n1", ...nodes], { patient: true });
    await made.readyOnFirst();
    await made.world.rest();
  };
  let moved: number;
  const moveTo = (...nodes: readonly string[]) => {
    moved = made.world.digitalocean.journal.mark;
    made.serve({ node: "n1", ready: false, serving: false }, ...nodes.map((node) => ({ node })));
    made.cordon("n1");
  };
  const refuse = (status: number, isRefused: (droplet: number) => boolean) =>
    made.world.digitalocean.faults.inject(
      { kind: "status", status },
      {
        on: ({ method, path, body }) =>
          method === "POST" && /^\/v2\/firewalls\/[^/]+\/droplets$/.test(path) && dropletsOf(body).some(isRefused),
        times: Number.POSITIVE_INFINITY,
      },
    );
  const idOf = (node: string) => made.world.droplet(node).id;
  const joins = () =>
    made.world.digitalocean.journal.calls({ on: JOIN, after: moved }).flatMap(({ body }) => dropletsOf(body));

  const refusals = () => made.world.logs.filter((line) => line.includes("Action failed"));

  for (const status of [422, 500]) {
    it(`adds another one at once after answer ${status}`, async () => {
      await start("n2", "n3");
      refuse(status, (droplet) => droplet === idOf("n2"));
      const startedAt = made.world.clock.now();
      moveTo("n2", "n3");
      await made.until("moved", () => made.nodeOf("a") === "n3", REAL_MS);
      expect(made.world.clock.now() - startedAt).to.be.below(30_000);
      await made.settledOn("n3");
      await made.ready("a");
      expect(refusals()[0]).to.match(/node n2: .*add droplets to firewall ingress: answer/);
    });
  }

  it("lets other RoutedIPs add their nodes meanwhile", async () => {
    await start("n2", "n3");
    refuse(422, (droplet) => droplet === idOf("n2"));
    moveTo("n2");
    await made.until("refused", () => refusals().length > 0, REAL_MS);
    const ports = [{ port: 443, targetPort: 443, nodePort: 443, protocol: "TCP" }];
    made.addService("other", { type: "NodePort", ports });
    made.serveAs("other", "n3");
    made.addRouted("b", {
      serviceRef: { serviceName: "other" },
      routedIP: made.world.digitalocean.state.addAddress().ip,
    });
    const startedAt = made.world.clock.now();
    await made.ready("b", REAL_MS);
    expect(made.world.clock.now() - startedAt).to.be.below(30_000);
    const { assignedNode, error, retryAt } = made.status("a");
    expect(assignedNode).to.equal("n1");
    expect(error).to.match(/^node n2: .* answer 422.*; fix: have the owner of the account check digitalocean:/);
    expect(retryAt).to.not.equal(undefined);
  });

  it("waits longer each time where it refuses all machines, and tries them in turn", async () => {
    await start("n2", "n3", "n4");
    refuse(422, () => true);
    moveTo("n2", "n3", "n4");
    await made.world.clock.sleep(90_000);
    expect(joins(), "the first, the second at once, the third a minute later").to.have.length(3);
    expect(new Set(joins()).size).to.equal(3);
    await made.world.clock.sleep(240_000);
    expect(joins()).to.have.length(3);
  });

  for (const status of [403, 404, 429]) {
    it(`tries no other one after answer ${status}, which does not concern the machine`, async () => {
      await start("n2", "n3");
      refuse(status, () => true);
      moveTo("n2", "n3");
      await made.world.clock.sleep(50_000);
      expect(new Set(joins()).size).to.equal(1);
    });
  }
});

function dropletsOf(body: unknown): readonly number[] {
  const { droplet_ids: ids = [] } = (body ?? {}) as { readonly droplet_ids?: readonly number[] };
  return ids;
}
