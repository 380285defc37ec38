import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { DnsWorld, ZONE } from "./dns-world.js";

const DEEP = `game.eu.${ZONE}`;
const SUB = `eu.${ZONE}`;

describe("a record set below a name that its zone delegates", function () {
  this.timeout(120_000);
  let rig: DnsWorld;

  beforeEach(async () => {
    rig = await DnsWorld.create();
    rig.addNode("n1");
  });
  afterEach(() => rig.close());

  const message = () => rig.status("game").conditions?.find(({ type }) => type === "DNSReady")?.message ?? "";
  const settled = (reason: string) => rig.until(reason, () => rig.condition("game", "DNSReady") === reason);

  it("is not ready at DigitalOcean, says which zone resolvers ask, and is ready in that zone", async () => {
    const { dns } = rig.world.digitalocean.state;
    dns.addRecord(ZONE, { type: "NS", name: "eu", data: "ns1.digitalocean.com." });
    dns.addDomain(SUB);
    rig.addSet("game", { dnsRecordSet: { zone: ZONE, recordName: "game.eu" } });
    rig.start();
    await settled("False/DelegatedName");
    expect(message()).to.equal(
      `A records of ${DEEP} hold 1 address; they are in zone ${ZONE}, which has NS records of ${SUB}, so resolvers ask another zone and never see them; fix: set dnsRecordSet.zone to ${SUB} and recordName to ${DEEP}; or, if the delegation is not meant, have the owner of the DNS account delete the NS records of ${SUB} in zone ${ZONE} at digitalocean`,
    );
    expect(rig.condition("game", "Ready")).to.equal("False/DelegatedName");
    rig.edit("game", { dnsRecordSet: { zone: SUB, recordName: DEEP } });
    await settled("True/Observed");
    expect(message()).to.equal(`A records of ${DEEP} hold 1 address (at digitalocean)`);
  });

  it("is not ready at Cloudflare, also where the spec names the zone by its id", async () => {
    rig.cloudflare.addRecord(ZONE, { type: "NS", name: SUB, content: "ns1.example.net" });
    const { id } = rig.cloudflare.zone(ZONE);
    rig.addSet("game", { provider: "cloudflare", dnsRecordSet: { zone: id, recordName: DEEP } });
    rig.start();
    await settled("False/DelegatedName");
    expect(message()).to.include(`fix: set dnsRecordSet.zone to ${SUB}; or`);
  });

  it("is ready without a delegation, and names the zone, which its name does not show", async () => {
    rig.addSet("game", { dnsRecordSet: { zone: ZONE, recordName: "game.eu" } });
    rig.start();
    await settled("True/Observed");
    expect(message()).to.equal(`A records of ${DEEP} hold 1 address (at digitalocean, in zone ${ZONE})`);
  });
});
