import { AggregatedUserRoles, DnsRecord } from "cdk8s-flipop";
import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, FakeNode } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { issuer, jobClass, routedIP } from "./resources.js";
import { PLANE, RoutedRig } from "./rig.js";
import { type Stranger, strangerIn } from "./stranger.js";

const ZONE = "example.com";
const REFUSED = [403, 422];
const ALLOWED_RANGE = "203.0.113.0/24";

describe("limits of a namespace, on the real server, for a ServiceAccount with role edit that may write pools", function () {
  this.timeout(180_000);
  let plane: ControlPlane;
  let rig: RoutedRig;
  let stranger: Stranger;
  let published: FakeNode;
  /** The only node with a pod of the Service. */
  let serving: FakeNode;

  before(async function () {
    plane = await controlPlaneOrSkip(this, PLANE);
    const tenantLimits = {
      maxCreatedAddresses: 10,
      namespaces: [
        {
          names: ["team-*"],
          allowedNames: [`*.{namespace}.${ZONE}`],
          allowedAddresses: ["Created", ALLOWED_RANGE],
          maxCreatedAddresses: 2,
        },
      ],
    };
    rig = await RoutedRig.create(plane, { full: true, userRoles: AggregatedUserRoles.VIEW, tenantLimits });
    rig.cloud.state.dns.addDomain(ZONE);
    for (let count = 0; count < 4; count++) await rig.addNode();
    const providerID = `digitalocean://${rig.cloud.state.addDroplet().id}`;
    const addresses = [{ type: "ExternalIP", address: "192.0.2.1" }] as const;
    published = await FakeNode.create(rig.client, { providerID, addresses });
    serving = await rig.addNode();
    await rig.addService();
    await rig.addPod(serving);
    stranger = await strangerIn(plane, rig.names.team);
    await stranger.bind(`flipop-${rig.installed.namespace}-edit`);
    await rig.start();
    await rig.until("the binding is in force, and the policy, too", async () => {
      return REFUSED.includes((await addSet("probe", "www")).status) && (await canWrite());
    });
  });

  after(async () => {
    await published?.delete();
    await rig?.close();
    stranger?.close();
  });

  const canWrite = async () => {
    const { status } = await addSet("allowed", `www.${rig.names.team}`);
    return status === 201 || status === 409;
  };
  const addPool = (name: string, spec: object) =>
    stranger.client.create(rig.pathOf("FloatingIPPool"), {
      apiVersion: GROUP_VERSION,
      kind: "FloatingIPPool",
      metadata: { name },
      spec: { provider: "digitalocean", region: "nyc3", reclaimPolicy: "Delete", ...spec },
    });
  const addSet = (name: string, recordName: string) =>
    stranger.client.create(rig.pathOf("NodeDNSRecordSet"), {
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      metadata: { name },
      spec: { dnsRecordSet: { zone: ZONE, recordName } },
    });
  const values = (name: string) => rig.cloud.state.dns.records(ZONE, name).map(({ data }) => data);

  it("takes no address of the platform with a pool", async () => {
    const node = await rig.addNode();
    const dropletId = await rig.dropletOf(node);
    const { ip } = rig.cloud.state.addAddress({ dropletId });
    // Created is allowed, so only the operator can tell.
    expect((await addPool("greedy", { ips: [ip] })).status).to.equal(201);
    const message = await rig.says("FloatingIPPool", "greedy", "Accepted=False/AddressNotAllowed");
    expect(message).to.contain(ip).and.contain("allowedAddresses");
    await rig.reports("greedy", "AddressNotAllowed", ip);
    expect(rig.cloud.state.address(ip).dropletId).to.equal(dropletId);
  });

  it("writes no name of the platform with a pool or a record set", async () => {
    const set = await addSet("nodes", "nodes");
    expect(set.status).to.be.oneOf(REFUSED);
    expect(JSON.stringify(set.body)).to.contain(`nodes.${ZONE}`).and.contain("allowedNames");
    const dnsRecordSet = { zone: ZONE, recordName: "www" };
    expect((await addPool("named", { desiredIPs: 1, dnsRecordSet })).status).to.be.oneOf(REFUSED);
    await rig.says("NodeDNSRecordSet", "allowed", "DNSReady=True");
    expect(values(`www.${rig.names.team}`)).to.deep.equal(["192.0.2.1"]);
  });

  it("writes no such name past the API server either", async () => {
    const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
    const binding = `${policies}/flipop-${rig.installed.namespace}-tenants`;
    await rig.client.must.delete(binding);
    await rig.until("nothing refuses the record set", async () => (await addSet("nodes", "nodes")).status === 201);
    await rig.says("NodeDNSRecordSet", "nodes", "DNSReady=False/NameNotAllowed");
    await rig.reports("nodes", "NameNotAllowed", `nodes.${ZONE}`);
    expect(values("nodes")).to.deep.equal([]);
  });

  it("has no more addresses created than its namespace may have", async () => {
    const before = rig.cloud.state.addresses().length;
    const made = await Promise.all(["a", "b", "c"].map((name) => addPool(name, { desiredIPs: 2 })));
    expect(made.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
    await rig.until("two are created", () => rig.cloud.state.addresses().length === before + 2);
    const names = ["a", "b", "c"];
    await Promise.any(names.map((name) => rig.says("FloatingIPPool", name, "Fulfilled=False/CreationNotAllowed")));
    for (const name of names)
      await stranger.client.patch(rig.pathOf("FloatingIPPool", name), { spec: { desiredIPs: 3 } });
    for (const name of names) {
      const message = await rig.says("FloatingIPPool", name, "Fulfilled=False/CreationNotAllowed");
      expect(message).to.contain("maxCreatedAddresses");
    }
    expect(rig.cloud.state.addresses().length).to.equal(before + 2);
  });

  describe("by an issuer of its own", () => {
    const addIssuer = (name: string, spec: object) =>
      stranger.client.must.create(rig.pathOf("RoutedIPIssuer"), {
        ...issuer(rig.names.team, name)[0],
        spec: { provider: "digitalocean", region: "nyc3", ...spec },
      });

    it("gets no token: neither the operator's nor that of a Secret in another namespace", async () => {
      const { other } = rig.names;
      const secret = {
        metadata: { name: "platform-only" },
        stringData: { DIGITALOCEAN_ACCESS_TOKEN: rig.cloud.token },
      };
      await rig.client.must.create(`/api/v1/namespaces/${other}/secrets`, secret);
      await addIssuer("own", {});
      await rig.says("RoutedIPIssuer", "own", "Accepted=False/NamespaceNotAllowed");
      await addIssuer("borrows", { credentialsSecretRef: { name: "platform-only" } });
      await rig.says("RoutedIPIssuer", "borrows", "Accepted=False/SecretNotFound");
      for (const namespace of [other, rig.names.jobs, rig.installed.namespace]) {
        const { status } = await stranger.client.get(`/api/v1/namespaces/${namespace}/secrets/platform-only`);
        expect(status, namespace).to.equal(403);
      }
    });

    it("opens no port, takes no address and writes no name", async () => {
      const { ip } = rig.cloud.state.addAddress();
      for (const name of ["own", "borrows"]) {
        const dnsRecord = DnsRecord.digitalOcean("stolen", ZONE);
        const [manifest] = routedIP(rig.names.team, name, { issuer: name }, { address: ip, dnsRecord });
        await stranger.client.must.create(rig.pathOf("RoutedIP"), manifest);
        await rig.says("RoutedIP", name, "Accepted=False");
        await rig.says("RoutedIP", name, "FirewallReady=False");
      }
      expect(rig.cloud.state.address(ip).dropletId).to.equal(null);
      expect(values("stolen")).to.deep.equal([]);
    });
  });

  describe("by a class with Jobs", () => {
    before(async () => {
      await rig.add(jobClass("runs-limited", { allowedAddresses: "default" }));
      // The addresses of the pools may be on any of the older nodes.
      await rig.addRunningPod(await rig.addNode(), 22);
      const [manifest] = routedIP(rig.names.team, "runs", { clusterClass: "runs-limited" });
      await stranger.client.must.create(rig.pathOf("RoutedIP"), manifest);
    });

    it("opens no port that the class does not allow", async () => {
      const message = await rig.says("RoutedIP", "runs", "FirewallReady=False/PortNotAllowed");
      expect(message).to.contain("22/TCP");
      await rig.jobsAreGone("runs-limited");
      expect(rig.openPorts("runs-limited") ?? []).not.to.include("22");
    });

    it("reads no Secret: it may neither see the Jobs, their pods and logs, nor run one there", async () => {
      const { jobs } = rig.names;
      const paths = ["/api/v1", "/apis/batch/v1"].map((api) => `${api}/namespaces/${jobs}`);
      const kinds = [`${paths[0]}/pods`, `${paths[0]}/secrets`, `${paths[1]}/jobs`];
      for (const path of kinds) expect((await stranger.client.list(path)).status, path).to.equal(403);
      expect((await stranger.client.create(`${paths[1]}/jobs`, { metadata: { name: "own" } })).status).to.equal(403);
      expect((await stranger.client.get(`${paths[0]}/pods/any/log`)).status).to.equal(403);
    });
  });

  describe("by anything that the operator writes", () => {
    it("finds no token in any object that it may read", async () => {
      const { team } = rig.names;
      const kinds = ["RoutedIP", "RoutedIPIssuer", "FloatingIPPool", "NodeDNSRecordSet"].map((kind) =>
        rig.pathOf(kind),
      );
      const events = `/apis/events.k8s.io/v1/namespaces/${team}/events`;
      for (const path of [...kinds, events]) {
        const { status, body } = await stranger.client.list(path);
        expect(status, path).to.equal(200);
        expect(JSON.stringify(body), path).not.to.contain(rig.cloud.token);
      }
    });
  });
});
