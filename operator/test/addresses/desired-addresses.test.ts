import { Annotation, type FloatingIPPoolSpec, type FloatingIPPoolStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { desiredOf } from "../../src/addresses/desired-addresses.js";
import { addressSetOf } from "../../src/controllers/floating-ip-pool/snapshot.js";
import { NOTHING_SEEN } from "../../src/inventory/view.js";
import { meta } from "../claims/resources.js";

const [A, B, C] = ["203.0.113.1", "203.0.113.2", "203.0.113.3"];

interface Row {
  readonly name: string;
  readonly spec: Partial<FloatingIPPoolSpec>;
  readonly status?: FloatingIPPoolStatus;
  readonly annotation?: string;
  /** `ip`, with `-` in front where it is disabled. */
  readonly order: readonly string[];
  readonly missing?: number;
}

function created(...ips: readonly string[]): FloatingIPPoolStatus {
  return { createdIPs: ips.map((ip, index) => ({ ip, createdTime: `2025-01-0${index + 1}T00:00:00Z` })) };
}

/** As after the operator has appended them to the list of the spec. */
function appended({ createdIPs = [] }: FloatingIPPoolStatus): FloatingIPPoolStatus {
  return { createdIPs: createdIPs.map((entry) => ({ ...entry, inSpec: true })) };
}

const ROWS: readonly Row[] = [
  { name: "takes exactly ips without desiredIPs", spec: { ips: [B, A] }, order: [B, A] },
  { name: "disables the tail beyond desiredIPs", spec: { ips: [A, B, C], desiredIPs: 2 }, order: [A, B, `-${C}`] },
  { name: "creates what desiredIPs lacks", spec: { ips: [A], desiredIPs: 3 }, order: [A], missing: 2 },
  {
    name: "keeps the order of ips, whichever of them it created: the last ones go",
    spec: { ips: [C, B, A], desiredIPs: 1 },
    status: created(A, C),
    order: [C, `-${B}`, `-${A}`],
  },
  {
    name: "keeps a created one that was taken out of ips",
    spec: { ips: [A], desiredIPs: 2 },
    status: created(B),
    order: [A, B],
  },
  {
    name: "gives up the created one that a person took out of ips first, also if it is the oldest",
    spec: { ips: [B, C], desiredIPs: 2 },
    status: appended(created(A, B, C)),
    order: [B, C, `-${A}`],
  },
  {
    name: "keeps the older of two that ips does not list yet, or not any more",
    spec: { ips: [], desiredIPs: 1 },
    status: appended(created(A, B)),
    order: [A, `-${B}`],
  },
  {
    name: "keeps the older of them also if the younger one comes first by its text",
    spec: { ips: [], desiredIPs: 1 },
    status: created(B, A),
    order: [B, `-${A}`],
  },
  {
    name: "disables it where desiredIPs is gone",
    spec: { ips: [A] },
    status: created(B),
    order: [A, `-${B}`],
  },
  {
    name: "counts what only the annotation remembers, so that nothing is created twice",
    spec: { ips: [], desiredIPs: 2 },
    annotation: `${A},${B}`,
    order: [A, B],
  },
  { name: "counts duplicates once", spec: { ips: [A, A], desiredIPs: 2 }, order: [A], missing: 1 },
  { name: "passes over what is no address of the family", spec: { ips: [A, "2001:db8::1", "x"] }, order: [A] },
];

describe("the wish of a pool", () => {
  for (const { name, spec, status = {}, annotation, order, missing = 0 } of ROWS) {
    it(name, () => {
      const annotations = annotation === undefined ? {} : { [Annotation.createdIps]: annotation };
      const pool = { metadata: meta("p", 1, annotations), spec: { provider: "digitalocean", ...spec }, status };
      const desired = desiredOf({
        set: addressSetOf(pool),
        claims: { addresses: new Map(), names: [] },
        inventory: NOTHING_SEEN,
      });
      expect(desired.addresses.map(({ ip, wanted }) => (wanted ? ip : `-${ip}`))).to.deep.equal(order);
      expect(desired.missing).to.equal(missing);
    });
  }

  it("keeps a created address that works in the place of a listed one that the account does not have", () => {
    const status = { ...appended(created(A)), ips: { [A]: { state: "active" } } } as FloatingIPPoolStatus;
    const spec = { provider: "digitalocean", ips: [B], desiredIPs: 1 };
    const wanted = (isGone: boolean, state: "active" | "disabled") => {
      const pool = { metadata: meta("p"), spec, status: { ...status, ips: { [A]: { state } } } };
      const facts = { ip: A, family: "IPv4", region: "r", holder: "n1", ageSeconds: 0, unconfirmed: false } as const;
      const get = (ip: string) => (ip === A ? facts : undefined);
      const inventory = { ...NOTHING_SEEN, get, isGone: (ip: string) => isGone && ip === B };
      const desired = desiredOf({ set: addressSetOf(pool), claims: { addresses: new Map(), names: [] }, inventory });
      return desired.addresses.flatMap(({ ip, wanted: isWanted }) => (isWanted ? [ip] : []));
    };
    expect(wanted(true, "active")).to.deep.equal([B, A]);
    expect(wanted(false, "active"), "the listed one can serve").to.deep.equal([B]);
    expect(wanted(true, "disabled"), "it does not come back").to.deep.equal([B]);
  });

  it("says what it passed over", () => {
    const pool = { metadata: meta("p"), spec: { provider: "digitalocean", ips: [A, "x", A] }, status: {} };
    const desired = desiredOf({
      set: addressSetOf(pool),
      claims: { addresses: new Map(), names: [] },
      inventory: NOTHING_SEEN,
    });
    expect([desired.duplicates, desired.rejected]).to.deep.equal([[A], ["x"]]);
  });
});
