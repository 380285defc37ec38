import { API_GROUP, GROUP_VERSION, LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type Emulator, startEmulator } from "flipop-sandbox/kubernetes";
import { after, before, describe, it } from "mocha";
import { parseAllDocuments, parse as parseYaml } from "yaml";
import { microTime } from "../../src/clock.js";
import { leaderlessText } from "../../src/commands/doctor/leases.js";
import { until } from "../support/time/until.js";
import { Flipop } from "./flipop.js";

const POOL = { apiVersion: GROUP_VERSION, kind: "FloatingIPPool" };

const LEASE = {
  ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
  metadata: { name: LEASE_NAME, namespace: "default" },
};
/** So long that a slow test does not outlast it. */
const TERM = { leaseDurationSeconds: 3600 };

function condition(type: string, status: string, reason: string, message: string) {
  return { type, status, reason, message, lastTransitionTime: "2026-01-31T12:00:00Z" };
}

describe("flipop status", () => {
  let kubernetes: Emulator;
  let flipop: Flipop;

  before(async () => {
    kubernetes = await startEmulator();
    flipop = new Flipop(kubernetes.kubeconfig());
    kubernetes.create({ ...LEASE, spec: { holderIdentity: "flipop-1", renewTime: microTime(Date.now()), ...TERM } });
    kubernetes.create({
      ...POOL,
      metadata: { name: "web", namespace: "default" },
      spec: { provider: "digitalocean", desiredIPs: 2, ips: ["203.0.113.7"] },
      status: {
        observedGeneration: 1,
        ips: { "203.0.113.7": { state: "active", nodeName: "node-1" } },
        counts: { desired: 2, active: 1, unassigned: 0, candidates: 1 },
        conditions: [
          condition("Ready", "True", "Observed", "fine"),
          condition("Fulfilled", "False", "TooFewCandidates", "1 of 2 addresses\nare active: add nodes"),
        ],
      },
    });
    kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      metadata: { name: "nodes", namespace: "default" },
      spec: { dnsRecordSet: { zone: "example.com", recordName: "nodes" } },
    });
  });

  after(async () => {
    flipop.close();
    await kubernetes.close();
  });

  it("shows each resource on one line, with its problem, and nothing else in a pipe", async () => {
    const { code, out, err } = await flipop.run("status");
    expect(out.split("\n").map((line) => line.split(/ {2,}/))).to.deep.equal([
      ["NAMESPACE", "NAME", "READY", "SERVES", "PROBLEM (NOTE)"],
      [
        ...["default", "pool/web", "True", "1/2 addresses"],
        "Fulfilled=False TooFewCandidates: 1 of 2 addresses are active: add nodes",
      ],
      [
        ...["default", "recordset/nodes", "Unknown", "-"],
        "Ready=Unknown NotObserved: the operator has not observed it: check with flipop doctor that the operator runs, then that its --features and --watch-namespaces include this resource",
      ],
      [""],
    ]);
    expect({ code, err }).to.deep.equal({ code: 0, err: "" });
  });

  it("shows in parentheses what is good with a restriction, where there is no problem, and how many addresses are disabled", async () => {
    const metadata = { name: "noted", namespace: "default" };
    const conditions = [
      condition("Ready", "True", "Observed", "fine"),
      condition("Accepted", "True", "FirewallNotFound", "no resource needs it"),
      condition("Fulfilled", "True", "HolderCordoned", "1 of 1 addresses are active; node-1 is cordoned"),
      condition("DNSReady", "True", "TTLRaised", "60"),
    ];
    const ips = {
      "203.0.113.8": { state: "active", graceSince: "2026-01-31T12:00:00Z" },
      "203.0.113.9": { state: "disabled" },
    };
    const counts = { desired: 1, active: 1, unassigned: 0, candidates: 1 };
    const status = { observedGeneration: 1, ips, counts, conditions };
    kubernetes.create({
      ...POOL,
      metadata,
      spec: { provider: "digitalocean", ips: Object.keys(ips), desiredIPs: 1 },
      status,
    });
    const { out } = await flipop.run("status", "-n", "default");
    expect(out.split("\n")[1]?.split(/ {2,}/)).to.deep.equal([
      ...["default", "pool/noted", "True", "1/1 addresses, 1 in grace, 1 disabled"],
      "(Fulfilled=True HolderCordoned: 1 of 1 addresses are active; node-1 is cordoned)",
    ]);
    const [row] = JSON.parse((await flipop.run("status", "-n", "default", "-o", "json")).out) as readonly object[];
    expect(row).to.have.property("notes").with.length(2);
    expect(row).not.to.have.property("problem");
    kubernetes.delete({ ...POOL, ...metadata });
  });

  it("adds the provider, the age and the addresses with their nodes under -o wide", async () => {
    const { out } = await flipop.run("status", "-o", "wide");
    const [head = [], pool = []] = out.split("\n").map((line) => line.split(/ {2,}/));
    expect(head.slice(4, 7)).to.deep.equal(["PROVIDER", "AGE", "ADDRESSES"]);
    expect([pool[4], pool[6]]).to.deep.equal(["digitalocean", "203.0.113.7=node-1"]);
    expect(pool[5]).to.match(/^\d+s$/);
  });

  it("prints the same facts as JSON and as YAML", async () => {
    const rows = JSON.parse((await flipop.run("status", "-o", "json")).out) as readonly object[];
    expect(rows).to.have.length(2);
    expect(rows[0]).to.deep.include({ kind: "FloatingIPPool", name: "web", ready: "True", serves: "1/2 addresses" });
    expect(parseYaml((await flipop.run("status", "-o", "yaml")).out)).to.deep.equal(rows);
  });

  it("shows one namespace only with -n, and says on the error output that nothing is there", async () => {
    const { code, out, err } = await flipop.run("status", "-n", "games");
    expect({ code, out, err }).to.deep.equal({
      code: 0,
      out: "",
      err: "flipop: namespace games has no resources of flipop, or does not exist\n",
    });
    const metadata = { name: "public" };
    const spec = { issuerRef: { name: "do", namespace: "default" } };
    kubernetes.create({ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata, spec });
    const classes = await flipop.run("status", "-n", "games");
    expect(classes.err).to.equal("flipop: namespace games has no resources of flipop, or does not exist\n");
    kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", name: "public" });
    const all = await flipop.run("status", "-n", "games", "-A");
    expect(all.out, "as with kubectl, -A counts").to.equal((await flipop.run("status")).out);
  });

  it("prints a resource again under --watch when its state changes, and ends with Ctrl-C", async () => {
    const running = await flipop.start("status", "--watch", "-o", "yaml");
    const json = await flipop.start("status", "--watch", "-o", "json");
    await until("the lists are there", () => [running, json].every(({ out }) => out.includes("NodeDNSRecordSet")));
    const ref = { ...POOL, name: "web", namespace: "default" };
    const change = (active: number) =>
      kubernetes.change(
        ref,
        (object) => ({ ...object, status: { counts: { desired: 2, active, unassigned: 0, candidates: 2 } } }),
        "status",
      );
    change(2);
    await until("the change is there", () => [running, json].every(({ out }) => out.includes("2/2 addresses")));
    const { code, out } = await running.end("SIGINT");
    expect(code).to.equal(130);
    const documents = parseAllDocuments(out).map((document) => document.toJS() as { name: string; deleted: boolean });
    expect(documents.map(({ name, deleted }) => [name, deleted])).to.deep.equal([
      ["web", false],
      ["nodes", false],
      ["web", false],
    ]);
    const lines = (await json.end("SIGINT")).out.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as object)).to.deep.equal(documents);
  });

  it("says on the error output that no operator leads, with the same exit code and the same output", async () => {
    const ref = { ...LEASE, ...LEASE.metadata };
    const led = await flipop.run("status", "-o", "json");
    expect(led).to.include({ code: 0, err: "" });
    kubernetes.change(ref, (lease) => ({ ...lease, spec: { ...TERM, holderIdentity: "" } }));
    const free = await flipop.run("status", "-o", "json");
    expect(free).to.deep.equal({
      ...led,
      err: "flipop: no operator holds its Lease, so these states may be out of date, unless one runs with --leader-elect=false: see flipop doctor\n",
    });
    const old = { ...TERM, holderIdentity: "flipop-1", renewTime: "2020-01-01T00:00:00.000000Z" };
    kubernetes.change(ref, (lease) => ({ ...lease, spec: old }));
    expect((await flipop.run("status")).err).to.match(/^flipop: no operator has renewed its Lease for \d+ \w+, so /);
    const rule = { verbs: ["list"], apiGroups: [API_GROUP], resources: ["*"] };
    const tenant = new Flipop(kubernetes.kubeconfig(kubernetes.addIdentity("no-leases", [rule])));
    expect(await tenant.run("status", "-o", "json"), "it may not read the Lease").to.deep.equal(led);
    tenant.close();
  });

  it("compares the Leases of all namespaces, by the term of each", () => {
    const lease = (renewTime: string, leaseDurationSeconds = 15) => ({
      spec: { holderIdentity: "flipop-1", renewTime, leaseDurationSeconds },
    });
    const now = Date.parse("2026-01-31T12:01:00Z");
    const [old, older] = [lease("2026-01-31T12:00:00Z"), lease("2026-01-30T12:00:00Z")];
    expect(leaderlessText([], now)).to.match(/^no operator holds its Lease, /);
    expect(leaderlessText([older, old], now)).to.match(/^no operator has renewed its Lease for 60 s, /);
    expect(leaderlessText([older, lease("2026-01-31T12:00:00Z", 60)], now)).to.equal(undefined);
  });

  it("says what is missing without the CRDs, and exits with code 1", async () => {
    const bare = await startEmulator({ definitions: [] });
    const cli = new Flipop(bare.kubeconfig());
    const { code, out, err } = await cli.run("status");
    expect({ code, out }).to.deep.equal({ code: 1, out: "" });
    expect(err).to.match(/^flipop: the cluster has none of flipop's kinds: apply the CRDs of this release .*\n$/);
    cli.close();
    await bare.close();
  });

  it("shows the kinds that may be read, and says which may not", async () => {
    const token = kubernetes.addIdentity("reader", [
      { verbs: ["list"], apiGroups: ["flipop.digitalocean.com"], resources: ["floatingippools"] },
    ]);
    const cli = new Flipop(kubernetes.kubeconfig(token));
    const { code, out, err } = await cli.run("status");
    expect(code).to.equal(0);
    expect(out).to.include("pool/web").and.not.to.include("recordset");
    expect(err).to.match(/^flipop: nodednsrecordsets are not shown: you may not list nodednsrecordsets$/m);
    cli.close();
  });

  it("says of no kind that it is empty if it may not be read, and exits with code 1 if it may read none", async () => {
    const none = new Flipop(kubernetes.kubeconfig(kubernetes.addIdentity("stranger", [])));
    for (const args of [[], ["-o", "json"], ["--watch"], ["-n", "default"]]) {
      const { code, out, err } = await none.run("status", ...args);
      expect({ code, out }, args.join(" ")).to.deep.equal({ code: 1, out: "" });
      expect(err.split("\n").filter((line) => line.includes("are not shown"))).to.have.length(5);
      expect(err).to.match(/\nflipop: none of flipop's kinds can be read: .*ClusterRole "flipop-view".*\n$/);
      expect(err).not.to.include("no resources");
    }
    none.close();
    const resources = ["clusterroutedipclasses"];
    const token = kubernetes.addIdentity("tenant", [{ verbs: ["list"], apiGroups: [API_GROUP], resources }]);
    const some = new Flipop(kubernetes.kubeconfig(token));
    const { code, out, err } = await some.run("status", "-n", "default");
    expect({ code, out }).to.deep.equal({ code: 0, out: "" });
    expect(err).to.match(/\nflipop: the kinds that can be read have no resources here\n$/);
    const metadata = { name: "shared" };
    const spec = { issuerRef: { name: "do", namespace: "default" } };
    kubernetes.create({ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata, spec });
    const listed = await some.run("status", "-n", "default");
    expect(listed.out).to.include("class/shared");
    expect(listed.err).not.to.include("has no resources of flipop");
    kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", name: "shared" });
    some.close();
  });

  it("names the kubeconfig and the remedy when no cluster answers, and exits with code 1", async () => {
    const none = new Flipop();
    expect((await none.run("status")).err).to.match(/^flipop: no cluster configured: .*\n$/);
    none.close();
    const dead = new Flipop(kubernetes.kubeconfig().replace(/127\.0\.0\.1:\d+/, "127.0.0.1:1"));
    const { code, err } = await dead.run("status");
    expect(code).to.equal(1);
    expect(err).to.match(/^flipop: .*127\.0\.0\.1:1.*: check the network, and that the kubeconfig's context/);
    dead.close();
  });
});
