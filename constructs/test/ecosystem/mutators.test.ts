import { Lazy } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  DnsRecord,
  FloatingIPPool,
  NodeDNSRecordSet,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPJob,
  SecretRef,
  ServiceRef,
  Toleration,
} from "../../src";
import { newChart, only, refusals } from "../support/charts";
import { untyped } from "../support/untyped";

const JOB = RoutedIPJob.container({ image: "registry.example/update:1" });

describe("a method that adds to a resource", () => {
  it("adds addresses and tolerations to a pool", () => {
    const chart = newChart();
    const pool = new FloatingIPPool(chart, "pool", { ips: ["8.8.8.8"] });
    pool.addIps("8.8.4.4", Lazy.any({ produce: () => "9.9.9.9" }) as string);
    pool.addTolerations(Toleration.cordoned());
    expect(only(chart, "FloatingIPPool").spec["ips"]).to.deep.equal(["8.8.8.8", "8.8.4.4", "9.9.9.9"]);
    expect(only(chart, "FloatingIPPool").spec["match"]).to.have.nested.property("tolerations.length", 1);
  });

  it("may provide all addresses of a pool, also beside a Lazy list", () => {
    const chart = newChart();
    new FloatingIPPool(chart, "a", {}).addIps("8.8.8.8");
    const late = Lazy.any({ produce: () => ["9.9.9.9"] }) as string[];
    new FloatingIPPool(chart, "b", { ips: late, metadata: { name: "b" } }).addIps("8.8.4.4");
    expect(refusals(chart)).to.deep.equal([]);
  });

  it("is checked: each value has its place in the list", () => {
    const chart = newChart();
    const pool = new FloatingIPPool(chart, "pool", { ips: ["8.8.8.8"] });
    pool.addIps("8.8.8.8", "x");
    pool.addTolerations(untyped("all"));
    expect(refusals(chart)).to.deep.equal([
      '[test/pool] tolerations[0]: "all" is not a Toleration: write Toleration.key(...)',
    ]);
    const other = newChart();
    new FloatingIPPool(other, "pool", { ips: ["8.8.8.8"] }).addIps("8.8.8.8", "x");
    expect(refusals(other).map((line) => line.slice(0, 40))).to.deep.equal([
      '[test/pool] ips[1]: "8.8.8.8" is listed ',
      '[test/pool] ips[2]: "x" is not an IP add',
    ]);
  });

  it("adds tolerations to a record set", () => {
    const chart = newChart();
    const records = new NodeDNSRecordSet(chart, "nodes", { dnsRecord: DnsRecord.digitalOcean("a", "example.com") });
    records.addTolerations(Toleration.all());
    expect(only(chart, "NodeDNSRecordSet").spec["match"]).to.deep.equal({ tolerations: [{ operator: "Exists" }] });
  });

  it("allows a namespace to use a class, also after a RoutedIP refers to the class", () => {
    const chart = newChart({ namespace: "voice" });
    const made = new ClusterRoutedIPClass(chart, "class", {
      metadata: { name: "public" },
      implementation: ClassImplementation.jobs(JOB, JOB),
      allowedNamespaces: ["mail"],
    });
    const implementation = RoutedIPImplementation.clusterClass(made);
    new RoutedIP(chart, "ip", { implementation, service: ServiceRef.fromServiceName("sip") });
    expect(refusals(chart)).to.have.length(1);
    made.allowNamespace("voice");
    made.addSecrets(SecretRef.fromSecretName("rack"));
    expect(made.allowedNamespaces).to.deep.equal(["mail", "voice"]);
    expect(only(chart, "ClusterRoutedIPClass").spec).to.deep.include({
      allowedNamespaces: ["mail", "voice"],
      fromSecretsRef: [{ name: "rack" }],
    });
  });

  it("limits a class without allowedNamespaces to the namespaces that it allows", () => {
    const chart = newChart();
    const made = new ClusterRoutedIPClass(chart, "class", { implementation: ClassImplementation.jobs(JOB, JOB) });
    expect(made.allowedNamespaces).to.equal(undefined);
    made.allowNamespace("voice", "mail");
    expect(only(chart, "ClusterRoutedIPClass").spec["allowedNamespaces"]).to.deep.equal(["voice", "mail"]);
  });
});
