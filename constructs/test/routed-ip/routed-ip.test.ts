import { ApiObject, type Chart, Duration } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  ClusterRoutedIPClass,
  DnsRecord,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  ServiceRef,
} from "../../src";
import { newChart, only, refusals } from "../support/charts";

function issuer(chart: Chart, namespace?: string): RoutedIPImplementation {
  return RoutedIPImplementation.issuer(RoutedIPIssuer.fromRoutedIPIssuerName(chart, "issuer", "do", namespace));
}

function service(chart: Chart, namespace: string, annotations: Record<string, string> = {}): ServiceRef {
  const metadata = { name: "game", namespace, annotations };
  return ServiceRef.fromService(
    new ApiObject(chart, "service", { apiVersion: "v1", kind: "Service", metadata, spec: {} }),
  );
}

describe("RoutedIP", () => {
  it("writes only the given props", () => {
    const chart = newChart({ namespace: "game" });
    const metadata = { name: "game" };
    new RoutedIP(chart, "address", {
      metadata,
      implementation: issuer(chart),
      service: ServiceRef.fromServiceName("game"),
    });
    expect(only(chart, "RoutedIP")).to.deep.equal({
      apiVersion: "flipop.digitalocean.com/v1alpha1",
      kind: "RoutedIP",
      metadata: { name: "game", namespace: "game" },
      spec: { issuerRef: { name: "do" }, serviceRef: { serviceName: "game" } },
    });
  });

  it("writes each prop into its field", () => {
    const chart = newChart();
    const clusterClass = ClusterRoutedIPClass.fromClusterRoutedIPClassName(chart, "class", "public");
    new RoutedIP(chart, "address", {
      implementation: RoutedIPImplementation.clusterClass(clusterClass),
      service: ServiceRef.fromServiceName("game", "games"),
      address: "192.0.2.20",
      dnsRecord: DnsRecord.digitalOcean("game", "example.com"),
      gracePeriod: Duration.hours(1),
      paused: true,
    });
    expect(only(chart, "RoutedIP").spec).to.deep.equal({
      className: "public",
      serviceRef: { serviceName: "game", namespace: "games" },
      routedIP: "192.0.2.20",
      dnsRecordSet: { provider: "digitalocean", recordName: "game", zone: "example.com" },
      gracePeriodSeconds: 3600,
      paused: true,
    });
  });

  it("omits the namespace of a Service in its own namespace", () => {
    const chart = newChart({ namespace: "game" });
    new RoutedIP(chart, "address", { implementation: issuer(chart), service: service(chart, "game") });
    expect(only(chart, "RoutedIP").spec["serviceRef"]).to.deep.equal({ serviceName: "game" });
  });

  it("follows a Service of another namespace that allows it", () => {
    const chart = newChart({ namespace: "edge" });
    const annotations = { "flipop.digitalocean.com/allow-routed-ip-from": "other, edge" };
    new RoutedIP(chart, "address", { implementation: issuer(chart), service: service(chart, "game", annotations) });
    expect(only(chart, "RoutedIP").spec["serviceRef"]).to.deep.equal({ serviceName: "game", namespace: "game" });
  });

  it("accepts an issuer of its own namespace, or of an unknown one", () => {
    for (const namespace of ["game", undefined]) {
      const chart = newChart({ namespace: "game" });
      new RoutedIP(chart, "address", {
        implementation: issuer(chart, namespace),
        service: ServiceRef.fromServiceName("game"),
      });
      expect(refusals(chart)).to.deep.equal([]);
    }
  });
});
