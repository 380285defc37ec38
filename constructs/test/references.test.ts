import { ApiObject, App, Chart } from "cdk8s";
import { expect } from "chai";
import { Construct } from "constructs";
import { describe, it } from "mocha";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  Credentials,
  DnsRecord,
  FloatingIPPool,
  NodeDNSRecordSet,
  PodMatch,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  RoutedIPJob,
  SecretRef,
  ServiceRef,
} from "../src";
import { newChart, only, synth } from "./support/charts";

const POD = { apiVersion: "v1", kind: "Pod", metadata: { labels: { app: "web" } } };
const SERVICE = { apiVersion: "v1", kind: "Service", metadata: { name: "game" } };
const SECRET = { apiVersion: "v1", kind: "Secret", metadata: { name: "do" } };
const IPS = { ips: ["192.0.2.10"] };

/** A scope whose children come before those of a later sibling, which refers to them. */
function early(chart: Chart): Construct {
  return new Construct(chart, "early");
}

function kinds(chart: Chart): readonly string[] {
  return synth(chart).map(({ kind }) => kind);
}

describe("an object comes after those that it refers to", () => {
  it("a pool and a record set after a workload", () => {
    const chart = newChart();
    const [first, pod] = [early(chart), new ApiObject(chart, "pod", POD)];
    new FloatingIPPool(first, "pool", { ...IPS, pods: PodMatch.of(pod) });
    const dnsRecord = DnsRecord.digitalOcean("nodes", "example.com");
    new NodeDNSRecordSet(first, "nodes", { dnsRecord, pods: PodMatch.of(pod) });
    expect(kinds(chart)).to.deep.equal(["Pod", "FloatingIPPool", "NodeDNSRecordSet"]);
  });

  it("a RoutedIP after its Service, its class, the class's issuer and the issuer's Secret", () => {
    const chart = newChart({ namespace: "game" });
    const [a, b] = [new Construct(chart, "a"), new Construct(chart, "b")];
    const [c, d] = [new Construct(chart, "c"), new Construct(chart, "d")];
    const credentials = Credentials.fromSecret(new ApiObject(d, "secret", SECRET));
    const issuer = new RoutedIPIssuer(c, "issuer", { credentials });
    const clusterClass = new ClusterRoutedIPClass(b, "class", { implementation: ClassImplementation.issuer(issuer) });
    const implementation = RoutedIPImplementation.clusterClass(clusterClass);
    new RoutedIP(a, "ip", { implementation, service: ServiceRef.fromService(new ApiObject(d, "service", SERVICE)) });
    expect(kinds(chart)).to.deep.equal(["Secret", "RoutedIPIssuer", "ClusterRoutedIPClass", "Service", "RoutedIP"]);
  });

  it("a class after the Secrets of its Jobs", () => {
    const chart = newChart();
    const [first, secret] = [early(chart), new ApiObject(chart, "secret", SECRET)];
    const job = RoutedIPJob.container({ image: "registry.example/update:1" });
    const implementation = ClassImplementation.jobs(job, job);
    new ClusterRoutedIPClass(first, "class", { implementation, secrets: [SecretRef.fromSecret(secret)] });
    expect(kinds(chart)).to.deep.equal(["Secret", "ClusterRoutedIPClass"]);
  });

  it("a pool whose props have getters", () => {
    const chart = newChart();
    const [first, pod] = [early(chart), new ApiObject(chart, "pod", POD)];
    class Props {
      readonly ips = IPS.ips;
      get pods() {
        return PodMatch.of(pod);
      }
    }
    new FloatingIPPool(first, "pool", new Props());
    expect(kinds(chart)).to.deep.equal(["Pod", "FloatingIPPool"]);
  });

  it("but not after all children of the construct", () => {
    const chart = newChart();
    const web = new Construct(chart, "web");
    new ApiObject(web, "Default", POD);
    const pool = new FloatingIPPool(web, "pool", { ...IPS, pods: PodMatch.of(web) });
    new ApiObject(web, "after", { apiVersion: "v1", kind: "ConfigMap" }).addDependency(pool);
    expect(kinds(chart)).to.deep.equal(["Pod", "FloatingIPPool", "ConfigMap"]);
  });
});

describe("a reference to another chart", () => {
  function twoCharts() {
    const app = new App();
    const [user, owner] = [new Chart(app, "user"), new Chart(app, "owner")];
    const pod = new ApiObject(owner, "pod", POD);
    new FloatingIPPool(user, "pool", { ...IPS, pods: PodMatch.of(pod) });
    const credentials = Credentials.fromSecret(new ApiObject(owner, "secret", SECRET));
    const issuer = new RoutedIPIssuer(user, "issuer", { credentials });
    const implementation = RoutedIPImplementation.issuer(issuer);
    new RoutedIP(user, "ip", {
      implementation,
      service: ServiceRef.fromService(new ApiObject(owner, "service", SERVICE)),
    });
    return { app, user, owner };
  }

  it("writes the name", () => {
    expect(only(twoCharts().user, "FloatingIPPool").spec["match"]).to.deep.equal({ podLabel: "app=web" });
  });

  it("adds no dependency between charts, so their order and file names do not change", () => {
    const { app, user, owner } = twoCharts();
    app.synthYaml();
    expect([...user.node.dependencies, ...owner.node.dependencies]).to.deep.equal([]);
    expect(app.charts.map((chart) => chart.node.id)).to.deep.equal(["user", "owner"]);
  });
});

describe("names", () => {
  function named(ids: { readonly scope: string; readonly id: string }) {
    const chart = newChart({ namespace: "game" });
    const scope = new Construct(chart, ids.scope);
    const issuer = new RoutedIPIssuer(scope, `${ids.id}-issuer`, { metadata: { name: "do" } });
    new FloatingIPPool(scope, `${ids.id}-pool`, { ...IPS, metadata: { name: "ingress" } });
    const implementation = RoutedIPImplementation.issuer(issuer);
    const service = ServiceRef.fromServiceName("game");
    new RoutedIP(scope, `${ids.id}-ip`, { metadata: { name: "game" }, implementation, service });
    return synth(chart);
  }

  it("that are given do not change with construct ids, and neither does anything else", () => {
    expect(named({ scope: "x", id: "y" })).to.deep.equal(named({ scope: "one", id: "other" }));
  });

  it("that are not given come from the construct path", () => {
    const chart = newChart();
    new FloatingIPPool(chart, "pool", IPS);
    expect(only(chart, "FloatingIPPool").metadata.name).to.match(/^test-pool-[a-z0-9]{8}$/);
  });
});
