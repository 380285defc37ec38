import { App, Chart } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import { FloatingIPPool, RoutedIP, RoutedIPImplementation, RoutedIPIssuer, ServiceRef } from "../src";
import { refusals } from "./support/charts";

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
      service: ServiceRef.named("web"),
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
