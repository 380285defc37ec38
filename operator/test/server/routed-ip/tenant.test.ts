import { AggregatedUserRoles, DnsRecord, ReclaimPolicy } from "cdk8s-flipop";
import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, type FakeNode } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { issuer, issuerClass, jobClass, routedIP } from "./resources.js";
import { PLANE, RoutedRig } from "./rig.js";
import { type Stranger, strangerIn } from "./stranger.js";

const FIREWALL = "platform";
const FORBIDDEN = 403;
const ZONE = "example.com";

describe("a ServiceAccount with role edit in one namespace, on the real server", function () {
  this.timeout(180_000);
  let plane: ControlPlane;
  let rig: RoutedRig;
  let node: FakeNode;
  let stranger: Stranger;

  before(async function () {
    plane = await controlPlaneOrSkip(this, PLANE);
    rig = await RoutedRig.create(plane, { full: true, userRoles: AggregatedUserRoles.VIEW });
    node = await rig.addNode();
    await rig.addService();
    await rig.addPod(node);
    stranger = await strangerIn(plane, rig.names.team);
    const { other } = rig.names;
    // The platform's account and class: the stranger reads neither its Secret nor its issuer.
    await rig.add(issuer(other, "platform", { firewallName: FIREWALL }));
    await rig.add(issuerClass("platform", { name: "platform", namespace: other }, {}));
    await rig.start();
    // The roles of installs of other suites are aggregated until they are gone.
    await rig.until("the role edit alone allows no RoutedIP", async () => (await make("early")).status === FORBIDDEN);
    for (const { metadata } of await rig.client.must.list(rig.pathOf("RoutedIP"))) {
      await rig.delete("RoutedIP", metadata.name);
      await rig.isGone("RoutedIP", metadata.name);
    }
  });

  after(async () => {
    await rig?.close();
    stranger?.close();
  });

  /** A RoutedIP of the platform's class. */
  function make(name: string, props: Parameters<typeof routedIP>[3] = {}) {
    const [manifest] = routedIP(rig.names.team, name, { clusterClass: "platform" }, props);
    return stranger.client.create(rig.pathOf("RoutedIP"), manifest);
  }

  /** A pod behind the Service, as its author writes it, without a status. */
  async function addPod(hostPort: number, at?: FakeNode): Promise<string> {
    const ports = [{ name: "https", containerPort: 8443, hostPort }];
    const containers = [{ name: "web", image: "example.invalid/none", ports }];
    const metadata = { generateName: "own-", labels: { app: "web" } };
    const spec = { containers, ...(at && { nodeName: at.name }) };
    const made = await stranger.client.must.create(`/api/v1/namespaces/${rig.names.team}/pods`, { metadata, spec });
    return made.metadata.name;
  }

  it("writes no RoutedIP, issuer or class, and reads no Secret of another namespace, unless a person grants it", async () => {
    const { team, other } = rig.names;
    const { client } = stranger;
    expect((await make("try")).status).to.equal(FORBIDDEN);
    expect((await client.create(rig.pathOf("RoutedIPIssuer"), issuer(team, "try")[0])).status).to.equal(FORBIDDEN);
    expect((await client.create(rig.pathOf("FloatingIPPool"), { metadata: { name: "try" } })).status).to.equal(
      FORBIDDEN,
    );
    expect((await client.list(rig.pathOf("RoutedIP"))).status, "it may read them").to.equal(200);
    await stranger.bind(`flipop-${rig.installed.namespace}-edit`);
    await rig.until("the binding is in force", async () => (await make("first")).status === 201);
    await rig.ready("first");
    const [manifest] = jobClass("try");
    expect((await client.create(rig.pathOf("ClusterRoutedIPClass"), manifest)).status).to.equal(FORBIDDEN);
    for (const namespace of [other, rig.names.jobs, rig.installed.namespace]) {
      expect((await client.list(`/api/v1/namespaces/${namespace}/secrets`)).status, namespace).to.equal(FORBIDDEN);
    }
  });

  describe("opens no port", () => {
    it("with a pod that never ran, whatever hostPort it names", async () => {
      await addPod(22);
      await addPod(8022, node);
      // A later change of another port shows that the operator has seen the pods.
      await rig.addRunningPod(node, 8443);
      await rig.until("the port of the Ready pod is open", () => rig.openPorts(FIREWALL)?.includes("8443") === true);
      expect(rig.openPorts(FIREWALL)).to.have.members(["443", "8443"]);
    });

    it("that its class does not allow, and reads why", async () => {
      const pod = await rig.addRunningPod(node, 22);
      const message = await rig.says("RoutedIP", "first", "FirewallReady=False/PortNotAllowed");
      expect(message).to.contain("ClusterRoutedIPClass platform does not allow 22/TCP").and.contain("allowedPorts");
      await rig.says("RoutedIP", "first", "Accepted=False/PortNotAllowed");
      await rig.reports("first", "PortNotAllowed", "22/TCP");
      expect(rig.openPorts(FIREWALL)).to.have.members(["443", "8443"]);
      await pod.delete();
      await rig.ready("first");
    });
  });

  it("opens no port by externalIPs of its Service that its class does not allow", async () => {
    const path = `/api/v1/namespaces/${rig.names.team}/services/web`;
    const own = { name: "https", port: 443, targetPort: "https" };
    const ssh = { name: "ssh", port: 22, targetPort: "https" };
    await stranger.client.must.patch(path, { spec: { externalIPs: ["198.51.100.1"], ports: [own, ssh] } });
    expect(await rig.says("RoutedIP", "first", "FirewallReady=False/PortNotAllowed")).to.contain("22/TCP");
    expect(rig.openPorts(FIREWALL)).not.to.include("22");
    await stranger.client.must.patch(path, { spec: { externalIPs: null, ports: [own] } });
    await rig.ready("first");
  });

  describe("takes no address", () => {
    let second: FakeNode;

    before(async () => {
      second = await rig.addNode();
      await rig.addService(rig.names.other);
    });

    /** A RoutedIP of the platform, in its own namespace. */
    const addPlatform = (name: string, address?: string) =>
      rig.add(routedIP(rig.names.other, name, { clusterClass: "platform" }, address === undefined ? {} : { address }));

    const refused = async (name: string, address: string) => {
      const message = await rig.says("RoutedIP", name, "Accepted=False/AddressNotAllowed");
      expect(message).to.contain(address).and.contain("allowedAddresses");
      await rig.says("RoutedIP", name, "Assigned=False/AddressNotAllowed");
    };

    it("that an administrator put on a node by hand, and claims nothing", async () => {
      const dropletId = await rig.dropletOf(await rig.addNode());
      const { ip } = rig.cloud.state.addAddress({ dropletId });
      expect((await make("greedy", { address: ip })).status).to.equal(201);
      await refused("greedy", ip);
      // The older RoutedIP is no obstacle to one that may have the address.
      await rig.add(routedIP(rig.names.other, "rightful", { issuer: "platform" }, { address: ip }));
      await rig.says("RoutedIP", `${rig.names.other}/rightful`, "Conflict=False");
      expect(rig.cloud.state.address(ip).dropletId).to.equal(dropletId);
      await rig.delete("RoutedIP", `${rig.names.other}/rightful`);
      await rig.isGone("RoutedIP", `${rig.names.other}/rightful`);
    });

    it("that another namespace retained; that one gets it back", async () => {
      const { other } = rig.names;
      const pod = await rig.addPod(second, true, other);
      await addPlatform("kept");
      await rig.ready(`${other}/kept`);
      const { routedIP: ip = "" } = await rig.status(`${other}/kept`);
      await rig.delete("RoutedIP", `${other}/kept`);
      await rig.isGone("RoutedIP", `${other}/kept`);
      await make("heir", { address: ip });
      await refused("heir", ip);
      await addPlatform("again", ip);
      await rig.ready(`${other}/again`);
      expect((await rig.status(`${other}/again`)).routedIP).to.equal(ip);
      await pod.delete();
    });

    it("by an annotation that says it was created for the RoutedIP", async () => {
      const { ip } = rig.cloud.state.addAddress();
      const [manifest] = routedIP(rig.names.team, "forged", { clusterClass: "platform" });
      const metadata = { name: "forged", annotations: { [Annotation.createdIps]: ip } };
      await stranger.client.must.create(rig.pathOf("RoutedIP"), { ...manifest, metadata });
      await refused("forged", ip);
      expect(rig.cloud.state.address(ip).dropletId).to.equal(null);
    });

    it("by a class with Jobs", async () => {
      const { ip } = rig.cloud.state.addAddress();
      await rig.add(jobClass("runs", { allowedAddresses: "default" }));
      const [manifest] = routedIP(rig.names.team, "runs", { clusterClass: "runs" }, { address: ip });
      await stranger.client.must.create(rig.pathOf("RoutedIP"), manifest);
      await refused("runs", ip);
      expect(await rig.jobs("runs")).to.deep.equal([]);
    });

    it("through a Job that reports what another RoutedIP has, which stays as it is", async () => {
      const { routedIP: ip = "", assignedNode } = await rig.status("first");
      const assign = { script: `printf '{"routedIP": "${ip}"}' > /dev/termination-log` };
      await rig.add(jobClass("lies", { assign, firewall: { script: "true" }, perNodeIpLimit: 100 }));
      const [manifest] = routedIP(rig.names.team, "liar", { clusterClass: "lies" });
      await stranger.client.must.create(rig.pathOf("RoutedIP"), manifest);
      await rig.reports("liar", "ClaimedByOther", "have the author of the class correct its Job");
      await rig.says("RoutedIP", "liar", "Conflict=True/ClaimedByOther");
      await rig.says("RoutedIP", "liar", "Assigned=False/ClaimedByOther");
      await rig.jobsAreGone("lies");
      expect(await rig.status("liar")).not.to.have.any.keys("assignedNode", "providerID", "created");
      await rig.ready("first");
      expect(await rig.status("first")).to.include({ routedIP: ip, assignedNode });
    });
  });

  describe("writes no DNS name", () => {
    const dnsRecord = (name: string) => ({ dnsRecord: DnsRecord.digitalOcean(name, ZONE) });
    const values = (name: string) => rig.cloud.state.dns.records(ZONE, name).map((record) => record.data);
    let limited: string;

    before(async () => {
      rig.cloud.state.dns.addDomain(ZONE);
      limited = `named-${rig.names.team}`;
      const issuerRef = { name: "platform", namespace: rig.names.other };
      await rig.add(issuerClass(limited, issuerRef, { allowedNames: [`*.{namespace}.${ZONE}`] }));
    });

    /** A RoutedIP that has a node of its own. */
    const addNamed = async (name: string, clusterClass: string, record: string) => {
      await rig.addPod(await rig.addNode());
      const [manifest] = routedIP(rig.names.team, name, { clusterClass }, dnsRecord(record));
      await stranger.client.must.create(rig.pathOf("RoutedIP"), manifest);
      await rig.serves(name);
    };

    it("by a class that allows none, which is the default for another namespace's token", async () => {
      await addNamed("unnamed", "platform", "www");
      const message = await rig.says("RoutedIP", "unnamed", "DNSReady=False/NameNotAllowed");
      expect(message).to.contain(`www.${ZONE}`).and.contain("allowedNames");
      await rig.reports("unnamed", "NameNotAllowed", `www.${ZONE}`);
      expect(values("www")).to.deep.equal([]);
    });

    it("other than those that the class allows its namespace", async () => {
      const { team } = rig.names;
      await addNamed("named", limited, `www.${team}`);
      await rig.says("RoutedIP", "named", "DNSReady=True");
      expect(values(`www.${team}`)).to.deep.equal([(await rig.status("named")).routedIP]);
      await addNamed("misnamed", limited, "www.another");
      await rig.says("RoutedIP", "misnamed", "DNSReady=False/NameNotAllowed");
      expect(values("www.another")).to.deep.equal([]);
    });

    it("by a class with Jobs, other than those that the class allows; a deleted RoutedIP takes its record along", async () => {
      const { team } = rig.names;
      const jobs = { assign: { script: "true" }, firewall: { script: "true" }, perNodeIpLimit: 100 };
      await rig.add(jobClass("nameless", jobs));
      await rig.add(jobClass("naming", { ...jobs, allowedNames: [`*.{namespace}.${ZONE}`] }));
      const addByJobs = async (name: string, clusterClass: string, record: string, address: string) => {
        const dnsRecord = DnsRecord.digitalOcean(record, ZONE, { deletionPolicy: ReclaimPolicy.DELETE });
        const [manifest] = routedIP(team, name, { clusterClass }, { dnsRecord, address });
        await stranger.client.must.create(rig.pathOf("RoutedIP"), manifest);
        await rig.serves(name);
      };
      await addByJobs("job-unnamed", "nameless", "www", "192.0.2.80");
      await addByJobs("job-misnamed", "naming", "www.another", "192.0.2.81");
      for (const name of ["job-unnamed", "job-misnamed"]) {
        expect(await rig.says("RoutedIP", name, "DNSReady=False/NameNotAllowed")).to.contain("allowedNames");
      }
      await addByJobs("job-named", "naming", `jobs.${team}`, "192.0.2.82");
      await rig.says("RoutedIP", "job-named", "DNSReady=True");
      expect([values(`jobs.${team}`), values("www"), values("www.another")]).to.deep.equal([["192.0.2.82"], [], []]);
      await stranger.client.must.delete(rig.pathOf("RoutedIP", "job-named"));
      await rig.isGone("RoutedIP", "job-named");
      expect(values(`jobs.${team}`)).to.deep.equal([]);
    });

    it("over a record that the operator did not write, unless the class adopts records", async () => {
      const record = `shop.${rig.names.team}`;
      rig.cloud.state.dns.addRecord(ZONE, { type: "A", name: record, data: "198.51.100.9" });
      await addNamed("shop", limited, record);
      const message = await rig.says("RoutedIP", "shop", "DNSReady=False/RecordExists");
      expect(message).to.contain("198.51.100.9").and.contain("adoptRecords");
      expect(values(record)).to.deep.equal(["198.51.100.9"]);
      await rig.client.must.patch(rig.pathOf("ClusterRoutedIPClass", limited), { spec: { adoptRecords: true } });
      await rig.says("RoutedIP", "shop", "DNSReady=True");
      expect(values(record)).to.deep.equal([(await rig.status("shop")).routedIP]);
    });
  });
});
