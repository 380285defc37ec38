import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { LIST_MAX_AGE_SECONDS, SHORT_LIST_MAX_AGE_SECONDS } from "../../../src/timings.js";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

/** The operator reads the account at least this often, as flipop orphans says, and needs a few calls after that. */
const NOTICED_MS = (LIST_MAX_AGE_SECONDS + 10) * 1000;
/** If an address is missing. */
const NOTICED_SOON_MS = (SHORT_LIST_MAX_AGE_SECONDS + 10) * 1000;

describe("operator in process: an address goes from the account, without the operator", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  beforeEach(async () => {
    made = await RoutedWorld.create(["n1"]);
    made.addIssuer();
    made.serve({ node: "n1" });
  });

  afterEach(() => made.close());

  const message = () => made.status("a").conditions?.find(({ type }) => type === "Assigned")?.message ?? "";
  const noticed = async (what: string, is: () => boolean, withinMs = NOTICED_MS) => {
    const from = made.world.clock.now();
    await made.until(what, is);
    expect(made.world.clock.now() - from).to.be.at.most(withinMs);
  };

  it("one that kept a RoutedIP off the only node: the next look at the account ends the wait", async () => {
    const { digitalocean } = made.world;
    const machine = made.addNode("n2");
    made.serve({ node: "n2" });
    const { ip } = digitalocean.state.addAddress({ dropletId: Number(machine.split("//")[1]) });
    made.addRouted("a");
    made.world.start();
    await made.until("it names the address", () => message().includes(`flipop orphans --release ${ip}`));
    digitalocean.state.removeAddress(ip);
    await noticed("ready", () => made.condition("a", "Ready") === "True/Observed", NOTICED_SOON_MS);
    expect(message()).to.not.include(ip);
  });

  it("its own that it created: it says so, creates no other, and serves again with a routedIP that exists", async () => {
    const { digitalocean, kubernetes } = made.world;
    made.addRouted("a");
    made.world.start();
    await made.ready("a");
    const { routedIP: ip = "" } = made.status("a");
    digitalocean.state.removeAddress(ip);
    await noticed("it says so", () => made.condition("a", "Assigned") === "False/AddressNotFound");
    expect(message()).to.include(`the account does not have ${ip}`).and.to.include("set routedIP");
    expect(digitalocean.state.addresses()).to.deep.equal([]);
    const { ip: other } = digitalocean.state.addAddress();
    kubernetes.change(made.refTo("a"), (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), routedIP: other },
    }));
    await made.ready("a");
    expect(made.status("a").routedIP).to.equal(other);
  });

  it("none, and a RoutedIP that is created anew gets another one: the Event names the retained one", async () => {
    const { digitalocean, kubernetes } = made.world;
    const hasEvent = (note: string) =>
      made.until(note, () =>
        made.world.events("Created").some((event) => (event["message"] ?? event["note"]) === note),
      );
    made.addNode("n2");
    made.serve({ node: "n1" }, { node: "n2" });
    made.addRouted("a");
    made.world.start();
    await made.ready("a");
    const { routedIP: old = "" } = made.status("a");
    await hasEvent(`${old} was created: spec.routedIP names none`);
    kubernetes.delete(made.refTo("a"));
    await made.until("it is gone", () => made.object("a") === undefined);
    made.addRouted("a");
    await made.ready("a");
    const { routedIP: ip = "" } = made.status("a");
    expect(digitalocean.state.addresses()).to.have.length(2);
    const also = `namespace default also has the retained address ${old}: set routedIP to use it`;
    await hasEvent(`${ip} was created: spec.routedIP names none; ${also}`);
  });

  it("its own that it created: a RoutedIP that is created anew gets another one", async () => {
    const { digitalocean, kubernetes } = made.world;
    made.addRouted("a");
    made.world.start();
    await made.ready("a");
    const { routedIP: ip = "" } = made.status("a");
    digitalocean.state.removeAddress(ip);
    await noticed("it says so", () => made.condition("a", "Assigned") === "False/AddressNotFound");
    kubernetes.delete(made.refTo("a"));
    await made.until("gone", () => made.object("a") === undefined);
    made.addRouted("a");
    await made.ready("a");
    expect(digitalocean.state.addresses().map((address) => address.ip)).to.deep.equal([made.status("a").routedIP]);
  });
});
