import { expect } from "chai";
import { describe, it } from "mocha";
import { RULE_MESSAGES } from "../../src/digitalocean/firewalls/firewall-rules.js";
import { FIREWALL_MESSAGES } from "../../src/digitalocean/firewalls/firewall-store.js";
import { type Answer, type DigitalOceanRig, startDigitalOceanRig } from "../support/digitalocean-rig.js";

const ANY = { addresses: ["0.0.0.0/0", "::/0"] };
const inbound = (ports: string, sources: object = ANY, protocol = "tcp") => ({ protocol, ports, sources });

describe("DigitalOcean simulator: firewalls", () => {
  let rig: DigitalOceanRig;

  beforeEach(async () => {
    rig = await startDigitalOceanRig();
  });

  afterEach(() => rig.close());

  const create = (more: object = {}) =>
    rig.call("POST", "/v2/firewalls", { name: "ours", inbound_rules: [inbound("80")], ...more });
  const refused = (answer: Answer) => [answer.status, answer.get("message")];
  const rulesOf = async (id: string) =>
    (await rig.call("GET", `/v2/firewalls/${id}`)).list("firewall", "inbound_rules");

  it("is waiting with a pending change for each droplet until they are applied", async () => {
    const { id } = rig.simulator.state.addDroplet();
    const made = await create({ droplet_ids: [id] });
    expect([made.status, made.get("firewall", "status")]).to.deep.equal([202, "waiting"]);
    expect(made.get("firewall", "pending_changes")).to.deep.equal([
      { droplet_id: id, removing: false, status: "waiting" },
    ]);
    await rig.clock.advance(5_000);
    const later = await rig.call("GET", `/v2/firewalls/${made.text("firewall", "id")}`);
    expect([later.get("firewall", "status"), later.get("firewall", "pending_changes")]).to.deep.equal([
      "succeeded",
      [],
    ]);
  });

  it("drains changes in the order in which they were made", async () => {
    const [first, second] = [rig.simulator.state.addDroplet().id, rig.simulator.state.addDroplet().id];
    const id = (await create({ droplet_ids: [first] })).text("firewall", "id");
    await rig.clock.advance(3_000);
    await rig.call("POST", `/v2/firewalls/${id}/droplets`, { droplet_ids: [second] });
    await rig.call("DELETE", `/v2/firewalls/${id}/droplets`, { droplet_ids: [first] });
    const pending = rig.simulator.state.firewalls.get(id).pending;
    expect(pending.map(({ dropletId, removing }) => [dropletId, removing])).to.deep.equal([
      [second, false],
      [first, true],
    ]);
    await rig.clock.advance(5_000);
    expect(rig.simulator.state.firewalls.get(id)).to.deep.include({ pending: [], status: "succeeded" });
  });

  it("is waiting again for all its droplets when a rule changes", async () => {
    const { id: droplet } = rig.simulator.state.addDroplet();
    const id = (await create({ droplet_ids: [droplet] })).text("firewall", "id");
    await rig.clock.advance(5_000);
    await rig.call("POST", `/v2/firewalls/${id}/rules`, { inbound_rules: [inbound("443")] });
    const read = await rig.call("GET", `/v2/firewalls/${id}`);
    expect([read.get("firewall", "status"), read.get("firewall", "pending_changes", 0, "droplet_id")]).to.deep.equal([
      "waiting",
      droplet,
    ]);
  });

  it("can fail to reach its droplets, until the next change", async () => {
    const id = (await create()).text("firewall", "id");
    rig.simulator.state.firewalls.fail(id);
    await rig.clock.advance(5_000);
    expect((await rig.call("GET", `/v2/firewalls/${id}`)).get("firewall", "status")).to.equal("failed");
  });

  it("is replaced as a whole by PUT: what is left out is gone", async () => {
    const { id: droplet } = rig.simulator.state.addDroplet({ tags: ["web"] });
    const outbound_rules = [{ protocol: "udp", ports: "53", destinations: ANY }];
    const id = (await create({ droplet_ids: [droplet], tags: ["web"], outbound_rules })).text("firewall", "id");
    const put = await rig.call("PUT", `/v2/firewalls/${id}`, { name: "ours", inbound_rules: [inbound("443")] });
    expect(put.get("firewall", "inbound_rules", 0, "ports")).to.equal("443");
    for (const field of ["outbound_rules", "droplet_ids", "tags"]) expect(put.get("firewall", field)).to.deep.equal([]);
  });

  it("changes only the part that is added to or taken from", async () => {
    const { id: droplet } = rig.simulator.state.addDroplet();
    const id = (await create({ droplet_ids: [droplet] })).text("firewall", "id");
    await rig.call("POST", `/v2/firewalls/${id}/rules`, { inbound_rules: [inbound("443"), inbound("80")] });
    expect(await rulesOf(id)).to.deep.equal([inbound("80"), inbound("443")]);
    await rig.call("DELETE", `/v2/firewalls/${id}/rules`, {
      inbound_rules: [inbound("80", { addresses: ["::/0", "0.0.0.0/0"] })],
    });
    expect(await rulesOf(id)).to.deep.equal([inbound("443")]);
    expect(rig.simulator.state.firewalls.get(id).config.dropletIds).to.deep.equal([droplet]);
  });

  it("answers all ports as 0, and 0 for icmp", async () => {
    const rules = [inbound("all"), inbound("0", ANY, "udp"), inbound("all", ANY, "icmp"), inbound("1-65535")];
    const id = (await create({ inbound_rules: rules })).text("firewall", "id");
    const ports = (await rulesOf(id)).map((rule) => (rule as { ports: string }).ports);
    expect(ports).to.deep.equal(["0", "0", "0", "1-65535"]);
  });

  for (const [taken, other, message] of [
    ["all", "0", RULE_MESSAGES.noPorts],
    ["0", "all", RULE_MESSAGES.badPorts],
  ] as const) {
    it(`takes only ${taken} for all ports, by switch`, async () => {
      rig.simulator.state.settings.switches.allPortsSpelling = taken;
      expect(refused(await create({ inbound_rules: [inbound(other)] }))).to.deep.equal([422, message]);
      expect((await create({ inbound_rules: [inbound(taken)] })).status).to.equal(202);
    });
  }

  const many = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index));
  const limits: readonly [string, string, (rig: DigitalOceanRig) => object][] = [
    ["51 rules", "must have no more than 50 rules", () => ({ inbound_rules: many(51, (n) => inbound(String(n + 1))) })],
    [
      "11 droplets",
      "must have no more than 10 droplets",
      ({ simulator }) => ({ droplet_ids: many(11, () => simulator.state.addDroplet().id) }),
    ],
    ["6 tags", "must have no more than 5 tags", () => ({ tags: many(6, (n) => `tag-${n}`) })],
    [
      "1,001 sources",
      "must have no more than 1000 sources or destinations",
      () => ({ inbound_rules: [inbound("80", { addresses: many(1_001, (n) => `10.0.${n >> 8}.${n & 255}`) })] }),
    ],
    ["an unknown tag", `${FIREWALL_MESSAGES.noTag}: nothing`, () => ({ tags: ["nothing"] })],
    ["an unknown droplet", `${FIREWALL_MESSAGES.noDroplet}: 1`, () => ({ droplet_ids: [1] })],
    ["ports out of range", RULE_MESSAGES.badPorts, () => ({ inbound_rules: [inbound("9000-8000")] })],
    [
      "a source that is no address",
      RULE_MESSAGES.badAddress,
      () => ({ inbound_rules: [inbound("80", { addresses: ["x"] })] }),
    ],
    ["no rule", FIREWALL_MESSAGES.noRules, () => ({ inbound_rules: [] })],
  ];
  for (const [what, message, body] of limits) {
    it(`refuses ${what} with 422`, async () => {
      expect(refused(await create(body(rig)))).to.deep.equal([422, message]);
      expect(rig.simulator.state.firewalls.byName("ours")).to.equal(undefined);
    });
  }

  it("refuses the 51st rule and the 11th droplet when they are added", async () => {
    const droplets = many(11, () => rig.simulator.state.addDroplet().id);
    const body = { droplet_ids: droplets.slice(0, 10), inbound_rules: many(50, (n) => inbound(String(n + 1))) };
    const id = (await create(body)).text("firewall", "id");
    const add = (part: string, more: object) => rig.call("POST", `/v2/firewalls/${id}/${part}`, more);
    expect((await add("rules", { inbound_rules: [inbound("443")] })).status).to.equal(422);
    expect((await add("droplets", { droplet_ids: droplets.slice(10) })).status).to.equal(422);
    expect((await add("rules", { inbound_rules: [inbound("7")] })).status).to.equal(204);
  });

  it("refuses a second firewall of the same name with 409", async () => {
    await create();
    expect(refused(await create())).to.deep.equal([409, FIREWALL_MESSAGES.duplicateName]);
  });

  it("covers droplets by tag, those that get it later as well", async () => {
    const tagged = rig.simulator.state.addDroplet({ tags: ["web"] }).id;
    const late = rig.simulator.state.addDroplet().id;
    const id = (await create({ tags: ["web"] })).text("firewall", "id");
    await rig.clock.advance(5_000);
    rig.simulator.state.tagDroplet(late, "web");
    expect(rig.simulator.state.firewalls.covered(id)).to.deep.equal([tagged, late]);
    expect(rig.simulator.state.firewalls.get(id)).to.deep.include({ pending: [{ dropletId: late, removing: false }] });
  });

  it("puts a firewall of DigitalOcean's Kubernetes back every five minutes, changed or deleted", async () => {
    const { firewalls } = rig.simulator.state;
    const rule = { protocol: "tcp", ports: "30000-32767", target: ANY } as const;
    const { id } = firewalls.addManaged({ name: "k8s-worker", inbound: [rule] });
    await rig.call("POST", `/v2/firewalls/${id}/rules`, { inbound_rules: [inbound("80")] });
    await rig.clock.advance(299_999);
    expect(await rulesOf(id)).to.have.length(2);
    await rig.clock.advance(1);
    expect(await rulesOf(id)).to.have.length(1);
    await rig.call("DELETE", `/v2/firewalls/${id}`);
    expect(firewalls.byName("k8s-worker")).to.equal(undefined);
    await rig.clock.advance(300_000);
    expect(await rulesOf(id)).to.have.length(1);
  });

  it("leaves a person's firewall alone", async () => {
    const id = (await create()).text("firewall", "id");
    await rig.call("POST", `/v2/firewalls/${id}/rules`, { inbound_rules: [inbound("443")] });
    await rig.clock.advance(600_000);
    expect(await rulesOf(id)).to.have.length(2);
  });
});
