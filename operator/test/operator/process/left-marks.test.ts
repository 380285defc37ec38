import { createHash } from "node:crypto";
import { HOLDER_LABEL_PREFIX, holderLabelKey, UNTIL_ASSIGNED_PREFIX } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { inWorld, type World } from "../world.js";

const NODE = { apiVersion: "v1", kind: "Node", name: "node-1" };
const FOREIGN = { key: "example.com/dedicated", effect: "NoSchedule" };
const LONG = "x".repeat(60);

function longKey(name: string): string {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
  return holderLabelKey({ kind: "FloatingIPPool", namespace: "default", name }, sha256);
}

function labels(...keys: readonly string[]) {
  return Object.fromEntries(keys.map((key) => [key, "true"]));
}

function taints(...keys: readonly string[]) {
  return keys.map((key) => ({ key, effect: "NoSchedule" }));
}

function mark(world: World, marks: { readonly labels: object; readonly taints: readonly object[] }): void {
  world.addNode(NODE.name, { labels: { pool: "work" } });
  world.change(NODE, "metadata", { labels: { pool: "work", ...marks.labels } });
  world.change(NODE, "spec", { taints: [FOREIGN, ...marks.taints] });
}

function seen({ kubernetes }: World) {
  const { metadata, spec } = kubernetes.get(NODE) as unknown as {
    readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
    readonly spec: { readonly taints?: readonly { readonly key: string }[] };
  };
  return [...Object.keys(metadata.labels ?? {}), ...(spec.taints ?? []).map(({ key }) => key)].filter(
    (key) => !key.includes("kubernetes.io/"),
  );
}

describe("operator in process: labels and taints that are left on nodes", function () {
  this.timeout(240_000);

  it("removes those of pools and RoutedIPs that are gone, and no others", () =>
    inWorld({}, async (world) => {
      const match = { nodeLabel: "pool=none" };
      const [ip = "", another = ""] = world.addAddresses(2);
      world.addPool("there", { ips: [ip], holderLabel: true, untilAssigned: true, paused: true, match });
      world.addPool(LONG, { ips: [another], holderLabel: true, paused: true, match });
      const kept = [`${HOLDER_LABEL_PREFIX}fip.default.there`, longKey(LONG), `${HOLDER_LABEL_PREFIX}new.default.gone`];
      const gone = [`${HOLDER_LABEL_PREFIX}fip.default.gone`, longKey(`${LONG}y`), `${HOLDER_LABEL_PREFIX}rip.a.b.c`];
      const waits = [`${UNTIL_ASSIGNED_PREFIX}fip.default.there`, `${UNTIL_ASSIGNED_PREFIX}new.default.gone`];
      const left = [`${UNTIL_ASSIGNED_PREFIX}fip.default.gone`, `${UNTIL_ASSIGNED_PREFIX}rip.a.b.c`];
      const other = { [`${HOLDER_LABEL_PREFIX}fip.default.strange`]: "own" };
      mark(world, { labels: { ...labels(...kept, ...gone), ...other }, taints: taints(...waits, ...left) });
      world.start();
      await world.until("cleaned", () => ![...gone, ...left].some((key) => seen(world).includes(key)));
      await world.rest();
      expect(seen(world)).to.have.members(["pool", ...kept, ...Object.keys(other), FOREIGN.key, ...waits]);
      expect(world.complaints).to.deep.equal([]);
    }));

  it("leaves those of kinds and namespaces that it does not serve", () =>
    inWorld({}, async (world) => {
      const keys = ["fip.elsewhere.gone", "rip.default.gone", `fip.${"n".repeat(60)}`].map((key) => key.slice(0, 52));
      mark(world, {
        labels: labels(...keys.map((key) => `${HOLDER_LABEL_PREFIX}${key}`)),
        taints: taints(...keys.map((key) => `${UNTIL_ASSIGNED_PREFIX}${key}`.slice(0, 80))),
      });
      const before = seen(world);
      world.start({ features: "pools", "watch-namespaces": "default" });
      await world.clock.sleep(120_000);
      await world.rest();
      expect(seen(world)).to.have.members(before);
    }));
});
