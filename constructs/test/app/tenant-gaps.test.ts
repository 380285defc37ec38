import { ApiObject, type Chart } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  DnsRecord,
  FlipopOperator,
  FloatingIPPool,
  type FloatingIPPoolProps,
  type NamespaceLimits,
  NodeDNSRecordSet,
  ReclaimPolicy,
} from "../../src";
import { GROUP_VERSION } from "../../src/api";
import { checkManifests } from "../../src/manifests/check";
import { appWith } from "../support/app-with-operator";
import { refusals, warnings } from "../support/charts";

const NEW = "the API server refuses it if it is new";
const OF = "tenantLimits.namespaces[1] of operator flipop/operator";

/** Warnings about a pool in namespace `web`, for which the second entry of the limits is. */
function poolUnder(limits: Omit<NamespaceLimits, "names">, props: FloatingIPPoolProps): readonly string[] {
  const tenantLimits = { namespaces: [{ names: ["exempt-*"] }, { names: ["w*"], ...limits }] };
  const { web } = appWith({ tenantLimits });
  new FloatingIPPool(web, "pool", props);
  return ofTenants(web);
}

/** Warnings about limits. Synthesis does not know what exists: a resource may be older than its limits. */
function ofTenants(web: Chart): readonly string[] {
  return warnings(web).filter((line) => line.includes("tenantLimits"));
}

const IPS = { ips: ["8.8.8.8", "8.8.4.4"] };
const RECORD = { ...IPS, dnsRecord: DnsRecord.digitalOcean("Shop", "Example.com.") };
const CREATED = { region: "nyc3", desiredIps: 1 };

const CASES: readonly (readonly [
  name: string,
  limits: Omit<NamespaceLimits, "names">,
  props: FloatingIPPoolProps,
  says: readonly string[],
])[] = [
  [
    "an address outside of the ranges",
    { allowedAddresses: ["8.8.8.0/24", "2001:4860::/32"] },
    IPS,
    [
      `[web/pool] ips[1]: "8.8.4.4" is not allowed in namespace "web", so ${NEW}: use another one, or add it to allowedAddresses of ${OF}`,
    ],
  ],
  ["addresses in the ranges", { allowedAddresses: ["8.8.0.0/16"] }, IPS, []],
  ["addresses that the operator may have created", { allowedAddresses: ["Created"] }, IPS, []],
  [
    "a zone",
    { allowedZones: ["example.org"] },
    RECORD,
    [
      `[web/pool] dnsRecord: zone "example.com" is not allowed in namespace "web", so ${NEW}: use another one, or add it to allowedZones of ${OF}`,
    ],
  ],
  ["an allowed zone, in another spelling", { allowedZones: ["example.com"] }, RECORD, []],
  [
    "a name",
    { allowedNames: ["*.{namespace}.example.com"] },
    RECORD,
    [
      `[web/pool] dnsRecord: the DNS name "shop.example.com" is not allowed in namespace "web", so ${NEW}: use another one, or add it to allowedNames of ${OF}`,
    ],
  ],
  ["an allowed name", { allowedNames: ["*.example.com"] }, RECORD, []],
  [
    "created addresses that outlive the pool",
    { maxCreatedAddresses: 3 },
    CREATED,
    [
      `[web/pool] reclaimPolicy: namespace "web" has a maximum of created addresses (maxCreatedAddresses of ${OF}), which an address that outlives its pool would escape, so ${NEW}: set ReclaimPolicy.DELETE`,
    ],
  ],
  [
    "created addresses that the pool deletes",
    { maxCreatedAddresses: 3 },
    { ...CREATED, reclaimPolicy: ReclaimPolicy.DELETE },
    [],
  ],
  [
    "created addresses where there may be none",
    { maxCreatedAddresses: 0 },
    CREATED,
    [
      `[web/pool] desiredIps: namespace "web" may have no created address (maxCreatedAddresses of ${OF} is 0), so ${NEW}: list addresses instead and leave out desiredIPs, or raise it`,
    ],
  ],
];

describe("synthesis under tenantLimits of an operator of the app", () => {
  for (const [name, limits, props, says] of CASES) {
    it(`${says.length > 0 ? "warns about" : "accepts"} ${name}`, () => {
      expect(poolUnder(limits, props)).to.deep.equal(says);
    });
  }

  for (const [name, namespaces] of Object.entries({
    "a namespace that an earlier entry exempts": [{ names: ["web"] }, { names: ["*"], allowedZones: [] }],
    "a namespace without an entry": [{ names: ["other"], allowedZones: [] }],
  })) {
    it(`accepts ${name}`, () => {
      const { web } = appWith({ tenantLimits: { namespaces } });
      new FloatingIPPool(web, "pool", RECORD);
      expect(ofTenants(web)).to.deep.equal([]);
    });
  }

  it("warns about a NodeDNSRecordSet, and leaves a zone that is an id to the operator", () => {
    const { web } = appWith({ tenantLimits: { namespaces: [{ names: ["*"], allowedZones: ["example.org"] }] } });
    new NodeDNSRecordSet(web, "nodes", { dnsRecord: DnsRecord.digitalOcean("www", "example.com") });
    new NodeDNSRecordSet(web, "id", { dnsRecord: DnsRecord.cloudflare("www", "0123456789abcdef0123456789abcdef") });
    expect(ofTenants(web)).to.have.length(1);
    expect(ofTenants(web)[0]).to.match(
      /^\[web\/nodes\] dnsRecord: zone "example.com" is not allowed in namespace "web"/,
    );
  });

  it("is of the operator that watches the namespace: its limits are no reason to name another one", () => {
    const tenantLimits = { namespaces: [{ names: ["*"], allowedZones: [], allowedNames: [] }] };
    const { web, flipop } = appWith({ watchNamespaces: ["a"] });
    new FlipopOperator(flipop, "limited", {
      namespace: "limited",
      name: "limited",
      watchNamespaces: ["web"],
      tenantLimits,
    });
    new FloatingIPPool(web, "pool", RECORD);
    expect(refusals(web)).to.deep.equal([]);
    expect(ofTenants(web).join()).to.contain("allowedZones of tenantLimits").and.not.to.contain("watchNamespaces");
  });

  it("warns about a plain object, at the operator", () => {
    const { web } = appWith({ tenantLimits: { namespaces: [{ names: ["web"], allowedAddresses: [] }] } });
    const spec = { provider: "digitalocean", ips: ["8.8.8.8"] };
    new ApiObject(web, "plain", { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", metadata: { name: "p" }, spec });
    expect(ofTenants(web).join()).to.contain(
      '[flipop/operator] FloatingIPPool "p" of web/plain: spec.ips[0]: "8.8.8.8" is not allowed',
    );
  });

  it("warns about manifests beside a Deployment of the operator with the flag", () => {
    const limits = { namespaces: [{ names: ["web"], allowedAddresses: [] }] };
    const args = ["--features=pools", `--tenant-limits=${JSON.stringify(limits)}`];
    const containers = [{ name: "flipop", image: "registry.example/flipop:1", args }];
    const objects = [
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "flipop", namespace: "flipop" },
        spec: { template: { spec: { containers } } },
      },
      {
        apiVersion: GROUP_VERSION,
        kind: "FloatingIPPool",
        metadata: { name: "p", namespace: "web" },
        spec: { provider: "digitalocean", ips: ["8.8.8.8"] },
      },
    ];
    const problems = checkManifests(objects.map((object) => ({ file: "a.yaml", object, lineOf: () => 1 })));
    expect(problems.map(({ path, isWarning }) => ({ path, isWarning }))).to.deep.equal([
      { path: "spec.ips[0]", isWarning: true },
    ]);
  });

  it("leaves limits that are not valid to the check of the operator", () => {
    const { web } = appWith({ tenantLimits: { namespaces: [{} as NamespaceLimits] } });
    new FloatingIPPool(web, "pool", IPS);
    expect(refusals(web)).to.deep.equal(["[flipop/operator] tenantLimits.namespaces[0].names: is required: add it"]);
  });
});
