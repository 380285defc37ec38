import { expect } from "chai";
import fc from "fast-check";
import type { Client } from "flipop-testbed";
import { before, describe, it } from "mocha";
import { type KindName, parseLabelSelector, validateSpec } from "../../src/api";
import { minimalSpec } from "../data/minimal-specs";
import { addressText, portRangeText, selectorText } from "../support/arbitraries";
import { clusterWithCrds, collection, resource } from "../support/cluster";

const RUNS = 250;

/** Usually `usual`, sometimes something else, so that about half of all specs are valid. */
function sometimes(odd: fc.Arbitrary<unknown>, usual?: unknown): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 7, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: odd });
}

function oneOf(...values: unknown[]): fc.Arbitrary<unknown> {
  return fc.constantFrom(...values);
}

const small = sometimes(oneOf(-1, 0, 1, 3, 1.5, 2000, "1", null, true));
const choice = sometimes(oneOf("Retain", "Delete", "Keep", "Stable", "Name", "IPv4", "IPv6", "", "x", null));
const name = sometimes(oneOf("a.b", "", "A", "-a", null, 1), "a");
const recordSet = fc.record({ recordName: name, zone: name, ttl: small, deletionPolicy: choice });
const match = fc.record({
  podNamespace: sometimes(oneOf("ingress", "", "A", "-a")),
  podLabel: sometimes(selectorText),
  tolerations: sometimes(oneOf([], [{ key: "a", value: null }], [{ value: "_" }], [{ effect: 1 }], [null], "x")),
  unknown: sometimes(oneOf(1, null)),
});

const SPECS: Readonly<Record<KindName, fc.Arbitrary<object>>> = {
  FloatingIPPool: fc.record({
    provider: name,
    ips: sometimes(fc.oneof(fc.array(addressText, { maxLength: 2 }), fc.array(fc.ipV4(), { maxLength: 2 })), [
      "192.0.2.1",
    ]),
    desiredIPs: small,
    ipFamily: choice,
    nodePreference: choice,
    gracePeriodSeconds: small,
    assignmentCoolOffSeconds: small,
    reclaimPolicy: choice,
    paused: sometimes(oneOf(true, "true", null)),
    unknown: sometimes(oneOf(1, null)),
    dnsRecordSet: sometimes(recordSet),
    match: sometimes(match),
  }),
  NodeDNSRecordSet: fc.record({
    dnsRecordSet: sometimes(recordSet, { recordName: "a", zone: "b" }),
    addressType: sometimes(oneOf("", "ExternalIP", "Hostname", "flipop.digitalocean.com/ipv6-reserved-ip")),
    ipFamilies: sometimes(oneOf([], ["IPv4"], ["IPv6"], ["IPv6", "IPv4"], ["IPv4", "IPv4"], ["x"])),
    emptyPolicy: choice,
    match: sometimes(match),
  }),
  RoutedIP: fc.record({
    className: sometimes(oneOf("Public", "", undefined, null), "public"),
    issuerRef: sometimes(oneOf({ name: "a" }, { name: "A" }, {}, null)),
    routedIP: sometimes(addressText),
    serviceRef: sometimes(fc.record({ serviceName: name, namespace: name }), { serviceName: "a" }),
    dnsRecordSet: sometimes(recordSet),
  }),
  RoutedIPIssuer: fc.record({
    provider: name,
    credentialsSecretRef: sometimes(fc.record({ name, key: name })),
    routedIPReclaimPolicy: choice,
    routedIPFirewallName: name,
  }),
  ClusterRoutedIPClass: fc.record({
    issuerRef: sometimes(oneOf({ name: "a" }, {}, undefined, null), { name: "a", namespace: "b" }),
    updateRoutedIP: sometimes(oneOf({}, { template: {} }, "x", null)),
    updateFirewall: sometimes(oneOf({}, null)),
    nodePortRange: sometimes(portRangeText),
    perNodeIPLimit: small,
    fromSecretsRef: sometimes(oneOf([{ name: "a" }], [{ name: null }], [{}], [{ name: "A" }])),
    jobNamespace: sometimes(name),
    electedNodeTaint: sometimes(oneOf({}, { key: "flipop.digitalocean.com/a" }, { key: "a" }, { effect: "NoExecute" })),
    allowedNamespaces: sometimes(oneOf(["a"], ["a", "a"], ["A"])),
  }),
};

describe("validateSpec and the API server", () => {
  let client: Client;

  before(async function () {
    client = (await clusterWithCrds(this)).client();
  });

  for (const kind of Object.keys(SPECS) as KindName[]) {
    it(`agree on every ${kind}`, async () => {
      await agreeOn(kind, SPECS[kind]);
    });
  }

  it("agree on updates of a RoutedIP", async () => {
    const path = collection("RoutedIP", await client.tempNamespace());
    const old = minimalSpec("RoutedIP");
    await client.must.create(path, resource("RoutedIP", old, "web"));
    for (const spec of [
      old,
      { ...old, paused: true },
      { ...old, className: "b" },
      { ...old, className: null, issuerRef: { name: "a" } },
    ]) {
      const { status } = await client.patch(`${path}/web`, { spec }, "merge", { dryRun: "All" });
      expect(validateSpec("RoutedIP", spec, old).length === 0, JSON.stringify(spec)).to.equal(status === 200);
    }
  });

  it("agree on addresses", async () => {
    await agreeOn(
      "FloatingIPPool",
      addressText.map((ip) => ({ ...minimalSpec("FloatingIPPool"), ips: [ip] })),
    );
  });

  it("agree on label selectors", async () => {
    const specs = selectorText.map((nodeLabel) => ({ ...minimalSpec("FloatingIPPool"), match: { nodeLabel } }));
    await agreeOn("FloatingIPPool", specs);
  });

  it("agree on port ranges", async () => {
    const specs = portRangeText.map((nodePortRange) => ({ ...minimalSpec("ClusterRoutedIPClass"), nodePortRange }));
    await agreeOn("ClusterRoutedIPClass", specs);
  });

  it("agree with the server's own parser on label selectors", async () => {
    const property = fc.asyncProperty(selectorText, async (labelSelector) => {
      const { status } = await client.list("/api/v1/nodes", { labelSelector, limit: 1 });
      expect(parseLabelSelector(labelSelector).ok, `the server answers ${status}`).to.equal(status === 200);
    });
    await fc.assert(property, { numRuns: 4 * RUNS });
  });

  async function agreeOn(kind: KindName, specs: fc.Arbitrary<object>): Promise<void> {
    let accepted = 0;
    const property = fc.asyncProperty(specs, async (spec) => {
      const query = { fieldValidation: "Strict", dryRun: "All" };
      const { status, body } = await client.create(collection(kind), resource(kind, spec), query);
      const ours = validateSpec(kind, spec);
      const detail = `server: ${status} ${String(body["message"])}; ours: ${JSON.stringify(ours)}`;
      expect(ours.length === 0, detail).to.equal(status === 201);
      if (status === 201) accepted += 1;
    });
    await fc.assert(property, { numRuns: RUNS });
    // A generator of only valid or only invalid specs would prove nothing.
    expect(accepted / RUNS).to.be.within(0.1, 0.9);
  }
});
