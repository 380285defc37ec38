import { expect } from "chai";
import { describe, it } from "mocha";
import { isEmptyChange } from "../../../src/providers/diff.js";
import type { FirewallFacts, FirewallRuleFacts } from "../../../src/providers/firewall-types.js";
import type { ProviderId } from "../../../src/providers/types.js";
import { NotLeaderError } from "../../../src/runtime/fence.js";
import { errorOf } from "../../support/http-rig.js";
import { ASKER, closing, type FirewallBench } from "./benches.js";
import { commonContract } from "./common-contract.js";
import { planFirewallChange } from "./desired-firewall.js";

const HTTPS = rule("443");
const MAIL = rule("25");

/** Every FirewallProvider must pass this. @param reservedName one that is never to be touched, where there are such */
export function firewallContract(name: string, startBench: () => Promise<FirewallBench>, reservedName?: string): void {
  describe(`${name} keeps the contract of a FirewallProvider`, () => {
    const start = closing(startBench);
    findContract(start);
    changeContract(start);
    commonContract(start, ({ provider }, context) => provider.survey(context, "ours", []));
    if (reservedName !== undefined) reservedContract(start, reservedName);
  });
}

function findContract(start: () => Promise<FirewallBench>): void {
  it("finds a firewall by name, and says which others cover a node", async () => {
    const bench = await start();
    const [covered, bare] = [bench.addNode(), bench.addNode()];
    bench.addFirewall("ours", [bare], [HTTPS]);
    bench.addFirewall("theirs", [covered], [MAIL]);

    const survey = await bench.drive(bench.provider.survey(ASKER, "ours", [covered, bare]));

    expect(survey.firewall).to.deep.include({ name: "ours", nodes: [bare], rules: [HTTPS] });
    expect([...survey.coveredBy]).to.deep.equal([
      [covered, ["theirs"]],
      [bare, []],
    ]);
  });

  it("finds the firewalls with its name and a number", async () => {
    const bench = await start();
    for (const name of ["ours", "ours-2", "ours-12", "ours-a", "ours-2-2", "other-2"])
      bench.addFirewall(name, [], [HTTPS]);

    const { numbered = [] } = await bench.drive(bench.provider.survey(ASKER, "ours", []));

    expect(numbered.map(({ name: found }) => found).sort()).to.deep.equal(["ours-12", "ours-2"]);
    expect(numbered[0]).to.deep.include({ nodes: [], rules: [HTTPS] });
  });

  it("knows a node that is covered by a tag", async () => {
    const bench = await start();
    const [tagged, bare] = [bench.addNode(), bench.addNode()];
    bench.coverByTag?.("by-tag", tagged);

    const { coveredBy } = await bench.drive(bench.provider.survey(ASKER, "ours", [tagged, bare]));

    expect(coveredBy.get(tagged)).to.deep.equal(bench.coverByTag === undefined ? [] : ["by-tag"]);
    expect(coveredBy.get(bare)).to.deep.equal([]);
  });

  it("says Conflict where several firewalls bear the name", async () => {
    const bench = await start();
    bench.addFirewall("twin", [], [HTTPS]);
    bench.addFirewall("twin", [], [MAIL]);

    const error = await errorOf(bench.drive(bench.provider.survey(ASKER, "twin", [])));

    expect(error).to.deep.include({ kind: "Conflict", reason: "Ambiguous" });
  });
}

function changeContract(start: () => Promise<FirewallBench>): void {
  it("creates one with rules and nodes that is found afterwards", async () => {
    const bench = await start();
    const node = bench.addNode();

    await bench.drive(bench.provider.create(ASKER, { name: "ours", rules: [HTTPS], nodes: [node] }));

    expect(await found(bench)).to.deep.include({ nodes: [node], rules: [HTTPS] });
    expect(bench.firewall("ours")).to.deep.equal({ rules: ["tcp 443"], nodes: [node] });
  });

  it("opens all ports of a protocol, and reads them back as written", async () => {
    const bench = await start();
    const all = [rule("all"), { ...rule("all"), protocol: "udp" as const }];

    await bench.drive(bench.provider.create(ASKER, { name: "ours", rules: all, nodes: [] }));

    expect((await found(bench)).rules).to.deep.equal(all);
  });

  it("adds and removes ours, and leaves what others made", async () => {
    const bench = await start();
    const [old, young, other] = [bench.addNode(), bench.addNode(), bench.addNode()];
    bench.addFirewall("ours", [old, other], [MAIL, HTTPS]);
    const request = { rules: [rule("8000-8010")], ourRules: [HTTPS], nodes: [young], ourNodes: [old] };

    await bench.drive(bench.provider.apply(ASKER, planFirewallChange(await found(bench), request)));

    expect(bench.firewall("ours")).to.deep.equal({ rules: ["tcp 25", "tcp 8000-8010"], nodes: [other, young].sort() });
    expect(isEmptyChange(planFirewallChange(await found(bench), { ...request, ourRules: [], ourNodes: [] }))).to.equal(
      true,
    );
  });

  it("costs a call for each part that changes", async () => {
    const bench = await start();
    bench.addFirewall("ours", [], [MAIL]);
    const firewall = await found(bench);
    const before = bench.calls();
    const request = { rules: [MAIL, HTTPS], ourRules: [], nodes: [], ourNodes: [] };

    await bench.drive(bench.provider.apply(ASKER, planFirewallChange(firewall, request)));

    expect(bench.calls() - before).to.equal(1);
  });

  it("removes one, and takes one that is gone for removed", async () => {
    const bench = await start();
    bench.addFirewall("ours", [], []);
    const firewall = await found(bench);

    await bench.drive(bench.provider.remove(ASKER, firewall));
    await bench.drive(bench.provider.remove(ASKER, firewall));

    expect(bench.firewall("ours")).to.equal(undefined);
  });

  it("writes nothing without the lease", async () => {
    const bench = await start();
    bench.loseLease();

    const work = bench.provider.create(ASKER, { name: "ours", rules: [HTTPS], nodes: [] });

    expect(await errorOf(bench.drive(work))).to.be.instanceOf(NotLeaderError);
    expect(bench.firewall("ours")).to.equal(undefined);
  });
}

function reservedContract(start: () => Promise<FirewallBench>, name: string): void {
  it(`never touches ${name}, nor asks for it`, async () => {
    const bench = await start();
    const node: ProviderId = bench.addNode();
    const before = bench.calls();
    const change = { id: "1", name, addRules: [HTTPS], addNodes: [node], removeRules: [], removeNodes: [] };
    const works: readonly (() => Promise<unknown>)[] = [
      () => bench.provider.survey(ASKER, name, []),
      () => bench.provider.create(ASKER, { name, rules: [HTTPS], nodes: [] }),
      () => bench.provider.apply(ASKER, change),
      () => bench.provider.remove(ASKER, { id: "1", name }),
    ];

    for (const work of works) {
      expect(await errorOf(bench.drive(work()))).to.deep.include({ kind: "Terminal", outcome: "not-sent" });
    }
    expect(bench.calls()).to.equal(before);
  });
}

async function found(bench: FirewallBench): Promise<FirewallFacts> {
  const { firewall } = await bench.drive(bench.provider.survey(ASKER, "ours", []));
  if (firewall === undefined) throw new Error("the firewall is not there");
  return firewall;
}

function rule(ports: string): FirewallRuleFacts {
  return { protocol: "tcp", ports, sources: ["0.0.0.0/0", "::/0"], otherSources: false };
}
