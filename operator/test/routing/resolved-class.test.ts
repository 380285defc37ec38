import type { ClusterRoutedIPClassSpec, RoutedIPSpec, RoutedIPStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { nameProblem } from "../../src/routing/address-and-name-access.js";
import { readClass } from "../../src/routing/read-resources.js";
import { exclusionRemark, type LookUp, resolveClass } from "../../src/routing/resolved-class.js";
import { meta } from "../claims/resources.js";

describe("the terms of a RoutedIP", () => {
  const issuerRef = { name: "do", namespace: "flipop" };
  const lookUp = (spec: ClusterRoutedIPClassSpec | undefined): LookUp => ({
    class: () => (spec === undefined ? undefined : { metadata: meta("public"), spec }),
    issuer: (key) =>
      key === "flipop/do" || key === "default/mine"
        ? { metadata: meta("do"), spec: { provider: "digitalocean", routedIPFirewallName: "ingress" } }
        : undefined,
  });
  const resolvedClass = (spec: Partial<RoutedIPSpec>, cls?: ClusterRoutedIPClassSpec) =>
    resolveClass({ metadata: meta("a"), spec: { serviceRef: { serviceName: "web" }, ...spec } }, lookUp(cls));

  it("are those of its class", () => {
    const made = resolvedClass(
      { className: "public" },
      { issuerRef, perNodeIPLimit: 2, firewallPostAllow: true },
    ).resolvedClass;
    expect(made).to.deep.include({ by: "issuer", issuer: "flipop/do", perNodeIPLimit: 2, postAllow: true });
    expect(
      resolvedClass({ className: "public" }, { updateRoutedIP: {}, updateFirewall: {} }).resolvedClass?.by,
    ).to.equal("jobs");
  });

  it("are none for a RoutedIP that is newer than the deletion of its class, unless it names or has an address", () => {
    const at = (hour: string) => `2025-06-01T${hour}:00:00Z`;
    const deleted = { ...meta("public"), deletionTimestamp: at("10") };
    const classes: LookUp = { ...lookUp(undefined), class: () => ({ metadata: deleted, spec: { issuerRef } }) };
    const reasonOf = (hour: string, ip: { readonly spec?: object; readonly status?: RoutedIPStatus } = {}) => {
      const metadata = { ...meta("a"), creationTimestamp: at(hour) };
      const spec = { serviceRef: { serviceName: "web" }, className: "public", ...ip.spec };
      return resolveClass({ metadata, spec, ...(ip.status && { status: ip.status }) }, classes).problem?.reason;
    };
    expect(reasonOf("11")).to.equal("ClassNotFound");
    expect(reasonOf("09"), "an older one").to.equal(undefined);
    expect(reasonOf("11", { spec: { routedIP: "203.0.113.7" } }), "a replacement").to.equal(undefined);
    expect(reasonOf("11", { status: { routedIP: "203.0.113.7" } }), "it has one").to.equal(undefined);
  });

  it("are all defaults with an issuer of its own namespace, and of no other", () => {
    const made = resolvedClass({ issuerRef: { name: "mine" } }).resolvedClass;
    expect(made).to.deep.include({ issuer: "default/mine", perNodeIPLimit: 1, nodePortRange: "30000-32767" });
    expect(made).to.deep.include({ reclaimPolicy: "Retain", postAllow: false });
    expect(made?.taint).to.deep.equal({ key: "flipop.digitalocean.com/routed-ip", effect: "PreferNoSchedule" });
    expect(resolvedClass({ issuerRef: { name: "do" } }).problem?.reason).to.equal("IssuerNotFound");
  });

  for (const wrong of [{ allowedNamespaces: "team" }, { allowedPorts: { port: 443 } }, { maxPorts: "all" }]) {
    const [field = ""] = Object.keys(wrong);
    it(`allow nothing where the stored ${field} of the class cannot be read, and name the field`, () => {
      const stored = readClass({ metadata: meta("public"), spec: { issuerRef, ...wrong } });
      const applicant = { metadata: meta("a"), spec: { serviceRef: { serviceName: "web" }, className: "public" } };
      const found = resolveClass(applicant, { ...lookUp(undefined), class: () => stored }).resolvedClass;
      expect(found?.wrongLimits?.message).to.include("ClusterRoutedIPClass public").and.include(`spec.${field}`);
    });
  }

  it("name the class that has another className than its object", () => {
    const applicant = { metadata: meta("a"), spec: { serviceRef: { serviceName: "web" }, className: "public" } };
    const renamed = { ...lookUp(undefined), classNameOf: () => "internet" };
    expect(resolveClass(applicant, renamed).problem?.message)
      .to.include("the object ClusterRoutedIPClass public has spec.className internet")
      .and.include("create it again with className internet");
  });

  it("name the object of the class in what they refuse, since kubectl finds it by no other name", () => {
    const applicant = { metadata: meta("a"), spec: { serviceRef: { serviceName: "web" }, className: "public" } };
    const classes = (spec: ClusterRoutedIPClassSpec): LookUp => ({
      ...lookUp(spec),
      class: () => ({ metadata: meta("public-2026"), spec: { className: "public", ...spec } }),
    });
    for (const spec of [{ issuerRef, allowedNamespaces: ["team"] }, {}]) {
      const { message = "" } = resolveClass(applicant, classes(spec)).problem ?? {};
      expect(message).to.include("ClusterRoutedIPClass public-2026 ");
    }
    const { nameAccess } = resolveClass(applicant, classes({ issuerRef })).resolvedClass ?? {};
    expect(JSON.stringify(nameAccess)).to.include("ClusterRoutedIPClass public-2026");
  });

  it("name what is wrong with the stored spec of the class, not what the class lacks without it", () => {
    const resolved = (spec: object) => {
      const cls = readClass({ apiVersion: "", kind: "", metadata: meta("public"), spec });
      const applicant = { metadata: meta("a"), spec: { serviceRef: { serviceName: "web" }, className: "public" } };
      return resolveClass(applicant, { ...lookUp({}), class: () => cls });
    };
    expect(resolved({ issuerRef: { name: "do" } }).problem?.message).to.match(
      /^ClusterRoutedIPClass public has an invalid spec: spec\.issuerRef\.namespace: .+; fix: have/,
    );
    const asked = { zone: "example.com", normal: { zone: "example.com", fqdn: "www.example.com" }, namespace: "team" };
    const token = { provider: "digitalocean", namespace: "elsewhere" };
    const named = (spec: object) => {
      const { nameAccess = { lists: [], sources: [] } } = resolved({ issuerRef, ...spec }).resolvedClass ?? {};
      return nameProblem(asked, nameAccess, token);
    };
    expect(named({ allowedNames: "www.example.com" })?.message).to.match(
      /^the spec of ClusterRoutedIPClass public is invalid \(spec\.allowedNames: .+\), so the operator .+ correct them$/,
    );
    expect(named({ maxPorts: -1 })?.id, "a mistake elsewhere").to.equal("access.noNameAllowed");
  });

  it("are refused with a reason", () => {
    const rows: readonly (readonly [Partial<RoutedIPSpec>, ClusterRoutedIPClassSpec | undefined, string])[] = [
      [{}, undefined, "Invalid"],
      [{ className: "public", issuerRef: { name: "mine" } }, { issuerRef }, "Invalid"],
      [{ className: "public" }, undefined, "ClassNotFound"],
      [{ className: "public" }, {}, "Invalid"],
      [{ className: "public" }, { updateFirewall: {} }, "Invalid"],
      [{ className: "public" }, { issuerRef, updateRoutedIP: {}, updateFirewall: {} }, "Invalid"],
      [{ className: "public" }, { issuerRef, allowedNamespaces: ["team"] }, "NamespaceNotAllowed"],
      [{ className: "public" }, { issuerRef: { name: "x", namespace: "flipop" } }, "IssuerNotFound"],
    ];
    for (const [spec, cls, reason] of rows) expect(resolvedClass(spec, cls).problem?.reason).to.equal(reason);
  });

  it("keep the address that a RoutedIP has, though the class no longer allows the namespace, and give it no other", () => {
    const of = (asked: string | undefined, status: RoutedIPStatus) => {
      const spec = { className: "public", serviceRef: { serviceName: "web" }, ...(asked && { routedIP: asked }) };
      const applicant = { metadata: meta("a"), spec, status };
      const { resolvedClass: found, problem } = resolveClass(
        applicant,
        lookUp({ issuerRef, allowedNamespaces: ["team"] }),
      );
      return (exclusionRemark(found ?? {}) ?? problem)?.message.includes("keeps its address");
    };
    const [kept, refused] = [true, false];
    const had = { routedIP: "203.0.113.7", providerID: "digitalocean://1" };
    expect(of(undefined, had)).to.equal(kept);
    expect(of("203.0.113.7", had)).to.equal(kept);
    expect(of("203.0.113.8", had)).to.equal(refused);
    expect(of("203.0.113.7", { routedIP: "203.0.113.7" })).to.equal(refused);
    expect(of(undefined, {})).to.equal(refused);
  });
});
