import { expect } from "chai";
import { type Client, type ControlPlane, controlPlaneOrSkip, eventually } from "flipop-testbed";
import { before, describe, it } from "mocha";
import { API_GROUP, customResourceDefinition, Finalizer, KINDS, type KindName } from "../../src/api";
import { looserDefinition } from "../data/looser-definitions";
import { askedPart } from "../support/asked-part";
import { CRDS, collection, resource } from "../support/cluster";

/** Specs that the Go operator's schema accepts and flipop's schema rejects. */
const STORED: readonly { readonly kind: KindName; readonly name: string; readonly spec: unknown }[] = [
  {
    kind: "FloatingIPPool",
    name: "an-address-twice",
    spec: { provider: "digitalocean", ips: ["192.0.2.1", "192.0.2.1"] },
  },
  {
    kind: "FloatingIPPool",
    name: "a-bad-record-name",
    spec: { provider: "digitalocean", desiredIPs: 1, dnsRecordSet: { recordName: "a b", zone: "example.com" } },
  },
  {
    kind: "FloatingIPPool",
    name: "a-bad-selector",
    spec: { provider: "digitalocean", ips: ["192.0.2.1"], match: { nodeLabel: "a b" } },
  },
  { kind: "FloatingIPPool", name: "an-unknown-provider", spec: { provider: "nowhere", desiredIPs: 1 } },
  { kind: "FloatingIPPool", name: "no-addresses", spec: { provider: "digitalocean" } },
  {
    kind: "FloatingIPPool",
    name: "mixed-families",
    spec: { provider: "digitalocean", ips: ["192.0.2.1", "2001:db8::1"] },
  },
  { kind: "FloatingIPPool", name: "a-leading-zero", spec: { provider: "digitalocean", ips: ["01.2.3.4"] } },
  {
    kind: "FloatingIPPool",
    name: "an-empty-record-set",
    spec: { provider: "digitalocean", desiredIPs: 1, dnsRecordSet: {} },
  },
  { kind: "FloatingIPPool", name: "a-huge-pool", spec: { provider: "digitalocean", desiredIPs: 5000 } },
  { kind: "FloatingIPPool", name: "no-spec", spec: undefined },
  { kind: "NodeDNSRecordSet", name: "no-record-set", spec: { provider: "digitalocean" } },
  {
    kind: "NodeDNSRecordSet",
    name: "a-bad-pod-selector",
    spec: { provider: "digitalocean", match: { podLabel: "=" }, dnsRecordSet: { recordName: "a", zone: "b" } },
  },
  {
    kind: "NodeDNSRecordSet",
    name: "an-address-type-that-is-none",
    spec: { provider: "digitalocean", addressType: "Hostname", dnsRecordSet: { recordName: "a", zone: "b" } },
  },
  {
    kind: "NodeDNSRecordSet",
    name: "a-negative-ttl",
    spec: { provider: "digitalocean", dnsRecordSet: { recordName: "a", zone: "b", ttl: -5 } },
  },
];

for (const release of [undefined, "1.32"]) {
  describe(`resources stored under the Go operator's schema, on Kubernetes ${release ?? "1.35"}`, () => {
    let client: Client;

    before(async function () {
      // A control plane of its own: the definitions of this suite would disturb the others.
      const identities = [{ name: `looser-schema-${release ?? "newest"}`, groups: [] }];
      const plane: ControlPlane = await controlPlaneOrSkip(this, {
        identities,
        ...(release === undefined ? {} : { emulatedVersion: release }),
      });
      client = plane.client();
      await storeUnderLooserSchema(client);
      await upgradeDefinitions(client);
    });

    for (const { kind, name, spec } of STORED) {
      const path = `${collection(kind)}/${name}`;

      it(`${kind} ${name} stays readable`, async () => {
        const { body, status } = await client.get(path);
        expect(status).to.equal(200);
        expect(askedPart(body["spec"], spec)).to.deep.equal(spec);
      });

      it(`${kind} ${name} accepts a status, a finalizer and an annotation`, async () => {
        const condition = {
          type: "Ready",
          status: "False",
          reason: "Invalid",
          message: "m",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        };
        await client.must.patch(`${path}/status`, { status: { error: "bad", conditions: [condition] } });
        await client.must.patch(path, {
          metadata: { finalizers: [Finalizer.cleanup], annotations: { [`${API_GROUP}/x`]: "y" } },
        });
        await client.must.patch(path, { metadata: { finalizers: null } });
        const { metadata, status } = await client.must.get(path);
        expect(metadata.annotations).to.deep.equal({ [`${API_GROUP}/x`]: "y" });
        expect(status).to.deep.include({ error: "bad" });
      });
    }

    it("refuse a new mistake beside an old one", async () => {
      const path = `${collection("FloatingIPPool")}/a-bad-selector`;
      const { status, body } = await client.patch(path, { spec: { ips: ["x"] } });
      expect(status).to.equal(422);
      expect(String(body["message"])).to.include('"x" is not an IP address');
    });

    it("accept a created address although another field is wrong", async () => {
      const path = `${collection("FloatingIPPool")}/a-bad-selector`;
      await client.must.patch(path, { spec: { ips: ["192.0.2.1", "192.0.2.2"] } });
    });
  });
}

async function storeUnderLooserSchema(client: Client): Promise<void> {
  for (const kind of [KINDS.FloatingIPPool, KINDS.NodeDNSRecordSet]) {
    await client.must.create(CRDS, looserDefinition(kind));
    await eventually(async () => (await client.list(collection(kind.kind as KindName))).status === 200, {
      what: `${kind.kind} to be served`,
    });
  }
  for (const { kind, name, spec } of STORED) await client.must.create(collection(kind), resource(kind, spec, name));
}

async function upgradeDefinitions(client: Client): Promise<void> {
  for (const kind of [KINDS.FloatingIPPool, KINDS.NodeDNSRecordSet]) {
    const { metadata, spec } = customResourceDefinition(kind);
    await client.must.patch(`${CRDS}/${metadata.name}`, { spec });
    // The new schema is in force as soon as it rejects something.
    const bad = resource(kind.kind as KindName, undefined);
    const refused = async () =>
      (await client.create(collection(kind.kind as KindName), bad, { dryRun: "All" })).status === 422;
    await eventually(refused, { what: `the new schema of ${kind.kind}` });
  }
}
