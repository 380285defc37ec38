import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

describe("operator in process: a full record name outside its zone", function () {
  this.timeout(120_000);
  let world: World;

  afterEach(() => world.close());

  it("gets no record, and DNSReady says what is wrong with it", async () => {
    world = await World.create();
    world.addNode("node-1");
    const { ip } = world.digitalocean.state.addAddress();
    const dnsRecordSet = { provider: "digitalocean", zone: "example.com", recordName: "www.example.org." };
    world.addPool("web", { ips: [ip], dnsRecordSet });
    world.start();
    const dns = () => world.status("web").conditions?.find(({ type }) => type === "DNSReady");
    await world.until("it is refused", () => dns()?.status === "False" && dns()?.reason === "Invalid");
    expect(dns()?.message).to.contain("recordName www.example.org.: the final dot makes it a full name");
    await world.rest();
    const writes = world.digitalocean.journal.calls({ mutating: true }).map(({ path }) => path);
    expect(writes.filter((path) => path.includes("/domains"))).to.deep.equal([]);
    expect(world.status("web").ips?.[ip]?.state, "the address serves all the same").to.equal("active");
  });
});
