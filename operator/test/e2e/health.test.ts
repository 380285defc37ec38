import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Condition, FloatingIPPoolStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type HealthAnswer, healthOrSkip, judgeHealth } from "flipop-testbed";
import { before, describe, it } from "mocha";
import { parse } from "yaml";
import { DOMAIN } from "./support/clouds.js";
import type { Stored } from "./support/resource.js";
import { useWorlds } from "./support/worlds.js";

const SCRIPTS = resolve(import.meta.dirname, "../../../docs/how-to/gitops/argocd-cm.yaml");
const DESIRED = 2;
const SUMMARY = ["Ready", "Reconciling", "Stalled"];

type Version = Stored<FloatingIPPoolStatus>;

interface Judged extends HealthAnswer {
  readonly version: Version;
}

function script(): string {
  const { data } = parse(readFileSync(SCRIPTS, "utf8")) as { readonly data: Readonly<Record<string, string>> };
  return data["resource.customizations.health.flipop.digitalocean.com_FloatingIPPool"] ?? "";
}

async function judged(versions: readonly Version[]): Promise<readonly Judged[]> {
  const answers = await judgeHealth(versions.map((object) => ({ object, script: script() })));
  return answers.map((answer, index) => ({ ...answer, version: versions[index] as Version }));
}

function conditionOf({ status }: Version, type: string): Condition | undefined {
  return status?.conditions?.find((one) => one.type === type);
}

/** Addresses that serve, as this version of the status has them. */
function serving({ status }: Version): readonly string[] {
  const entries = Object.entries(status?.ips ?? {});
  return entries.flatMap(([ip, { state, reason }]) => (state === "active" && reason === undefined ? [ip] : []));
}

describe("the health of a pool, for kstatus, Flux and Argo CD", function () {
  this.timeout(180_000);
  const worlds = useWorlds();
  before(async function () {
    await healthOrSkip(this);
  });

  it("is good in no version of the object in which fewer addresses serve than desired", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b"]);
    const pool = await world.pool("web", {
      desiredIPs: DESIRED,
      dnsRecordSet: { zone: DOMAIN, recordName: "health" },
    });
    const recorder = await pool.record();
    await world.start(["--resync=1"]);
    await pool.is("Ready", "True");

    // A node is lost, and no other one is there.
    const [ip = ""] = Object.keys((await pool.status()).ips ?? {});
    await world.fleet.holderOf(ip)?.node.setReady(false);
    await pool.is("Ready", "False TooFewCandidates");
    await pool.is("Reconciling", "True TooFewCandidates");

    // Paused, it stays so, although a node is there.
    await pool.edit({ paused: true });
    await pool.is("Ready", "False Paused");
    await pool.is("Stalled", "True Paused");
    expect((await pool.conditionOf("Ready"))?.message).to.contain("1 of 2");
    await world.fleet.add("c");
    await world.rounds();
    await pool.is("Ready", "False Paused");
    await pool.edit({ paused: false });
    await pool.is("Ready", "True");

    // More addresses than nodes.
    await pool.edit({ desiredIPs: DESIRED + 1 });
    await pool.is("Ready", "False TooFewCandidates");
    await pool.edit({ desiredIPs: DESIRED });
    await pool.is("Ready", "True");

    const versions = await judged(await recorder.stop());
    const current = versions.filter(({ kstatus }) => kstatus === "Current");
    expect(current, "versions that are Current").not.to.be.empty;
    for (const { version, argo } of current) {
      const { metadata, spec, status } = version;
      const shown = JSON.stringify({ metadata: { ...metadata, managedFields: undefined }, spec, status });
      expect(serving(version).length, shown).to.be.at.least(Number(spec["desiredIPs"]));
      expect(status?.dns?.values, shown).to.have.members(serving(version));
      expect(argo, shown).to.equal("Healthy");
    }
    for (const { version, kstatus, argo } of versions.filter((one) => one.kstatus !== "Current")) {
      expect(argo, `${kstatus}: ${JSON.stringify(version.status)}`).not.to.equal("Healthy");
    }
    expect(versions[0]?.kstatus, "before the operator has seen it").to.equal("InProgress");
    expect(versions.map(({ argo }) => argo)).to.include.members(["Progressing", "Healthy", "Suspended"]);
  });

  it("comes from exactly one True condition, and all conditions have the generation that was observed", async () => {
    const world = await worlds.create();
    await world.fleet.add("a");
    const pool = await world.pool("web", { desiredIPs: 1 });
    const recorder = await pool.record();
    await world.start();
    await pool.is("Ready", "True");
    await pool.edit({ provider: "nowhere" });
    await pool.is("Stalled", "True UnknownProvider");
    const versions = await recorder.stop();
    for (const version of versions.filter(({ status }) => status?.conditions !== undefined)) {
      const shown = JSON.stringify(version.status);
      const summary = SUMMARY.map((type) => conditionOf(version, type)?.status);
      expect(
        summary.filter((status) => status === "True"),
        shown,
      ).to.have.length(1);
      for (const { observedGeneration } of version.status?.conditions ?? []) {
        expect(observedGeneration, shown).to.equal(version.status?.observedGeneration);
      }
    }
    const [last] = await judged(versions.slice(-1));
    expect(last).to.include({ kstatus: "Failed", argo: "Degraded" });
  });
});
