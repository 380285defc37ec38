import { ApiObject, App, Chart } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  AddressType,
  DnsRecord,
  FloatingIPPool,
  IpFamily,
  NodeDNSRecordSet,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  ServiceRef,
} from "../../src";
import { refusals } from "../support/charts";

describe("two resources of an app", () => {
  it("that list the same address are refused, with both paths", () => {
    const chart = new Chart(new App(), "web");
    new FloatingIPPool(chart, "blue", { ips: ["2001:db8::1"] });
    new FloatingIPPool(chart, "green", { ips: ["2001:db8::2", "2001:DB8:0::1"] });
    expect(refusals(chart)).to.deep.equal([
      '[web/green] ips[1]: "2001:DB8:0::1" is also listed by web/blue: remove it from one of the two',
    ]);
  });

  it("that list different addresses are accepted", () => {
    const chart = new Chart(new App(), "web");
    new FloatingIPPool(chart, "blue", { ips: ["192.0.2.1"] });
    new FloatingIPPool(chart, "green", { ips: ["192.0.2.2"] });
    new FloatingIPPool(chart, "created", { region: "nyc3", desiredIps: 1 });
    expect(refusals(chart)).to.deep.equal([]);
  });

  it("must not list the same address in two charts, whatever their kinds", () => {
    const app = new App();
    new FloatingIPPool(new Chart(app, "former"), "pool", { ips: ["192.0.2.1"], paused: true });
    const next = new Chart(app, "next");
    new RoutedIP(next, "address", {
      implementation: RoutedIPImplementation.issuer(RoutedIPIssuer.fromRoutedIPIssuerName(next, "issuer", "issuer")),
      service: ServiceRef.fromServiceName("web"),
      address: "192.0.2.1",
    });
    expect(refusals(next)).to.deep.equal([
      '[next/address] address: "192.0.2.1" is also listed by former/pool: remove it from one of the two',
    ]);
  });

  it("may list the same address in charts for two clusters", () => {
    const app = new App();
    for (const cluster of ["staging", "prod"]) {
      new FloatingIPPool(new Chart(app, cluster), "pool", { ips: ["192.0.2.1"], cluster });
    }
    expect(refusals(app.charts[0] as Chart)).to.deep.equal([]);
  });

  it("are compared in one pass over the app, whatever their number", () => {
    const passes = (count: number): number => {
      const chart = new Chart(new App(), "web");
      for (let index = 0; index < count; index += 1) {
        new FloatingIPPool(chart, `pool-${index}`, { ips: [`10.0.${index >> 8}.${index & 255}`] });
      }
      let calls = 0;
      for (const { node } of [chart, chart.node.root]) {
        const findAll = node.findAll.bind(node);
        node.findAll = (...args) => {
          calls += 1;
          return findAll(...args);
        };
      }
      expect(refusals(chart)).to.deep.equal([]);
      return calls;
    };
    expect(passes(300)).to.equal(passes(3));
  });
});

describe("two resources with the same record set", () => {
  const chartOf = (namespace: string, app = new App()): Chart => new Chart(app, namespace, { namespace });
  const www = (name: string): DnsRecord => DnsRecord.digitalOcean(name, "example.com");

  it("are refused, however they write its name", () => {
    const app = new App();
    new FloatingIPPool(chartOf("a", app), "pool", { ips: ["8.8.8.8"], dnsRecord: www("www") });
    const chart = chartOf("b", app);
    new NodeDNSRecordSet(chart, "nodes", { dnsRecord: www("WWW.example.com.") });
    expect(refusals(chart)).to.deep.equal([
      '[b/nodes] dnsRecord: A record set "www.example.com" is also that of a/pool: give each its own name',
    ]);
  });

  it("are accepted if they have other families, names, zones, providers or clusters", () => {
    const app = new App();
    const chart = chartOf("a", app);
    new FloatingIPPool(chart, "v4", { ips: ["8.8.8.8"], dnsRecord: www("www") });
    new FloatingIPPool(chart, "v6", { ips: ["2600::1"], dnsRecord: www("www") });
    new NodeDNSRecordSet(chart, "name", { dnsRecord: www("nodes") });
    new NodeDNSRecordSet(chart, "zone", { dnsRecord: DnsRecord.digitalOcean("www", "example.net") });
    new NodeDNSRecordSet(chart, "provider", { dnsRecord: DnsRecord.cloudflare("www", "example.com") });
    new NodeDNSRecordSet(chartOf("b", app), "cluster", { dnsRecord: www("www"), cluster: "staging" });
    expect(refusals(chart)).to.deep.equal([]);
  });

  it("are refused for each family that both publish", () => {
    const chart = chartOf("a");
    const ipFamilies = [IpFamily.IPV4, IpFamily.IPV6];
    new NodeDNSRecordSet(chart, "one", { dnsRecord: www("www"), ipFamilies });
    new NodeDNSRecordSet(chart, "two", { dnsRecord: www("www"), addressType: AddressType.RESERVED_IPV6 });
    expect(refusals(chart)).to.deep.equal([
      '[a/two] dnsRecord: AAAA record set "www.example.com" is also that of a/one: give each its own name',
    ]);
  });
});

describe("an object from outside of this library", () => {
  const raw = (chart: Chart, id: string): ApiObject =>
    new ApiObject(chart, id, {
      apiVersion: "flipop.digitalocean.com/v1alpha1",
      kind: "FloatingIPPool",
      metadata: { name: id },
      spec: { provider: "digitalocean", ips: ["8.8.8.8"] },
    });

  it("keeps its addresses, wherever it is in the app", () => {
    for (const first of [true, false]) {
      const chart = new Chart(new App(), "web");
      if (first) raw(chart, "raw");
      new FloatingIPPool(chart, "pool", { ips: ["8.8.8.8"] });
      if (!first) raw(chart, "raw");
      expect(refusals(chart)).to.deep.equal([
        '[web/pool] ips[0]: "8.8.8.8" is also listed by web/raw: remove it from one of the two',
      ]);
    }
  });
});
