import { EXTERNAL_DNS, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { ENDPOINT_DEFINITION } from "../../support/kube/endpoint-definition.js";
import { inWorld, type World } from "../world.js";

const ENDPOINTS = "externaldns.k8s.io/v1alpha1";
const FLAGS = { features: "pools,dns,externaldns" };
interface Endpoint {
  readonly dnsName: string;
  readonly recordType: string;
  readonly recordTTL: number;
  readonly targets: readonly string[];
}

function endpoints({ kubernetes }: World): readonly Endpoint[] {
  return kubernetes
    .list(ENDPOINTS, "DNSEndpoint")
    .flatMap(({ spec }) => (spec as { readonly endpoints: readonly Endpoint[] }).endpoints);
}

const RECORD = {
  provider: EXTERNAL_DNS,
  zone: "example.org",
  recordName: "www",
  ttl: 120,
  deletionPolicy: "Delete",
} as const;

describe("operator in process: record sets for external-dns", function () {
  this.timeout(240_000);

  it("are DNSEndpoint objects with the addresses of a pool, which follow its edits and its deletion", () =>
    inWorld({ flags: FLAGS }, async (world) => {
      world.kubernetes.create(ENDPOINT_DEFINITION);
      for (const name of ["node-1", "node-2"]) world.addNode(name);
      const ips = [1, 2].map(() => world.digitalocean.state.addAddress().ip);
      world.addPool("web", { ips: ips.slice(0, 1), dnsRecordSet: RECORD });
      world.start();
      await world.until("it is published", () => endpoints(world).length === 1);
      const endpoint = { dnsName: "www.example.org", recordType: "A", recordTTL: 120 };
      expect(endpoints(world)).to.deep.equal([{ ...endpoint, targets: ips.slice(0, 1) }]);
      await world.until("the pool says so", () => world.condition("web", "DNSReady")?.status === "True");
      world.edit("web", { ips });
      await world.until("both are published", () => endpoints(world)[0]?.targets.length === 2);
      expect([...(endpoints(world)[0]?.targets ?? [])].sort()).to.deep.equal([...ips].sort());
      await world.rest();
      expect(endpoints(world), "one object").to.have.length(1);
      world.kubernetes.delete(world.refTo("web"));
      await world.until("the pool is gone", () => world.kubernetes.get(world.refTo("web")) === undefined);
      expect(endpoints(world)).to.deep.equal([]);
    }));

  it("name the missing CRD, not a zone that another account has, until it is installed", () =>
    inWorld({ flags: FLAGS }, async (world) => {
      world.addNode("node-1");
      const [ip = ""] = world.addAddresses(1);
      world.addPool("web", { ips: [ip], dnsRecordSet: { ...RECORD, zone: "example.com" } });
      world.start();
      await world.until("the pool says so", () => world.condition("web", "DNSReady")?.status === "False");
      await world.clock.sleep(1_200_000);
      const { reason, message } = world.condition("web", "DNSReady") ?? {};
      expect(reason).to.equal("ProviderUnavailable");
      expect(message).to.contain("have the cluster's administrator install the CRD of external-dns");
      expect(message).not.to.contain("dnsRecordSet.provider");
      world.kubernetes.create(ENDPOINT_DEFINITION);
      await world.until("it is published", () => endpoints(world).length === 1);
    }));

  it("are restored after somebody has changed them, and hold the addresses of nodes in one object for each type", () =>
    inWorld({ flags: FLAGS }, async (world) => {
      world.kubernetes.create(ENDPOINT_DEFINITION);
      world.addNode("node-1");
      world.kubernetes.create({
        ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet" },
        metadata: { name: "nodes", namespace: "default" },
        spec: { addressType: "ExternalIP", dnsRecordSet: { ...RECORD, recordName: "nodes" } },
      });
      world.start();
      await world.until("it is published", () => endpoints(world).length === 1);
      const [before] = endpoints(world);
      const [object] = world.kubernetes.list(ENDPOINTS, "DNSEndpoint");
      const ref = {
        apiVersion: ENDPOINTS,
        kind: "DNSEndpoint",
        namespace: "default",
        name: object?.metadata.name ?? "",
      };
      const foreign = { ...before, targets: ["198.51.100.99"] };
      world.kubernetes.change(ref, (old) => ({ ...old, spec: { endpoints: [foreign] } }));
      await world.until("it is restored", () => endpoints(world)[0]?.targets.join() === before?.targets.join());
    }));

  it("stay when their zone is written in another way, and lose only the type that is not asked for any more", () =>
    inWorld({ flags: FLAGS }, async (world) => {
      world.kubernetes.create(ENDPOINT_DEFINITION);
      world.addNode("node-1");
      const spec = { addressType: "ExternalIP", ipFamilies: ["IPv4", "IPv6"], dnsRecordSet: RECORD };
      const ref = { apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", namespace: "default", name: "nodes" };
      const { namespace, name, ...type } = ref;
      world.kubernetes.create({ ...type, metadata: { namespace, name }, spec });
      world.start();
      await world.until("it is published", () => endpoints(world).length === 1);
      await world.rest();
      const dnsRecordSet = { ...RECORD, zone: "example.org." };
      world.kubernetes.change(ref, (old) => ({ ...old, spec: { ...spec, ipFamilies: ["IPv4"], dnsRecordSet } }));
      await world.rest();
      expect(endpoints(world)).to.have.length(1);
    }));

  it("wait, with what to do, until the CRD is there", () =>
    inWorld({ flags: FLAGS }, async (world) => {
      world.addNode("node-1");
      world.addPool("web", { ips: [world.digitalocean.state.addAddress().ip], dnsRecordSet: RECORD });
      world.start();
      const message = () => world.condition("web", "DNSReady")?.message ?? "";
      await world.until("the pool says so", () => message().includes("install the CRD of external-dns"));
      world.kubernetes.create(ENDPOINT_DEFINITION);
      await world.until("it is published", () => endpoints(world).length === 1);
    }));

  it("need the feature", () =>
    inWorld({}, async (world) => {
      world.addNode("node-1");
      world.addPool("web", { ips: [world.digitalocean.state.addAddress().ip], dnsRecordSet: RECORD });
      world.start();
      await world.until("the pool says so", () => world.condition("web", "DNSReady")?.status === "False");
      expect(world.condition("web", "DNSReady")?.reason).to.equal("UnknownProvider");
    }));
});
