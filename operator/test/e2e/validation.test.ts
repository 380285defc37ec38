/** Specs that our kinds refuse, stored under the Go operator's looser ones before ours came. */

import type { ConditionType } from "cdk8s-flipop/api";
import { expect } from "chai";
import { before, describe, it } from "mocha";
import { DOMAIN } from "./support/clouds.js";
import { installGoKinds } from "./support/go-operator.js";
import { installKinds } from "./support/install.js";
import type { PoolResource, RecordSetResource } from "./support/resource.js";
import { spareOne } from "./support/spare.js";
import type { World } from "./support/world.js";
import { useWorlds } from "./support/worlds.js";

interface Mistake {
  readonly name: string;
  readonly spec: unknown;
  /** Condition, status and reason. */
  readonly says: readonly [type: ConditionType, value: string];
  /** Part of condition, Event and `status.error`: the value seen. */
  readonly names: string;
  /** The mistake leaves the address alone: one of the account is listed, which gets a node. */
  readonly served?: true;
}

const IPS = ["192.0.2.1"];
const ours = { provider: "digitalocean" };
const records = { recordName: "bad", zone: DOMAIN };

const POOLS: readonly Mistake[] = [
  {
    name: "unknown-provider",
    spec: { provider: "nowhere", desiredIPs: 1 },
    says: ["Accepted", "False UnknownProvider"],
    names: "nowhere",
  },
  {
    name: "provider-without-ips",
    spec: { provider: "cloudflare", desiredIPs: 1 },
    says: ["Accepted", "False Unsupported"],
    names: "cloudflare",
  },
  {
    name: "unknown-dns-provider",
    spec: { ...ours, dnsRecordSet: { ...records, provider: "nowhere" } },
    says: ["DNSReady", "False UnknownProvider"],
    names: "nowhere",
    served: true,
  },
  { name: "no-addresses", spec: ours, says: ["Accepted", "False Invalid"], names: "desiredIPs" },
  { name: "no-spec", spec: undefined, says: ["Accepted", "False Invalid"], names: "spec" },
  {
    name: "bad-node-selector",
    spec: { ...ours, ips: IPS, match: { nodeLabel: "a b" } },
    says: ["Accepted", "False Invalid"],
    names: "a b",
  },
  {
    name: "bad-pod-selector",
    spec: { ...ours, ips: IPS, match: { podLabel: "=x=" } },
    says: ["Accepted", "False Invalid"],
    names: "=x=",
  },
  {
    name: "missing-zone",
    spec: { ...ours, ips: IPS, dnsRecordSet: { recordName: "bad" } },
    says: ["Accepted", "False Invalid"],
    names: "zone",
  },
  {
    name: "missing-record-name",
    spec: { ...ours, ips: IPS, dnsRecordSet: { zone: DOMAIN } },
    says: ["Accepted", "False Invalid"],
    names: "recordName",
  },
  {
    name: "mixed-families",
    spec: { ...ours, ips: [...IPS, "2001:db8::1"] },
    says: ["Accepted", "False Invalid"],
    names: "2001:db8::1",
  },
  {
    name: "no-address-at-all",
    spec: { ...ours, ips: ["ingress.example.com"] },
    says: ["Accepted", "False Invalid"],
    names: "ingress.example.com",
  },
  {
    name: "a-leading-zero",
    spec: { ...ours, ips: ["01.2.3.4"] },
    says: ["Accepted", "False Invalid"],
    names: "01.2.3.4",
  },
  { name: "too-many", spec: { ...ours, desiredIPs: 5000 }, says: ["Accepted", "False Invalid"], names: "5000" },
];

const RECORD_SETS: readonly Mistake[] = [
  {
    name: "unknown-provider",
    spec: { provider: "nowhere", dnsRecordSet: records },
    says: ["Accepted", "False UnknownProvider"],
    names: "nowhere",
  },
  { name: "no-record-set", spec: ours, says: ["Accepted", "False Invalid"], names: "dnsRecordSet" },
  {
    name: "missing-zone",
    spec: { ...ours, dnsRecordSet: { recordName: "bad" } },
    says: ["Accepted", "False Invalid"],
    names: "zone",
  },
  {
    name: "missing-record-name",
    spec: { ...ours, dnsRecordSet: { zone: DOMAIN } },
    says: ["Accepted", "False Invalid"],
    names: "recordName",
  },
  {
    name: "bad-selector",
    spec: { ...ours, match: { podLabel: "=" }, dnsRecordSet: records },
    says: ["Accepted", "False Invalid"],
    names: "podLabel",
  },
  {
    name: "bad-address-type",
    spec: { ...ours, addressType: "Hostname", dnsRecordSet: records },
    says: ["Accepted", "False Invalid"],
    names: "Hostname",
  },
  {
    name: "negative-ttl",
    spec: { ...ours, dnsRecordSet: { ...records, ttl: -5 } },
    says: ["Accepted", "False Invalid"],
    names: "-5",
  },
];

describe("mistakes stored under the Go operator's kinds", function () {
  this.timeout(180_000);
  const worlds = useWorlds({ own: true, prepare: (plane) => installGoKinds(plane.client()) });
  let world: World;
  let good: PoolResource;

  before(async () => {
    world = await worlds.keep();
    await world.fleet.addAll(["a", "b", "c", "d"]);
    for (const { name, spec, served } of POOLS) {
      const listed = served === true ? { ...(spec as object), ips: [spareOne(world)] } : spec;
      await world.put("floatingippools", "FloatingIPPool", name, listed);
    }
    for (const { name, spec } of RECORD_SETS) await world.put("nodednsrecordsets", "NodeDNSRecordSet", name, spec);
    good = await world.pool("good", { ips: [spareOne(world)] });
    const match = { nodeLabel: world.fleet.nodeLabel, tolerations: [{ key: "a", operator: "Sometimes" }] };
    await world.put("floatingippools", "FloatingIPPool", "idle-toleration", { ...ours, ips: [spareOne(world)], match });
    const listed = spareOne(world);
    await world.pool("twice", { ips: [listed, listed] });
    await installKinds(world.client);
    await world.start(["--resync=1"]);
  });

  const reports = async (resource: PoolResource | RecordSetResource, { says: [type, value], names }: Mistake) => {
    await resource.is(type, value);
    expect((await resource.conditionOf(type))?.message, "the condition").to.include(names);
    await resource.until(
      "status.error to say it",
      async () => (await resource.status()).error?.includes(names) === true,
    );
    await resource.reports(names);
    const [event] = (await resource.events()).filter(({ note }) => note.includes(names));
    expect(event?.type).to.equal("Warning");
  };

  for (const mistake of POOLS) {
    it(`FloatingIPPool ${mistake.name}: condition, Event and status.error say it`, () =>
      reports(world.poolNamed(mistake.name), mistake));
  }
  for (const mistake of RECORD_SETS) {
    it(`NodeDNSRecordSet ${mistake.name}: condition, Event and status.error say it`, () =>
      reports(world.recordSetNamed(mistake.name), mistake));
  }

  it("each is in the metrics", async () => {
    const shown = ([kind, mistakes]: readonly [string, readonly Mistake[]]) =>
      mistakes.map(({ name, says: [type] }) => {
        const labels = `kind="${kind}",namespace="${world.namespace}",name="${name}",type="${type}"`;
        return `flipop_resource_condition{${labels}} 0`;
      });
    const expected = [["FloatingIPPool", POOLS] as const, ["NodeDNSRecordSet", RECORD_SETS] as const].flatMap(shown);
    await world.operator.until("it to count them", async () => {
      const lines = new Set((await world.operator.metrics()).split("\n"));
      return expected.every((line) => lines.has(line));
    });
  });

  it("reports a toleration that tolerates nothing, and serves the rest", async () => {
    const pool = world.poolNamed("idle-toleration");
    await pool.is("Accepted", "True Invalid");
    expect((await pool.conditionOf("Accepted"))?.message).to.include("Sometimes");
    await pool.reports("Sometimes");
    await pool.is("Fulfilled", "True");
  });

  it("an address that is listed twice counts once, and is said", async () => {
    await world.poolNamed("twice").is("Accepted", "True DuplicateAddress");
    await world.poolNamed("twice").reports("counts once");
    await world.poolNamed("twice").is("Fulfilled", "True");
  });

  it("the operator lives, the good pool is served, and no mistake reached a cloud", async () => {
    await good.is("Fulfilled", "True");
    await world.rounds();
    expect(world.operator.exit).to.equal(undefined);
    expect((await world.operator.healthz())?.status).to.equal(200);
    expect(await world.operator.metric("controller_runtime_reconcile_panics_total")).to.equal(0);
    const other = world.changes().filter((change) => !/^POST \/v2\/reserved_ips\/[\d.]+\/actions$/.test(change));
    expect(other).to.deep.equal([]);
    expect(world.clouds.published("bad")).to.deep.equal([]);
  });

  it("a mended one is served", async () => {
    const mended = world.poolNamed("bad-node-selector");
    await world.fleet.add("e");
    await mended.edit({ ips: [spareOne(world)], match: { nodeLabel: world.fleet.nodeLabel } });
    await mended.is("Fulfilled", "True");
    await mended.says("no error", ({ error }) => error === undefined || error === "");
  });
});
