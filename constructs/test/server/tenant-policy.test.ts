import { expect } from "chai";
import { type Answer, type Client, eventually, type KubeObject } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { OperatorFeature } from "../../src";
import { GROUP_VERSION } from "../../src/api";
import { identityOf, installOperator, operatorCluster, typeWarnings } from "../support/operator-cluster";

const NAME = "limited";
const POLICY = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/${NAME}-${NAME}-tenants`;
const ZONE = "example.com";
const LIMITED = "team-limited";
const EXEMPT = "team-platform";
/** A namespace with as many ranges as an entry can have. */
const LARGE = "large";
const LIMITS = {
  maxCreatedAddresses: 20,
  namespaces: [
    { names: [EXEMPT] },
    {
      names: ["team-*"],
      allowedNames: [`*.{namespace}.${ZONE}`, `{namespace}.${ZONE}`],
      allowedZones: [ZONE, "a1b2"],
      allowedAddresses: ["203.0.113.0/28", "2001:db8::/64"],
      maxCreatedAddresses: 2,
    },
    {
      names: [LARGE],
      allowedAddresses: [
        ...Array.from({ length: 63 }, (_, index) => `2001:db9:a:b:c:d:e:${index}00/120`),
        "2001:db8::/32",
      ],
    },
    { names: ["created-*"], allowedAddresses: ["Created"], allowedNames: [] },
  ],
};

describe("limits of tenants at the API server", () => {
  let admin: Client;
  let operator: Client;
  let count = 0;

  before(async function () {
    const plane = await operatorCluster(this);
    admin = plane.client();
    operator = plane.client(identityOf(NAME));
    const namespaces = [LIMITED, EXEMPT, LARGE, "created-one", "elsewhere"];
    for (const name of namespaces) await admin.create("/api/v1/namespaces", { metadata: { name } });
    const { POOLS, DNS } = OperatorFeature;
    await installOperator(plane, { name: NAME, namespace: NAME, features: [POOLS, DNS], tenantLimits: LIMITS });
    await eventually(async () => (await pool(LIMITED, { ips: ["198.51.100.1"] })).status !== 201, {
      what: "the policy to take effect",
    });
  });

  // The policy applies to the whole cluster, in which other tests create pools.
  after(async () => {
    const binding = POLICY.replace("validatingadmissionpolicies", "validatingadmissionpolicybindings");
    for (const path of [binding, POLICY]) await admin.delete(path);
    await eventually(async () => (await pool(LIMITED, { ips: ["198.51.100.1"] })).status === 201, {
      what: "the end of the policy",
    });
  });

  function pool(namespace: string, spec: object): Promise<Answer<KubeObject>> {
    count += 1;
    const body = {
      ...typed("FloatingIPPool"),
      metadata: { name: `pool-${count}` },
      spec: { provider: "digitalocean", region: "nyc3", ...spec },
    };
    return admin.create(`/apis/${GROUP_VERSION}/namespaces/${namespace}/floatingippools`, body);
  }

  function recordSet(namespace: string, recordName: string, zone = ZONE): Promise<Answer<KubeObject>> {
    count += 1;
    const body = {
      ...typed("NodeDNSRecordSet"),
      metadata: { name: `set-${count}` },
      spec: { dnsRecordSet: { recordName, zone } },
    };
    return admin.create(`/apis/${GROUP_VERSION}/namespaces/${namespace}/nodednsrecordsets`, body);
  }

  async function refused(answer: Promise<Answer<KubeObject>>, ...words: readonly string[]): Promise<void> {
    const { status, body } = await answer;
    expect(status, JSON.stringify(body)).to.be.oneOf([403, 422]);
    for (const word of words) expect(JSON.stringify(body)).to.contain(word);
  }

  async function accepted(answer: Promise<Answer<KubeObject>>): Promise<KubeObject> {
    const { status, body } = await answer;
    expect(status, JSON.stringify(body)).to.be.oneOf([200, 201]);
    return body;
  }

  it("come with a policy that type-checks without a warning", async () => {
    expect(await typeWarnings(admin, POLICY)).to.deep.equal([]);
  });

  it("refuse names and zones of other namespaces, for pools and record sets", async () => {
    await refused(recordSet(LIMITED, "www"), `www.${ZONE}`, "allowedNames", LIMITED);
    await refused(recordSet(LIMITED, "www.team-other"), "allowedNames");
    await refused(recordSet(LIMITED, `a.b.${LIMITED}`), "allowedNames");
    await refused(recordSet(LIMITED, "@"), `the DNS name ${ZONE}`);
    await refused(recordSet(LIMITED, `www.${LIMITED}`, "example.org"), "zone example.org", "allowedZones");
    await refused(pool(LIMITED, { ips: ["203.0.113.1"], dnsRecordSet: { recordName: "www", zone: ZONE } }), "www");
    await refused(recordSet("created-one", "www.created-one"), "allowedNames");
    await accepted(recordSet(LIMITED, `WWW.${LIMITED}`));
    await accepted(recordSet(LIMITED, `shop.${LIMITED}.${ZONE}.`, `${ZONE}.`));
    await accepted(recordSet(LIMITED, LIMITED));
  });

  it("leave a zone that is an id to the operator, which finds out the domain", async () => {
    await accepted(recordSet(LIMITED, "www", "a1b2"));
  });

  it("refuse addresses outside of the ranges, and leave Created to the operator", async () => {
    await refused(pool(LIMITED, { ips: ["203.0.113.1", "203.0.113.77"] }), "203.0.113.77", "allowedAddresses");
    await refused(pool(LIMITED, { ips: ["2001:db8:1::1"] }), "2001:db8:1::1");
    await accepted(pool(LIMITED, { ips: ["203.0.113.1"] }));
    await accepted(pool(LIMITED, { ips: ["2001:db8::1"] }));
    await accepted(pool("created-one", { ips: ["198.51.100.1"] }));
  });

  it("refuse created addresses that would outlive their pool where their number is limited", async () => {
    await refused(pool(LIMITED, { desiredIPs: 1 }), "reclaimPolicy", "Delete");
    const { metadata } = await accepted(pool(LIMITED, { desiredIPs: 1, reclaimPolicy: "Delete" }));
    const path = `/apis/${GROUP_VERSION}/namespaces/${LIMITED}/floatingippools/${metadata.name}`;
    await refused(admin.patch(path, { spec: { reclaimPolicy: "Retain" } }), "reclaimPolicy");
    const keep = { ips: ["203.0.113.5"], desiredIPs: null, reclaimPolicy: "Retain" };
    await accepted(
      admin.patch(`${path}/status`, {
        status: { createdIPs: [{ ip: "203.0.113.5", createdTime: "2026-01-01T00:00:00Z" }] },
      }),
    );
    await refused(admin.patch(path, { spec: keep }), "reclaimPolicy");
    const pendingCreation = { startedAt: "2026-01-01T00:00:00Z", provider: "digitalocean", family: "IPv4" };
    await accepted(admin.patch(`${path}/status`, { status: { createdIPs: [], pendingCreation } }));
    await refused(admin.patch(path, { spec: keep }), "reclaimPolicy");
    await accepted(admin.patch(`${path}/status`, { status: { pendingCreation: null } }));
    await accepted(admin.patch(path, { spec: keep }));
  });

  it("exempt a namespace by an earlier entry, and do not concern one without an entry", async () => {
    for (const namespace of [EXEMPT, "elsewhere"]) {
      await accepted(recordSet(namespace, "www"));
      await accepted(pool(namespace, { ips: ["198.51.100.1"], desiredIPs: 2 }));
    }
  });

  it("let a pool have as many addresses as a pool can, and change one of them", async () => {
    const ips = Array.from({ length: 1024 }, (_, index) => `2001:0db8:aaaa:${1000 + index}:cccc:dddd:192.168.100.100`);
    const { metadata } = await accepted(pool(LARGE, { ips }));
    const path = `/apis/${GROUP_VERSION}/namespaces/${LARGE}/floatingippools/${metadata.name}`;
    await accepted(admin.patch(path, { spec: { ips: ["2001:db8::1", ...ips.slice(1)] } }));
    await refused(admin.patch(path, { spec: { ips: [...ips.slice(1), "2001:dba::1"] } }), "2001:dba::1");
  });

  it("do not keep the operator from its work, nor anybody from an object that was there before", async () => {
    const { metadata } = await accepted(pool("elsewhere", { ips: ["198.51.100.7"] }));
    expect(metadata.name).to.be.a("string");
    const made = await accepted(pool(LIMITED, { ips: ["203.0.113.2"] }));
    const path = `/apis/${GROUP_VERSION}/namespaces/${LIMITED}/floatingippools/${made.metadata.name}`;
    await refused(admin.patch(path, { spec: { ips: ["203.0.113.2", "198.51.100.9"] } }), "198.51.100.9");
    await accepted(operator.patch(path, { spec: { ips: ["203.0.113.2", "198.51.100.9"] } }));
    await accepted(admin.patch(path, { metadata: { labels: { edited: "yes" } } }));
    await accepted(admin.patch(path, { spec: { gracePeriodSeconds: 5 } }));
    await accepted(operator.patch(path, { spec: { dnsRecordSet: { zone: "example.com", recordName: "theirs" } } }));
    await accepted(admin.patch(path, { spec: { dnsRecordSet: { ttl: 300 } } }));
    await refused(admin.patch(path, { spec: { dnsRecordSet: { recordName: "others" } } }), "others.example.com");
  });
});

function typed(kind: string) {
  return { apiVersion: GROUP_VERSION, kind };
}
