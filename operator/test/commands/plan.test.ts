import { Annotation, Finalizer, GROUP_VERSION, LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { type Emulator, startEmulator } from "flipop-sandbox/kubernetes";
import { addNode } from "flipop-sandbox/nodes";
import { after, before, describe, it } from "mocha";
import { readManifests } from "../../src/commands/plan/manifests.js";
import { Flipop } from "./flipop.js";

const POOL = { apiVersion: GROUP_VERSION, kind: "FloatingIPPool" };
const MATCH = { nodeLabel: "pool=work" };

describe("flipop plan", () => {
  let kubernetes: Emulator;
  let digitalocean: DigitalOceanSimulator;
  let flipop: Flipop;
  let free: string;
  let machine: string;

  before(async () => {
    kubernetes = await startEmulator();
    digitalocean = await startDigitalOceanSimulator();
    digitalocean.state.dns.addDomain("example.com");
    const world = { kubernetes, digitalocean };
    machine = addNode(world, { name: "node-1", labels: { pool: "work" } });
    free = digitalocean.state.addAddress({ region: "nyc3" }).ip;
    flipop = new Flipop(kubernetes.kubeconfig(), tokens());
  });

  after(async () => {
    flipop.close();
    await Promise.all([kubernetes.close(), digitalocean.close()]);
  });

  const tokens = () => ({ DIGITALOCEAN_ACCESS_TOKEN: digitalocean.token, DIGITALOCEAN_API_URL: digitalocean.url });
  const writes = () => digitalocean.journal.count({ mutating: true });
  const pool = (name: string, spec: object) => ({
    ...POOL,
    metadata: { name, namespace: "default" },
    spec: { provider: "digitalocean", region: "nyc3", match: MATCH, ...spec },
  });
  const file = (...objects: readonly object[]) =>
    flipop.file("manifests.yaml", objects.map((object) => `---\n${JSON.stringify(object)}\n`).join(""));
  const versions = () =>
    kubernetes.list(GROUP_VERSION, "FloatingIPPool").map(({ metadata }) => metadata.resourceVersion);

  it("has nothing to do in a cluster without resources", async () => {
    const err = "flipop: nothing to do: the cluster has no resources of flipop\n";
    expect(await flipop.run("plan")).to.deep.equal({ code: 0, out: "", err });
  });

  it("shows what manifests would change that are not applied, and writes neither to the cluster nor to the cloud", async () => {
    const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other" } };
    const record = {
      ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", metadata: { name: "nodes" } },
      spec: { provider: "digitalocean", match: MATCH, dnsRecordSet: { zone: "example.com", recordName: "nodes" } },
    };
    const path = file(pool("web", { ips: [free] }), config, record);
    const { code, out, err } = await flipop.run("plan", "-f", path, "-n", "default");
    expect(err).to.equal("flipop: the plan does not apply ConfigMap other\n");
    expect(out).to.match(new RegExp(`^FloatingIPPool default/web\n(.*\n)*  ~ assign +${free} to node-1 +`));
    expect(out).to.match(new RegExp(`^ {2}[+] annotate-node +${free} on node-1 +`, "m"));
    expect(out).to.match(/NodeDNSRecordSet default\/nodes\n {2}~ apply-records +nodes\.example\.com: nothing -> 198\./);
    expect(code).to.equal(2);
    expect(versions()).to.deep.equal([]);
    expect(kubernetes.list("coordination.k8s.io/v1", "Lease")).to.deep.equal([]);
    expect(kubernetes.list("events.k8s.io/v1", "Event")).to.deep.equal([]);
    expect(writes()).to.equal(0);
  });

  it("says which records of others it would replace", async () => {
    const record = { type: "A", name: "taken", ttl: 300 } as const;
    for (const data of ["192.0.2.7", "192.0.2.8"]) digitalocean.state.dns.addRecord("example.com", { ...record, data });
    const taken = {
      ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", metadata: { name: "taken", namespace: "default" } },
      spec: { provider: "digitalocean", match: MATCH, dnsRecordSet: { zone: "example.com", recordName: "taken" } },
    };
    const { out } = await flipop.run("plan", "-f", file(taken));
    expect(out).to.match(
      /taken\.example\.com: 192\.0\.2\.7, 192\.0\.2\.8 -> 198\S+ \(replaces records of others: 192\.0\.2\.7, 192\.0\.2\.8\)/,
    );
  });

  it("plans new resources of one name in two namespaces separately", async () => {
    const named = (namespace: string) => ({
      ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", metadata: { name: "nodes", namespace } },
      spec: { provider: "digitalocean", match: MATCH, dnsRecordSet: { zone: "example.com", recordName: namespace } },
    });
    const { code, out } = await flipop.run("plan", "-f", file(named("blue"), named("green")));
    for (const name of ["blue", "green"])
      expect(out).to.match(new RegExp(`apply-records +${name}\\.example\\.com: nothing`));
    expect(code).to.equal(2);
  });

  it("shows what the operator would do for the resources of the cluster, also while it is stopped", async () => {
    kubernetes.create(pool("live", { desiredIPs: 1 }));
    kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "flipop" } });
    const annotations = { [Annotation.stop]: "a test" };
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
    kubernetes.create({ ...lease, metadata: { name: LEASE_NAME, namespace: "flipop", annotations }, spec: {} });
    const before = versions();
    const { code, out, err } = await flipop.run("plan", "-o", "json");
    expect(err).to.equal("flipop: the operator is stopped (a test): this is what it does after flipop resume\n");
    const plans = JSON.parse(out) as readonly { readonly name: string; readonly actions: readonly { do: string }[] }[];
    expect(plans.map(({ name }) => name)).to.deep.equal(["live"]);
    expect(plans[0]?.actions.map((action) => action.do)).to.include("create-address");
    expect(code).to.equal(2);
    expect(versions()).to.deep.equal(before);
  });

  it("shows what follows the finalizer that the operator would add", async () => {
    const dnsRecordSet = {
      zone: "example.com",
      recordName: "shop",
      provider: "digitalocean",
      deletionPolicy: "Delete",
    };
    const deleted = pool("shop", { desiredIPs: 2, reclaimPolicy: "Delete", dnsRecordSet });
    const { code, out } = await flipop.run("plan", "-f", file(deleted), "-n", "default");
    expect(out).to.match(/^FloatingIPPool default\/shop\n {2}[+] add-finalizer .*\n(.*\n)* {2}[+] create-address /);
    expect(out.match(/add-finalizer/g)).to.have.length(1);
    expect(out).to.include("it writes the record once an address is active");
    expect(code).to.equal(2);
  });

  it("shows the release of what a deleted pool has created", async () => {
    const { ip } = digitalocean.state.addAddress({ region: "nyc3" });
    const gone = pool("gone", { desiredIPs: 1, reclaimPolicy: "Delete" });
    const metadata = { ...gone.metadata, finalizers: [Finalizer.cleanup] };
    kubernetes.create({ ...gone, metadata, status: { createdIPs: [{ ip, createdTime: "2026-01-01T10:00:00Z" }] } });
    const ref = { ...POOL, namespace: "default", name: "gone" };
    kubernetes.delete(ref);
    const { code, out } = await flipop.run("plan");
    expect(out).to.match(new RegExp(`^FloatingIPPool default/gone\n(.*\n)* {2}- release +${ip} `, "m"));
    expect(code).to.equal(2);
    kubernetes.change(ref, (stored) => ({
      ...stored,
      metadata: { ...(stored["metadata"] as object), finalizers: [] },
    }));
  });

  it("plans an edit of a stored resource as kubectl apply would make it", async () => {
    const { code, out } = await flipop.run("plan", "-f", file(pool("live", { desiredIPs: 0, ips: [free] })));
    expect(out).to.include("~ assign").and.not.to.include("create-address");
    expect(code).to.equal(2);
  });

  it("keeps what others wrote into the metadata of a stored resource, as kubectl apply does", () => {
    const given = pool("live", { desiredIPs: 1 });
    const last = { ...given, metadata: { ...given.metadata, annotations: { old: "1" }, labels: { mine: "1" } } };
    const annotations = {
      "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(last),
      [Annotation.createdIps]: free,
      old: "1",
    };
    const finalizers = ["flipop.digitalocean.com/cleanup"];
    const ids = { uid: "1", resourceVersion: "1", generation: 1, creationTimestamp: "2026-01-31T12:00:00Z" };
    const live = { ...given, metadata: { ...given.metadata, ...ids, annotations, finalizers, labels: { mine: "1" } } };
    const applied = (metadata: object) => {
      const { own } = readManifests(file({ ...given, metadata: { ...given.metadata, ...metadata } }), "default");
      return own[0]?.applyTo(live).metadata;
    };
    const { old: _old, ...kept } = annotations;
    expect(applied({})?.annotations).to.deep.equal(kept);
    expect(applied({ annotations: { mine: "2" } })?.annotations).to.deep.equal({ ...kept, mine: "2" });
    expect(applied({})).to.deep.include({ finalizers }).and.not.to.have.property("labels");
    expect(applied({ labels: { mine: "1" } })).to.deep.include({ finalizers, labels: { mine: "1" } });
  });

  it("refuses with code 1 what the CRD would reject, a kind that it lacks, and a file that is no YAML", async () => {
    const invalid = await flipop.run("plan", "-f", file(pool("web", { ips: ["203.0.113.999"] })));
    expect(invalid.code).to.equal(1);
    expect(invalid.err).to.match(/FloatingIPPool default\/web would be rejected: spec\.ips\[0\]: .*/);
    const strange = await flipop.run("plan", "-f", file({ ...POOL, kind: "FloatingPool", metadata: { name: "x" } }));
    expect(strange.err).to.match(/there is no kind FloatingPool .*: use FloatingIPPool/);
    const empty = await flipop.run("plan", "-f", "-");
    expect(empty.err).to.match(/^flipop: standard input has no resource of /);
    const broken = await flipop.run("plan", "-f", flipop.file("broken.yaml", "a: [b\n"));
    expect(broken.err).to.match(/is no YAML: /);
    const alias = await flipop.run("plan", "-f", flipop.file("alias.yaml", "a: *b\n"));
    expect(alias.code).to.equal(1);
    expect(alias.err).to.match(/is no YAML: Unresolved alias/);
    expect((await flipop.run("plan", "--filname", "x")).code).to.equal(1);
  });

  it("ends with code 1 where the operator refuses a resource, and takes the lists of namespaces and the limits as options", async () => {
    kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
    const data = { token: Buffer.from(digitalocean.token).toString("base64") };
    kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "token", namespace: "team" }, data });
    const issuer = {
      ...{ apiVersion: GROUP_VERSION, kind: "RoutedIPIssuer", metadata: { name: "main", namespace: "team" } },
      spec: { provider: "digitalocean", credentialsSecretRef: { name: "token", key: "token" } },
    };
    const refused = await flipop.run("plan", "-f", file(issuer));
    expect(refused.out).to.match(/! Accepted NamespaceNotAllowed: /);
    const text = "flipop: the plan is incomplete, because the operator refuses these: RoutedIPIssuer team/main\n";
    expect(refused.err.endsWith(text), refused.err).to.equal(true);
    expect(refused.code).to.equal(1);
    const options = ["--issuer-namespaces", "team", "--pod-namespaces", "team", "--job-namespaces", "jobs"];
    const limits = flipop.file("limits.json", '{"namespaces":[]}');
    const more = ["--tenant-limits", limits, "--max-moves-per-minute", "1"];
    const served = await flipop.run("plan", "-f", file(issuer), ...options, ...more);
    expect(served.err).not.to.include("incomplete");
    expect(served).to.include({ code: 0, out: "" });
    expect(served.err).to.match(/^flipop: nothing to do: 1 resource needs no change\n$/m);
  });

  it("ends with code 1 where the provider of the records alone can't be read", async () => {
    digitalocean.state.setHolder(free, Number(machine.replace("digitalocean://", "")));
    const served = pool("served", {
      ips: [free],
      dnsRecordSet: { provider: "cloudflare", zone: "example.com", recordName: "x" },
    });
    const cloudflare = { CLOUDFLARE_TOKEN: "refused", CLOUDFLARE_API_URL: "http://127.0.0.1:1" };
    const both = new Flipop(kubernetes.kubeconfig(), { ...tokens(), ...cloudflare });
    const path = both.file("served.yaml", JSON.stringify(served));
    const { code, err } = await both.run("plan", "-f", path);
    both.close();
    expect(err).to.match(/incomplete, because the provider of these was not read: FloatingIPPool default\/served/);
    expect(code).to.equal(1);
    const without = await flipop.run("plan", "-f", flipop.file("served.yaml", JSON.stringify(served)));
    expect(without.out).to.match(
      /^ {2}! DNSReady UnknownProvider: this command has no token for provider "cloudflare"$/m,
    );
    expect(without.err).to.include(
      "; fix: set the token in the environment of this command: CLOUDFLARE_TOKEN or CLOUDFLARE_TOKEN_FILE\n",
    );
  });

  it("says that it has no token itself, and not that the operator refuses the resource", async () => {
    const other = new Flipop(kubernetes.kubeconfig(), {
      CLOUDFLARE_TOKEN: "unused",
      CLOUDFLARE_API_URL: "http://127.0.0.1:1",
    });
    const { code, out, err } = await other.run(
      "plan",
      "-f",
      other.file("web.yaml", JSON.stringify(pool("web", { desiredIPs: 1 }))),
    );
    other.close();
    expect(out).to.match(/^FloatingIPPool default\/web\n {2}! Accepted UnknownProvider: this command has no token/);
    expect(`${out}${err}`).not.to.match(/the operator's Secret|the operator has no token|refuses/);
    expect(err).to.include(
      "flipop: the plan is incomplete, because the provider of these was not read: FloatingIPPool default/web; fix: set the token in the environment of this command: DIGITALOCEAN_ACCESS_TOKEN or DIGITALOCEAN_ACCESS_TOKEN_FILE\n",
    );
    expect(code).to.equal(1);
  });

  it("says in one line, as the other commands do, that no API server answers", async () => {
    const dead = new Flipop(kubernetes.kubeconfig().replace(/127\.0\.0\.1:\d+/, "127.0.0.1:1"), tokens());
    const { code, out, err } = await dead.run("plan");
    dead.close();
    expect({ code, out }).to.deep.equal({ code: 1, out: "" });
    expect(err).to.match(
      /^flipop: [^\n]*127\.0\.0\.1:1[^\n]*: check the network, and that the kubeconfig's context[^\n]*\n$/,
    );
    expect(err.match(/ECONNREFUSED/g)).to.have.length(1);
  }).timeout(20_000);

  it("ends with code 1 where the provider can't be read, because that is not nothing to do", async () => {
    digitalocean.tokens.revoke(digitalocean.token);
    const { code, err } = await flipop.run("plan");
    expect(err).to.match(
      /the plan is incomplete, because the provider of these was not read: FloatingIPPool default\/live/,
    );
    expect(code).to.equal(1);
  });
});
