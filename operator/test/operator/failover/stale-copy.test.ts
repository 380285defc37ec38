import { Annotation, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { World } from "../world.js";

/** Of no account. */
const GONE = "198.51.100.99";

describe("operator in process: an address in the copy of the created ones that does not exist", function () {
  this.timeout(240_000);
  let close: () => Promise<void>;

  afterEach(() => close());

  const copyOf = (metadata: { readonly annotations?: Readonly<Record<string, string>> }) =>
    metadata.annotations?.[Annotation.createdIps];

  it("leaves the copy of a pool, with an Event, and another one is created; what exists stays, and nothing is released", async () => {
    const world = await World.create();
    close = () => world.close();
    world.addNode("n1");
    world.addNode("n2");
    const there = world.digitalocean.state.addAddress().ip;
    const metadata = {
      name: "web",
      namespace: "default",
      annotations: { [Annotation.createdIps]: `${GONE},${there}` },
    };
    world.addPool("web", { desiredIPs: 2, reclaimPolicy: "Delete" }, { metadata });
    world.start();
    await world.fulfilled("web");
    await world.rest();
    const { status, metadata: after } = world.pool("web");
    expect(copyOf(after)?.split(",")).to.have.length(2).and.include(there).and.not.include(GONE);
    expect(Object.keys(status?.ips ?? {}))
      .to.have.length(2)
      .and.include(there);
    expect(status?.error).to.equal(undefined);
    const notes = world.events("Forgotten").map((event) => String(event["note"] ?? event["message"]));
    expect(notes).to.have.length(1);
    expect(notes[0]).to.include(GONE).and.not.include(there);
    expect(world.digitalocean.journal.count({ on: "DELETE /v2/reserved_ips/{reserved_ip}" })).to.equal(0);
  });

  it("leaves the copy of a RoutedIP, with an Event, and another one is created", async () => {
    const made = await RoutedWorld.create(["n1"]);
    close = () => made.close();
    made.addIssuer();
    made.serve({ node: "n1" });
    made.world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "RoutedIP",
      metadata: { name: "a", namespace: "default", annotations: { [Annotation.createdIps]: GONE } },
      spec: { issuerRef: { name: "do" }, serviceRef: { serviceName: "web" } },
    });
    made.world.start();
    await made.ready("a");
    expect(made.status("a").routedIP).to.be.a("string").and.not.equal(GONE);
    await made.world.until("an Event", () => made.world.events("Forgotten").length > 0);
    expect(made.world.events("Forgotten").map((event) => String(event["note"] ?? event["message"]))[0]).to.include(
      GONE,
    );
  });
});
