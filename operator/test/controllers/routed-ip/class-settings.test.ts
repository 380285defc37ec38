import { KINDS } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { ClaimView } from "../../../src/claims/claims.js";
import { type DnsScene, lookUpDns } from "../../../src/controllers/routed-ip/gather-records.js";
import { RecordRegistry } from "../../../src/records/dns-service.js";
import { FirewallJobs } from "../../../src/routing/firewall-jobs.js";
import type { RoutedIP } from "../../../src/routing/read-resources.js";
import { classRules } from "../../../src/routing/resolved-class.js";
import type { RoutingCaches } from "../../../src/routing/shared-caches.js";
import { meta } from "../../claims/resources.js";
import { FakeDns } from "../../records/fake-dns.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { world } from "./routed-plans.js";

describe("a class of RoutedIPs", () => {
  it("has its scope, its fields and their defaults", () => {
    const { ClusterRoutedIPClass: byClass, RoutedIP: routed } = KINDS;
    expect([byClass.scope, routed.scope]).to.deep.equal(["Cluster", "Namespaced"]);
    const { firewallPostAllow, nodePortRange, perNodeIPLimit } = byClass.spec.properties;
    const defaults = [firewallPostAllow, nodePortRange, perNodeIPLimit].map((field) => field.default);
    expect(defaults).to.deep.equal([false, "30000-32767", 1]);
    expect(byClass.spec.properties).to.include.keys("fromSecretsRef", "updateRoutedIP", "updateFirewall");
    expect(routed.spec.properties).to.include.keys("className", "routedIP", "serviceRef");
    expect(routed.spec.properties.serviceRef.properties).to.have.keys("serviceName", "namespace");
    expect(routed.status.properties).to.include.keys("assignedNode");
    expect(classRules({})).to.deep.include({ postAllow: false, nodePortRange: "30000-32767", perNodeIPLimit: 1 });
  });

  describe("by its firewall Job", () => {
    const resolvedClass = classRules({});
    const port = (number: number, origin: "HostPort" | "NodePort") => ({
      ...({ protocol: "TCP", port: number, origin } as const),
    });
    const member = (status: RoutedIP["status"]): RoutedIP => ({
      metadata: meta("a"),
      spec: { className: "rack", serviceRef: { serviceName: "web" } },
      status,
    });
    const ports = [port(443, "HostPort"), port(30_080, "NodePort")];

    it("includes a RoutedIP only after its assignment", () => {
      const jobs = new FirewallJobs();
      const placed = member({ ports: [port(80, "HostPort")], assignedNode: "n1", providerID: "cloud://1" });
      const first = jobs.decide("rack", [placed], { resolvedClass, now: 0 });
      jobs.started("rack", {});
      jobs.succeeded("rack", first.do === "create" ? first.variables : {});
      const waiting = { ...member({ ports }), metadata: meta("b") };
      expect(jobs.decide("rack", [placed, waiting], { resolvedClass, now: 0 })).to.deep.equal({ do: "nothing" });
    });

    it("opens only ports outside the NodePort range, for the machine of the holder", () => {
      const placed = member({ ports, assignedNode: "n1", providerID: "cloud://1" });
      const decision = new FirewallJobs().decide("rack", [placed], { resolvedClass, now: 0 });
      expect(decision.do).to.equal("create");
      const rules: unknown = decision.do === "create" && JSON.parse(decision.variables["FIREWALL_RULES"] ?? "");
      expect(rules).to.deep.equal([{ protocol: "tcp", port: 443, nodes: [{ name: "n1", providerID: "cloud://1" }] }]);
    });
  });
});

describe("the wait for the account of the records of a RoutedIP", () => {
  const [ofIssuer, ofOperator] = [
    { calls: 1, until: 1_000 },
    { calls: 2, until: 2_000 },
  ];

  it("is that of the issuer's token, and of the operator's at another provider", () => {
    const made = world();
    const waitAt = (provider: string) => {
      const set = { dns: new FakeDns(provider), longWait: () => ofOperator };
      const context = {
        records: new RecordRegistry(new FakeClock(), 600_000),
        claims: { mayBeClaimed: () => true },
        providers: { names: ["digitalocean", "cloudflare"], get: () => set },
      };
      const routing = { context, settings: { namespace: "flipop" }, lookUp: { issuer: () => undefined } };
      const issued = { providers: { dns: new FakeDns("digitalocean"), longWait: () => ofIssuer } };
      const claims: ClaimView = { addresses: new Map(), names: [] };
      const scene = { resolvedClass: made.resolvedClass.get("a"), issued, claims, family: "IPv4" };
      const dnsRecordSet = { provider, zone: "example.com", recordName: "www" };
      const routed = { ...made.get("a"), spec: { ...made.get("a").spec, dnsRecordSet } };
      const found = lookUpDns(routing as unknown as RoutingCaches, routed, scene as unknown as DnsScene);
      return found.dns?.snapshot.longWait;
    };
    expect(waitAt("digitalocean")).to.equal(ofIssuer);
    expect(waitAt("cloudflare")).to.equal(ofOperator);
  });
});
