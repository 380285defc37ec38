import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const ZONE = "example.com";
const RECORDS = /\/domains/;

describe("operator in process: records of a RoutedIP whose issuer cannot be found", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("are no business of the operator's own account: the deletion waits, and names them at the deadline", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { clock, digitalocean, kubernetes } = made.world;
    const { state, journal } = digitalocean;
    const ip = await made.readyOnFirst({ dnsRecordSet: { zone: ZONE, recordName: "www", deletionPolicy: "Delete" } });
    const records = () => state.dns.records(ZONE, "www").map(({ data }) => data);
    await made.until("the name is written", () => `${records()}` === ip);
    const issuer = made.refTo("do", "RoutedIPIssuer");
    kubernetes.delete(issuer);
    made.world.change(issuer, "metadata", { finalizers: [] });
    await made.until("the issuer is missing", () => made.condition("a", "Ready") === "False/IssuerNotFound");
    const before = journal.count({ on: RECORDS });
    kubernetes.delete(made.refTo("a"));
    await clock.sleep(600_000);
    expect(made.object("a"), "the object").not.to.equal(undefined);
    await made.until("an Event names the record set", () => made.world.events("CleanupAbandoned").length > 0);
    const [event] = made.world.events("CleanupAbandoned");
    expect(`${event?.["message"] ?? event?.["note"]}`).to.include(`record set www in zone ${ZONE}`);
    expect(records()).to.deep.equal([ip]);
    expect(journal.count({ on: RECORDS })).to.equal(before);
  });
});
