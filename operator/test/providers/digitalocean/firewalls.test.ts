import { expect } from "chai";
import { describe, it } from "mocha";
import { errorOf } from "../../support/http-rig.js";
import { ASKER, closing } from "../conformance/benches.js";
import { startFirewallBench } from "./firewall-bench.js";

const ANYWHERE = ["0.0.0.0/0", "::/0"];
const RULE = { protocol: "tcp", ports: "443", sources: ANYWHERE, otherSources: false } as const;

describe("DigitalOcean's firewalls", () => {
  const start = closing(startFirewallBench);

  for (const allPortsSpelling of ["all", "0", "either"] as const) {
    it(`open all ports where the API spells that "${allPortsSpelling}", and let everything out`, async () => {
      const bench = await start();
      bench.simulator.state.settings.switches.allPortsSpelling = allPortsSpelling;
      const rules = [{ ...RULE, ports: "all" }];

      await bench.drive(bench.provider.create(ASKER, { name: "ours", rules, nodes: [] }));

      const config = bench.simulator.state.firewalls.byName("ours")?.config;
      expect(config?.inbound.map(({ ports }) => ports)).to.deep.equal(["1-65535"]);
      expect(config?.outbound).to.deep.equal([
        { protocol: "tcp", ports: "1-65535", target: { addresses: ANYWHERE } },
        { protocol: "udp", ports: "1-65535", target: { addresses: ANYWHERE } },
        { protocol: "icmp", ports: "0", target: { addresses: ANYWHERE } },
      ]);
    });
  }

  it("are never replaced as a whole", async () => {
    const bench = await start();
    bench.addFirewall("ours", [], [RULE, { ...RULE, ports: "80" }]);
    const { firewall } = await bench.drive(bench.provider.survey(ASKER, "ours", []));
    const removeRules = (firewall?.rules ?? []).slice(1);
    const change = { id: firewall?.id ?? "", name: "ours", addNodes: [], removeNodes: [], removeRules };

    await bench.drive(bench.provider.apply(ASKER, { ...change, addRules: [] }));

    const routes = [...bench.simulator.journal.countByRoute({ mutating: true }).keys()];
    expect(routes).to.deep.equal(["DELETE /v2/firewalls/{firewall_id}/rules"]);
  });

  it("read a droplet once, and only if it is in no firewall: a tag may cover it, or it may be gone", async () => {
    const bench = await start();
    const [covered, bare] = [bench.addNode(), bench.addNode()];
    bench.addFirewall("theirs", [covered], []);

    await bench.drive(bench.provider.survey(ASKER, "ours", [covered]));
    expect(bench.calls()).to.equal(1);
    await bench.drive(bench.provider.survey(ASKER, "ours", [bare]));
    expect(bench.calls()).to.equal(3);
  });

  it("are listed once for all names that are asked for within a while, until one of them is written", async () => {
    const bench = await start();
    const covered = bench.addNode();
    bench.addFirewall("theirs", [covered], []);
    const survey = (name: string) => bench.drive(bench.provider.survey(ASKER, name, [covered], 30));

    await survey("ours");
    await survey("others");
    expect(bench.calls()).to.equal(1);
    await bench.drive(bench.provider.create(ASKER, { name: "ours", rules: [RULE], nodes: [] }));

    expect((await survey("ours")).firewall).to.include({ name: "ours" });
    expect(bench.calls()).to.equal(3);
  });

  it("are listed again for a node that may be younger than the list", async () => {
    const bench = await start();
    await bench.drive(bench.provider.survey(ASKER, "ours", [], 30));
    const node = bench.addNode();
    bench.addFirewall("theirs", [node], []);

    const { coveredBy } = await bench.drive(bench.provider.survey(ASKER, "ours", [node], 30));

    expect(coveredBy.get(node)).to.deep.equal(["theirs"]);
  });

  it("say which of the machines that no firewall covers are gone", async () => {
    const bench = await start();
    const there = bench.addNode();
    const gone = "digitalocean://4711";

    const survey = await bench.drive(bench.provider.survey(ASKER, "ours", [there, gone], 30));

    expect(survey.coveredBy.get(there)).to.deep.equal([]);
    expect([...(survey.gone ?? [])]).to.deep.equal([gone]);
  });

  it("read many machines in no firewall with one list, and one that the list lacks by itself", async () => {
    const bench = await start();
    const nodes = Array.from({ length: 30 }, () => bench.addNode());
    const { state } = bench.simulator;
    state.firewalls.add({ name: "tagged", tags: ["k8s"] });
    const { id = 0 } = state.addDroplet({ name: "late", tags: ["k8s"] });
    const [late, gone] = [`digitalocean://${id}`, "digitalocean://4711"];

    const survey = await bench.drive(bench.provider.survey(ASKER, "ours", [...nodes, late, gone]));

    expect(survey.coveredBy.get(late)).to.deep.equal(["tagged"]);
    expect(nodes.flatMap((node) => survey.coveredBy.get(node))).to.deep.equal([]);
    expect([...(survey.gone ?? [])]).to.deep.equal([gone]);
    expect(bench.calls(), "firewalls, droplets, and the one that is gone").to.equal(3);
  });

  it("say QuotaExceeded beyond the API's limit of droplets", async () => {
    const bench = await start();
    const nodes = Array.from({ length: 11 }, () => bench.addNode());

    const error = await errorOf(bench.drive(bench.provider.create(ASKER, { name: "ours", rules: [], nodes })));

    expect(error).to.deep.include({ kind: "QuotaExceeded", outcome: "refused" });
  });
});
