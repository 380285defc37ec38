import { customResourceDefinitions, GROUP_VERSION, LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import type { AllowRule } from "flipop-sandbox/kubernetes";
import { after, before, describe, it } from "mocha";
import { microTime } from "../../../src/clock.js";
import { type Definition, definitionFindings, endpointFindings } from "../../../src/commands/doctor/definitions.js";
import { Flipop } from "../flipop.js";
import { DoctorWorld } from "./doctor-world.js";

const LEASE = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
const ISSUER = { apiVersion: GROUP_VERSION, kind: "RoutedIPIssuer" };
const READ: AllowRule = { verbs: ["get", "list", "create"], apiGroups: ["*"], resources: ["*"] };

describe("flipop doctor", () => {
  let world: DoctorWorld;
  before(async () => {
    world = await DoctorWorld.start();
  });
  after(() => world.close());

  function lease(namespace: string, holderIdentity: string, renewTime: string, annotations = {}) {
    const spec = { holderIdentity, renewTime, leaseDurationSeconds: 15 };
    world.kubernetes.create({ ...LEASE, metadata: { name: LEASE_NAME, namespace, annotations }, spec });
  }

  it("finds CRDs that are missing or older than the release, and names the first field that is missing", async () => {
    const { code, of } = await world.doctor([]);
    expect(code).to.equal(1);
    expect(of("CRD FloatingIPPool")[0]).to.include({ result: "problem" });
    expect(of("CRD FloatingIPPool")[0]?.seen).to.match(
      /^older than release .*: it lacks spec\.nodePreference \(installed 20/,
    );
    expect(of("CRD RoutedIP")[0]).to.include({ result: "ok" });
    expect(of("CRD ClusterRoutedIPClass")[0]).to.include({ result: "problem", seen: "it is not installed" });
    expect(of("CRD ClusterRoutedIPClass")[0]?.remedy).to.match(/^apply the CRDs/);
  });

  it("names a field of the spec where a CRD lacks also apiVersion, which the API server knows by itself", () => {
    const [pools] = customResourceDefinitions() as unknown as readonly Definition[];
    const without = (...lacking: readonly string[]) => {
      const text = JSON.stringify(pools, (key, value: unknown) => (lacking.includes(key) ? undefined : value));
      return definitionFindings([JSON.parse(text) as Definition])[0];
    };
    expect(without("apiVersion", "nodePreference")?.seen).to.include(": it lacks spec.nodePreference (installed");
    expect(without("apiVersion")).to.include({ check: "CRD FloatingIPPool", result: "ok" });
  });

  it("finds a CRD that is being deleted, though it has every field", () => {
    const metadata = { deletionTimestamp: "2026-11-25T10:00:00Z", creationTimestamp: "2026-11-01T10:00:00Z" };
    const installed = customResourceDefinitions().map((one) => {
      const gone = one.metadata.name.startsWith("floatingippools.");
      return { ...one, metadata: { ...one.metadata, ...(gone && metadata) } } as unknown as Definition;
    });
    const [pools, ...others] = definitionFindings(installed);
    expect(pools).to.include({ check: "CRD FloatingIPPool", result: "problem" });
    expect(pools?.seen).to.equal(
      "somebody deleted it on 2026-11-25, so Kubernetes deletes all its resources, and takes no new ones",
    );
    expect(pools?.remedy).to.match(/^nothing ends the deletion: save .* \(kubectl get floatingippools -A -o yaml\)/);
    expect(others.every(({ result }) => result === "ok")).to.equal(true);
  });

  it("finds that the CRD of external-dns is missing, only where the feature needs it", async () => {
    expect((await world.doctor([])).of("CRD DNSEndpoint")).to.deep.equal([]);
    const [missing] = (await world.doctor(["--features", "pools,dns,externaldns"])).of("CRD DNSEndpoint");
    expect(missing).to.include({ result: "problem" });
    expect(missing?.remedy).to.contain("install the CRD of external-dns");
    const installed = [{ metadata: { name: "dnsendpoints.externaldns.k8s.io" } }];
    expect(endpointFindings(installed, ["externaldns"])[0]?.result).to.equal("ok");
  });

  it("finds who leads, who has stopped renewing, another operator, and the stop", async () => {
    expect((await world.doctor([])).of("leader")[0]?.seen).to.equal("namespace flipop has no Lease");
    lease("flipop", "flipop-1", "2020-01-01T00:00:00.000000Z", { "flipop.digitalocean.com/stop": "lunch" });
    lease("other", "flipop-2", microTime(Date.now()));
    const { of } = await world.doctor([]);
    expect(of("leader")[0]?.seen).to.match(/^flipop-1 has not renewed the Lease for \d+ h$/);
    expect(of("stopped")[0]).to.include({ result: "warning", seen: "a person has stopped the operator: lunch" });
    expect(of("another operator")[0]?.seen).to.equal(
      "another operator leads in namespace other (flipop-2); its pod, which shows what it manages, can't be read",
    );
    const [own] = (await world.doctor(["-n", "other"])).of("leader");
    expect(own).to.include({ result: "ok" });
    expect(own?.seen).to.match(/^flipop-2, renewed/);
  });

  it("finds a problem if two operators lead and manage the same resources, by the flags and variables of their pods", async () => {
    const pod = (namespace: string, holder: string, container: object) => {
      const metadata = { name: holder.replace(/_.*/, ""), namespace };
      const spec = { containers: [{ name: "flipop", image: "flipop", ...container }] };
      world.kubernetes.create({ apiVersion: "v1", kind: "Pod", metadata, spec });
      world.kubernetes.change({ ...LEASE, name: LEASE_NAME, namespace }, (object) => ({
        ...object,
        spec: { holderIdentity: holder, renewTime: microTime(Date.now()), leaseDurationSeconds: 3600 },
      }));
      return { apiVersion: "v1", kind: "Pod", ...metadata };
    };
    const found = async (own: object, other: object) => {
      const pods = [pod("flipop", "ips-1_a", own), pod("other", "ips-2_b", other)];
      const [finding] = (await world.doctor([])).of("another operator");
      for (const ref of pods) world.kubernetes.delete(ref);
      return `${finding?.result}: ${finding?.seen}`;
    };
    const args = (...flags: readonly string[]) => ({ args: flags });
    const leads = "another operator leads in namespace other (ips-2_b)";
    expect(await found({}, {})).to.equal(`problem: ${leads}, and manages the same resources`);
    expect(await found(args("--watch-namespaces=a,b"), args("--watch-namespaces", "b"))).to.match(/^problem: /);
    const env = [{ name: "FLIPOP_WATCH_NAMESPACES", value: "c" }];
    const others = `ok: ${leads}, and manages other resources`;
    expect(await found(args("--watch-namespaces=a,b"), { env })).to.equal(others);
    expect(await found(args("--watch-namespaces=a,b"), {})).to.match(/^problem: /);
    expect(await found(args("--features=pools"), args("--features=dns,healthchecks"))).to.equal(others);
    const settings = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "settings", namespace: "other" } };
    world.kubernetes.create({ ...settings, data: { watch: "c", FLIPOP_WATCH_NAMESPACES: "d" } });
    const valueFrom = { configMapKeyRef: { name: "settings", key: "watch" } };
    const byKey = { env: [{ name: "FLIPOP_WATCH_NAMESPACES", valueFrom }] };
    const byMap = { envFrom: [{ configMapRef: { name: "settings" } }] };
    for (const from of [byKey, byMap]) {
      expect(await found(args("--watch-namespaces=a,b"), from)).to.equal(others);
      expect(await found(args("--watch-namespaces=c,d"), from)).to.match(/^problem: /);
    }
    const lost = { envFrom: [{ configMapRef: { name: "lost" } }] };
    const unknown = "its ConfigMap lost, which may set what it manages, can't be read";
    expect(await found({}, lost)).to.equal(`warning: ${leads}; ${unknown}`);
    const secret = { valueFrom: { secretKeyRef: { name: "settings", key: "watch" } } };
    const bySecret = { env: [{ name: "FLIPOP_FEATURES", ...secret }] };
    expect(await found({}, bySecret)).to.match(/^warning: .*; its FLIPOP_FEATURES is not from a ConfigMap/);
    expect(await found(lost, {})).to.equal(`warning: ${leads}; of the operator in namespace flipop: ${unknown}`);
  });

  it("asks for every right of the operator, and names those that are missing", async () => {
    const all = await world.doctor([]);
    expect(all.of("rights")[0]?.seen).to.match(/^the user of the kubeconfig has all \d+ rights$/);
    const token = world.kubernetes.addIdentity("narrow", [READ]);
    const [rights] = (await world.doctor(["--features=pools", "--watch-namespaces=a,b"], {}, token)).of("rights");
    expect(rights).to.include({ result: "problem" });
    expect(rights?.seen).to.include("patch floatingippools.flipop.digitalocean.com in a;");
    expect(rights?.seen)
      .to.include("watch nodes")
      .and.to.include(`update leases.coordination.k8s.io "${LEASE_NAME}" in flipop`);
    expect(rights?.seen).not.to.include("routedips");
  });

  it("asks for the rights in the namespaces of pods, issuers and Jobs that the operator has", async () => {
    const token = world.kubernetes.addIdentity("lists", [READ]);
    const lists = ["--pod-namespaces=web,shop", "--issuer-namespaces=keys", "--job-namespaces=work"];
    const [rights] = (await world.doctor(["--features=routedip,jobs", ...lists], {}, token)).of("rights");
    expect(rights?.seen).to.include("watch pods in web;").and.include("watch pods in shop;");
    expect(rights?.seen).to.include("watch secrets in keys;").and.include("delete jobs.batch in work;");
    expect(rights?.seen).not.to.match(/watch pods;|flipop-jobs|secrets in flipop/);
  });

  it("says what it may not read, and checks the rest", async () => {
    const rule = { verbs: ["list"], apiGroups: [""], resources: ["nodes"] };
    const { of } = await world.doctor([], {}, world.kubernetes.addIdentity("nodes", [rule]));
    expect(of("CRDs")[0]).to.include({ result: "unknown" });
    expect(of("nodes")[0]).to.include({ result: "warning", seen: "the cluster has no nodes" });
  });

  it("names the issuers that the operator refuses, with the reason", async () => {
    expect((await world.doctor([])).of("issuers")[0]).to.include({ result: "ok", seen: "there are none" });
    for (const [name, status] of [
      ["good", "True"],
      ["bad", "False"],
    ] as const) {
      const metadata = { name, namespace: "other" };
      const said = { reason: "Unauthorized", message: "replace the token", lastTransitionTime: "2026-01-01T00:00:00Z" };
      const conditions = [{ type: "Accepted", status, ...said }];
      const spec = { provider: "digitalocean", region: "nyc3" };
      world.kubernetes.create({ ...ISSUER, metadata, spec, status: { conditions } });
    }
    const { code, of } = await world.doctor([]);
    expect(code).to.equal(1);
    expect(of("RoutedIPIssuer other/good")).to.deep.equal([]);
    expect(of("RoutedIPIssuer other/bad")[0]).to.deep.include({
      ...{ result: "problem", seen: "Unauthorized: replace the token" },
      remedy: "run kubectl -n other describe routedipissuers bad, which shows all conditions",
    });
  });

  it("reads issuers where the operator reads them, in the namespaces of resources and of Secrets", async () => {
    const resources = ["routedipissuers", "clusterroutedipclasses"];
    const spec = { provider: "digitalocean" };
    world.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "games" } });
    world.kubernetes.create({ ...ISSUER, metadata: { name: "third", namespace: "games" }, spec });
    const rules = [
      { verbs: ["list"], apiGroups: ["flipop.digitalocean.com"], resources: ["clusterroutedipclasses"] },
      ...["flipop", "other"].map((namespace) => {
        return { verbs: ["list"], apiGroups: ["flipop.digitalocean.com"], resources, namespaces: [namespace] };
      }),
    ];
    const token = world.kubernetes.addIdentity("namespaced", rules);
    const issuers = async (...args: readonly string[]) => {
      const { found } = await world.doctor(args, {}, token);
      return found.filter(({ check }) => /issuer/i.test(check)).map(({ check, result }) => `${result} ${check}`);
    };
    expect(await issuers()).to.deep.equal(["unknown issuers"]);
    expect(await issuers("--watch-namespaces=other")).to.deep.equal(["problem RoutedIPIssuer other/bad"]);
    expect(await issuers("--watch-namespaces=flipop")).to.deep.equal(["ok issuers"]);
    const secrets = ["--watch-namespaces=flipop", "--issuer-namespaces=games"];
    expect(await issuers(...secrets)).to.deep.equal(["ok issuers", "unknown issuers"]);
    const bad = ["--watch-namespaces=other", "--issuer-namespaces=games"];
    expect(await issuers(...bad)).to.deep.equal(["problem RoutedIPIssuer other/bad", "unknown issuers"]);
  });

  it("finds nodes that no provider can serve", async () => {
    const providerIDs = ["digitalocean://1", "aws:///eu/i-1", undefined, "digitalocean://"];
    for (const [index, providerID] of providerIDs.entries()) {
      const metadata = { name: `node-${index}` };
      world.kubernetes.create({ apiVersion: "v1", kind: "Node", metadata, spec: { providerID } });
    }
    expect((await world.doctor([])).of("nodes").map(({ result, seen }) => [result, seen])).to.deep.equal([
      ["warning", "1 of 4 nodes have no spec.providerID: node-2"],
      ["warning", "1 of 4 nodes are machines of another cloud: node-1 (aws:///eu/i-1)"],
      ["warning", "1 of 4 nodes have a spec.providerID that names no machine: node-3 (digitalocean://)"],
    ]);
  });

  it("finds nodes with the providerID of another node, and names the other one", async () => {
    const metadata = { name: "twin" };
    world.kubernetes.create({ apiVersion: "v1", kind: "Node", metadata, spec: { providerID: "digitalocean://1" } });
    const found = (await world.doctor([])).of("nodes").find(({ seen }) => seen.includes("of another node"));
    world.kubernetes.delete({ apiVersion: "v1", kind: "Node", name: "twin" });
    expect(found).to.include({
      result: "warning",
      seen: "1 of 5 nodes have the spec.providerID of another node: twin (digitalocean://1, as node-0)",
    });
    expect(found?.remedy).to.include("delete the Nodes whose kubelet is gone");
  });

  it("warns that the provider's documentation does not support its managed workers", async () => {
    expect((await world.doctor([])).of("DOKS")).to.deep.equal([]);
    const metadata = { name: "worker", labels: { "doks.digitalocean.com/node-pool": "edge" } };
    world.kubernetes.create({ apiVersion: "v1", kind: "Node", metadata, spec: { providerID: "digitalocean://4" } });
    const [found] = (await world.doctor([])).of("DOKS");
    expect(found).to.include({ result: "warning", remedy: "read docs/how-to/will-it-work.md" });
    expect(found?.seen).to.match(/^1 of 5 nodes are workers of DOKS\. .*does not support reserved IPs there/);
  });

  it("finds a NetworkPolicy that keeps the operator from the clouds", async () => {
    const policy = { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" };
    const ref = { ...policy, name: "deny", namespace: "flipop" };
    expect((await world.doctor([])).of("network policy")[0]).to.include({ result: "ok" });
    world.kubernetes.create({ ...policy, metadata: ref, spec: { podSelector: {}, policyTypes: ["Egress"] } });
    expect((await world.doctor([])).of("network policy")[0]).to.include({
      result: "unknown",
      seen: "namespace flipop has no pod of the operator, so whether deny limits it is not known",
    });
    world.kubernetes.delete(ref);
    const labels = { "app.kubernetes.io/name": "flipop" };
    const spec = { containers: [{ name: "flipop", image: "flipop" }] };
    world.kubernetes.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "flipop-1", namespace: "flipop", labels },
      spec,
    });
    expect((await world.doctor([])).of("network policy")[0]).to.include({ result: "ok" });
    world.kubernetes.create({ ...policy, metadata: ref, spec: { podSelector: {}, policyTypes: ["Egress"] } });
    const [found] = (await world.doctor([])).of("network policy");
    expect(found).to.include({ result: "problem", seen: "deny: no rule opens port 443 to the operator's pods" });
    const egress = [{ ports: [{ port: 400, endPort: 500 }] }];
    world.kubernetes.change(ref, (object) => ({
      ...object,
      spec: { podSelector: {}, policyTypes: ["Egress"], egress },
    }));
    expect((await world.doctor([])).of("network policy")[0]).to.include({ result: "ok" });
  });

  it("prints a table, and refuses a feature that does not exist", async () => {
    const flipop = new Flipop(world.kubernetes.kubeconfig());
    const { code, out } = await flipop.run("doctor", "--self");
    expect(code).to.equal(1);
    expect(out)
      .to.match(/^CHECK +RESULT +SEEN\n/)
      .and.to.match(/^CRD FloatingIPPool +PROBLEM +older than release/m);
    expect((await flipop.run("doctor", "--features=x")).err).to.equal(
      'flipop: --features: there is no feature "x": use pools, dns, routedip, jobs, healthchecks, externaldns, publish\n',
    );
    flipop.close();
  });
});
