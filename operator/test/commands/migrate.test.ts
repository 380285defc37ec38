import { type Condition, Finalizer, GROUP_VERSION, LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type Emulator, startEmulator } from "flipop-sandbox/kubernetes";
import { after, before, describe, it } from "mocha";
import { microTime, systemClock } from "../../src/clock.js";
import { changeFindings, leaseFinding } from "../../src/commands/migrate/findings.js";
import { Flipop } from "./flipop.js";

const MATCH = { nodeLabel: "pool=work" };

describe("flipop migrate", () => {
  let kubernetes: Emulator;
  let flipop: Flipop;
  /** ms. The older of two resources owns what both ask for, so their ages must differ by whole seconds. */
  let passed = 0;

  function create(kind: string, name: string, { finalizers, ...more }: { finalizers?: string[]; spec: object }) {
    const metadata = { name, namespace: "default", ...(finalizers && { finalizers }) };
    kubernetes.create({ ...{ apiVersion: GROUP_VERSION, kind, metadata }, ...more });
  }

  function lease(namespace: string): void {
    kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const metadata = { name: LEASE_NAME, namespace };
    kubernetes.create({
      ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata },
      spec: { holderIdentity: "go-1", renewTime: microTime(Date.now()), leaseDurationSeconds: 3600 },
    });
  }

  before(async () => {
    kubernetes = await startEmulator({ clock: { ...systemClock, now: () => Date.now() + passed } });
    flipop = new Flipop(kubernetes.kubeconfig());
    lease("flipop");
    const dnsRecordSet = { zone: "example.com", recordName: "www" };
    const web = { provider: "digitalocean", match: MATCH, dnsRecordSet, ips: ["192.0.2.1", "192.0.2.2"] };
    create("FloatingIPPool", "web", { spec: { ...web, desiredIPs: 4 } });
    kubernetes.change(
      { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "default", name: "web" },
      (pool) => ({
        ...pool,
        status: { ips: { "192.0.2.1": { state: "active", nodeName: "node-1" }, "192.0.2.2": { state: "unassigned" } } },
      }),
      "status",
    );
  });

  after(async () => {
    flipop.close();
    await kubernetes.close();
  });

  const findings = async (...args: readonly string[]) => {
    const { code, out } = await flipop.run("migrate", ...args, "-o", "json");
    const found = JSON.parse(out) as readonly { check: string; result: string; seen: string }[];
    return { code, texts: found.map(({ check, result, seen }) => `${result} ${check}: ${seen}`) };
  };

  it("check shows where to install the operator, and what it would do at once", async () => {
    const { code, texts } = await findings("check");
    expect(texts).to.include("ok Lease: namespace flipop (go-1): install this operator in namespace flipop");
    expect(texts).to.include("warning FloatingIPPool default/web: it creates 2 addresses, which the provider bills");
    expect(texts).to.include("warning FloatingIPPool default/web: its records get a TTL of 60 s");
    expect(code).to.equal(0);
  });

  it("check counts a Lease only as long as somebody renews it", () => {
    const now = Date.parse("2026-01-31T12:01:00Z");
    const lease = (namespace: string, holderIdentity: string, renewTime: string) => ({
      metadata: { namespace },
      spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 },
    });
    const [recent, past] = ["2026-01-31T12:00:50Z", "2026-01-31T12:00:00Z"];
    const of = (...leases: readonly ReturnType<typeof lease>[]) => {
      const { result, seen } = leaseFinding(leases, now);
      return `${result}: ${seen}`;
    };
    const left = lease("left", "", past);
    expect(of(left, lease("flipop", "go-1", recent))).to.equal(
      "ok: namespace left (free); namespace flipop (go-1): install this operator in namespace flipop",
    );
    expect(of(left, lease("flipop", "", past))).to.equal("warning: namespace left (free); namespace flipop (free)");
    expect(of(lease("left", "ips-1", past), lease("flipop", "go-1", recent))).to.match(
      /^ok: namespace left \(ips-1, expired\); /,
    );
    expect(of(lease("flipop", "", past))).to.equal(
      "ok: namespace flipop (free): install this operator in namespace flipop",
    );
    expect(of(lease("two", "ips-1", recent), lease("flipop", "go-1", recent))).to.match(/^problem: /);
  });

  it("check expects these changes only from pools", () => {
    const spec = { desiredIPs: 2, dnsRecordSet: { zone: "example.com", recordName: "www" } };
    const kinds = ["FloatingIPPool", "NodeDNSRecordSet"].map((kind) => {
      const metadata = { name: "web", namespace: "default", uid: "1", resourceVersion: "1" };
      return changeFindings([{ kind, object: { metadata, spec } }]).length;
    });
    expect(kinds).to.deep.equal([2, 0]);
  });

  it("addresses and names print one line each, to compare before and after", async () => {
    expect((await flipop.run("migrate", "addresses")).out).to.equal(
      "default/web 192.0.2.1 node-1 active\ndefault/web 192.0.2.2 - unassigned\n",
    );
    expect((await flipop.run("migrate", "names")).out).to.equal("www.example.com FloatingIPPool/default/web\n");
  });

  it("addresses and names refuse a form of output that they do not have", async () => {
    for (const step of ["addresses", "names"]) {
      const { code, out, err } = await flipop.run("migrate", step, "-o", "json");
      expect({ code, out }).to.deep.equal({ code: 2, out: "" });
      expect(err).to.equal(`flipop: --output: ${step} prints lines of text only: leave the option out\n`);
    }
  });

  it("check finds addresses and names with two owners, foreign finalizers, and a second operator", async () => {
    passed += 1000;
    create("FloatingIPPool", "other", {
      finalizers: ["example.com/theirs", Finalizer.cleanup],
      spec: { provider: "digitalocean", match: MATCH, ips: ["192.0.2.2"] },
    });
    create("NodeDNSRecordSet", "nodes", {
      spec: { provider: "digitalocean", match: MATCH, dnsRecordSet: { zone: "example.com.", recordName: "WWW" } },
    });
    lease("second");
    const { code, texts } = await findings("check");
    expect(texts).to.include("problem FloatingIPPool default/other: 192.0.2.2 belongs to FloatingIPPool default/web");
    expect(texts).to.include(
      "problem NodeDNSRecordSet default/nodes: www.example.com (A) belongs to FloatingIPPool default/web",
    );
    expect(texts).to.include("warning FloatingIPPool default/other: it has example.com/theirs");
    expect(texts).to.include("problem Lease: namespace flipop (go-1); namespace second (go-1)");
    expect(code).to.equal(1);
  });

  it("back shows what the Go operator drops, and what must end first", async () => {
    kubernetes.change(
      { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "default", name: "web" },
      (pool) => ({
        ...pool,
        spec: { ...(pool["spec"] as object), gracePeriodSeconds: 30, maxMovesPerMinute: 60, holderLabel: true },
      }),
    );
    const pendingCreation = { startedAt: "2026-01-01T00:00:00Z", provider: "digitalocean", family: "IPv4" };
    kubernetes.change(
      { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "default", name: "web" },
      (pool) => ({
        ...pool,
        status: { conditions: [] satisfies Condition[], pendingCreation },
      }),
      "status",
    );
    kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass" },
      metadata: { name: "shared", finalizers: [Finalizer.inUse] },
      spec: { issuerRef: { name: "digitalocean", namespace: "flipop" } },
    });
    const { code, texts } = await findings("back");
    expect(texts).to.deep.equal([
      "problem FloatingIPPool default/other: it has example.com/theirs, flipop.digitalocean.com/cleanup",
      "problem ClusterRoutedIPClass shared: it has flipop.digitalocean.com/in-use",
      "problem FloatingIPPool default/web: the creation of 2026-01-01T00:00:00Z is open",
      "warning FloatingIPPool default/web: the Go operator drops gracePeriodSeconds, maxMovesPerMinute, holderLabel",
    ]);
    expect(code).to.equal(1);
  });

  it("works with the CRDs of the Go operator, which lack kinds and fields", async () => {
    const goKinds = ["floatingippools", "nodednsrecordsets"];
    const reader = kubernetes.addIdentity("reader", [
      { apiGroups: ["flipop.digitalocean.com"], resources: goKinds, verbs: ["list"] },
    ]);
    const limited = new Flipop(kubernetes.kubeconfig(reader));
    expect((await limited.run("migrate", "addresses")).code).to.equal(0);
    const { code, err } = await limited.run("migrate", "check");
    expect(code).to.equal(1);
    expect(err).to.match(/forbidden/);
    const back = await limited.run("migrate", "back");
    expect(back.err, "a RoutedIP may be there").to.match(/routedips can't be read: you may not list routedips/);
    expect(back).to.include({ code: 1, out: "" });
    limited.close();
    expect((await flipop.run("migrate", "chekc")).err).to.include(
      '"chekc" is no step: use check, back, addresses, names',
    );
  });
});
