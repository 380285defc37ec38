import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { Redactor } from "../../../src/logging.js";
import { fixedToken } from "../../../src/providers/credentials.js";
import { digitalOcean } from "../../../src/providers/digitalocean/index.js";
import { isProviderError } from "../../../src/providers/errors.js";
import type { ProviderSet } from "../../../src/providers/layers/compose.js";
import { direct } from "../../../src/providers/layers/deadlines-and-retries.js";
import { answer, HttpRig } from "../../support/http-rig.js";
import { ASKER } from "../conformance/benches.js";

const IP = "203.0.113.7";
const NODE = "digitalocean://12";
const HELD = { droplet: { id: 12 } };
const ADDRESS = { ip: IP, droplet: null, region: { slug: "nyc3" }, locked: false, project_id: "p" };
const OWN = { ip_address: "198.51.100.1", type: "public" };
const RESERVED = { ip_address: IP, type: "public" };
const DROPLET = {
  ...{ id: 12, status: "active", locked: false, region: { slug: "nyc3" }, tags: [] },
  networks: { v4: [OWN, { ip_address: "10.0.0.1", type: "private" }] },
};
const ODD = "Something is not right.";

/** What the account is like when the change was refused; `undefined`: it is not there. */
interface World {
  readonly says: string;
  readonly address?: object | undefined;
  readonly droplet?: object | undefined;
  /** Droplets can't be read. */
  readonly broken?: boolean;
}

interface Case extends Partial<World> {
  readonly what: string;
  /** `Kind`, `Kind/Reason`, or `done`. */
  readonly means: string;
  /** Part of the remedy. */
  readonly remedy?: RegExp;
}

const CHANGES: readonly Case[] = [
  { what: "the address is there already", says: ODD, address: { ...ADDRESS, ...HELD }, means: "done" },
  { what: "the address is gone", says: "pending event", address: undefined, means: "NotFound" },
  { what: "the address is locked", says: ODD, address: { ...ADDRESS, locked: true }, means: "Conflict/AddressBusy" },
  {
    what: "the address is there already, and locked",
    says: ODD,
    address: { ...ADDRESS, ...HELD, locked: true },
    means: "Conflict/AddressBusy",
  },
  {
    what: "the address has an event",
    says: "The floating IP already has a pending event.",
    means: "Conflict/AddressBusy",
  },
  {
    what: "the droplet has an event",
    says: "Droplet already has a pending event.",
    means: "Conflict/NodeBusy",
    remedy: /once the droplet's event is over/,
  },
  {
    what: "the droplet is taken, in words",
    says: "The droplet already has a reserved IP",
    means: "Conflict/NodeOccupied",
  },
  {
    what: "the droplet is taken, in other words",
    says: "12 already has an IPv4 address",
    means: "Conflict/NodeOccupied",
  },
  {
    what: "the droplet is taken, by facts",
    says: ODD,
    droplet: { ...DROPLET, networks: { v4: [OWN, RESERVED] } },
    means: "Conflict/NodeOccupied",
  },
  {
    what: "the region is another, in words",
    says: "Droplet is not in the same region",
    means: "Conflict/WrongRegion",
    remedy: /203\.0\.113\.7 belongs to nyc3/,
  },
  {
    what: "the region is another, by facts",
    says: ODD,
    droplet: { ...DROPLET, region: { slug: "ams3" } },
    means: "Conflict/WrongRegion",
  },
  { what: "it must be unassigned first", says: "It must be unassigned first.", means: "Conflict/HeldElsewhere" },
  { what: "IPv6 is off", says: "IPv6 is not enabled on the droplet", means: "Conflict/NodeUnfit", remedy: /IPv6/ },
  {
    what: "the droplet is off",
    says: ODD,
    droplet: { ...DROPLET, status: "off" },
    means: "Conflict/NodeUnfit",
    remedy: /"off"/,
  },
  {
    what: "the droplet runs an event, by facts",
    says: ODD,
    droplet: { ...DROPLET, locked: true },
    means: "Conflict/NodeBusy",
  },
  {
    what: "the droplet is gone",
    says: ODD,
    droplet: undefined,
    means: "NotFound",
    remedy: /the operator chooses another node/,
  },
  {
    what: "the API gives no reason that we know",
    says: ODD,
    means: "Terminal",
    remedy: /fix: correct in the resource or in the account what the answer names/,
  },
  {
    what: "the droplet has no address at all",
    says: ODD,
    droplet: { ...DROPLET, networks: { v4: [] } },
    means: "Terminal",
  },
];

const NO_CAPACITY: Case = {
  what: "no capacity",
  says: "There are no reserved IPs available in region nyc3 right now",
  means: "Conflict",
  remedy:
    /available in region nyc3 right now; the provider has no new address to give there now, and the operator tries again; fix: if this lasts, match nodes/,
};

const CREATIONS: readonly Case[] = [
  {
    what: "the account's limit",
    says: "You have reached the reserved IP limit",
    means: "QuotaExceeded",
    remedy:
      /; fix: release addresses that a pool has disabled \(flipop orphans names them.*those that no resource has.* a higher limit/,
  },
  { what: "a region that is not", says: "Region is not valid.", means: "Terminal", remedy: /correct region/ },
  {
    what: "a region that offers none",
    says: "region nyc3 is not available for reserved IPs",
    means: "Terminal",
    remedy: /correct region/,
  },
  NO_CAPACITY,
  {
    what: "no capacity, in other words",
    says: "insufficient capacity in nyc3",
    means: "Conflict",
    remedy: /tries again/,
  },
  {
    what: "the API gives no reason that we know",
    says: ODD,
    means: "Terminal",
    remedy: /Something is not right; fix: correct in the resource or in the account what the answer names$/,
  },
];

const CREATIONS_ON_NODE: readonly Case[] = [
  { what: "the droplet has an event", says: "Droplet already has a pending event.", means: "Conflict/NodeBusy" },
  { what: "the droplet is taken", says: "The droplet already has a reserved IP", means: "Conflict/NodeOccupied" },
  { what: "the droplet is gone", says: ODD, droplet: undefined, means: "NotFound" },
  { what: "the account's limit", says: "quota exceeded", means: "QuotaExceeded" },
  NO_CAPACITY,
  { what: "a droplet without an address", says: "The droplet has no public IPv4 address", means: "Terminal" },
  {
    what: "a region that offers none",
    says: "Region is not valid.",
    means: "Terminal",
    remedy: /fix: match nodes of a region in which the provider offers new addresses$/,
  },
];

const RECORDS: readonly Case[] = [
  { what: "a CNAME of that name", says: "CNAME records cannot share a name", means: "Conflict/RecordExists" },
  { what: "the same record", says: "Record already exists", means: "Conflict/RecordExists" },
  { what: "anything else", says: "TTL is too low", means: "Terminal", remedy: /dnsRecordSet/ },
];

const FIREWALLS: readonly Case[] = [
  { what: "too many rules", says: "firewall must have at most 50 rules, no more than that", means: "QuotaExceeded" },
  { what: "a name that is taken", says: "duplicate name", means: "Conflict" },
  { what: "anything else", says: "invalid port", means: "Terminal", remedy: /routedIPFirewallName/ },
];

describe("what DigitalOcean's 422 means", () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  async function provider(world: World): Promise<Required<Omit<ProviderSet, "longWait" | "creationTurn">>> {
    const rig = await HttpRig.create();
    rig.handler = ({ method = "", url = "" }, response) => {
      const part = url.includes("/droplets/") ? "droplet" : "reserved_ip";
      if (part === "droplet" && world.broken === true) return void response.destroy();
      const body = part === "droplet" ? world.droplet : world.address;
      if (method !== "GET") answer(response, 422, { id: "unprocessable_entity", message: world.says });
      else if (body === undefined) answer(response, 404, { id: "not_found", message: "not here" });
      else answer(response, 200, { [part]: body });
    };
    const credentials = fixedToken("dop_v1_0123456789", new Redactor());
    const setup = {
      credentials,
      run: direct,
      userAgent: "flipop-test",
      env: {},
      now: () => 0,
      monotonic: () => 0,
      baseUrl: rig.url,
    };
    const { addresses, dns, firewalls, close } = digitalOcean.build(setup);
    open.push({ close: () => close().then(() => rig.close()) });
    if (!addresses || !dns || !firewalls) throw new Error("DigitalOcean has all");
    return { addresses, dns, firewalls, close };
  }

  function table(
    title: string,
    cases: readonly Case[],
    act: (set: Required<Omit<ProviderSet, "longWait" | "creationTurn">>) => Promise<unknown>,
  ): void {
    describe(title, () => {
      for (const { what, means, remedy, ...world } of cases) {
        it(`${what}: ${means}`, async () => {
          const set = await provider({ says: ODD, address: ADDRESS, droplet: DROPLET, ...world });
          const { meaning, message } = await outcomeOf(act(set));
          expect(meaning).to.equal(means);
          if (remedy !== undefined) expect(message).to.match(remedy);
        });
      }
    });
  }

  table("for an assignment", CHANGES, ({ addresses }) => addresses.assign(ASKER, { ip: IP, node: NODE }));
  table("for a creation in a region", CREATIONS, ({ addresses }) =>
    addresses.create(ASKER, { family: "IPv4", region: "nyc3" }),
  );
  table("for a creation on a node", CREATIONS_ON_NODE, ({ addresses }) =>
    addresses.create(ASKER, { family: "IPv4", node: NODE }),
  );
  it("for a creation on a node: a refusal stays one where the droplet can't be read to tell why", async () => {
    const { addresses } = await provider({ says: ODD, broken: true });
    const error = await addresses.create(ASKER, { family: "IPv4", node: NODE }).catch((refusal: unknown) => refusal);
    expect(error).to.deep.include({ kind: "Conflict", outcome: "refused" });
  });
  table(
    "for a release",
    [
      { what: "an event", says: "The reserved IP has a pending event", means: "Conflict/AddressBusy" },
      { what: "a lock", says: ODD, address: { ...ADDRESS, locked: true }, means: "Conflict/AddressBusy" },
      { what: "the API gives no reason that we know", says: ODD, means: "Terminal", remedy: /console/ },
    ],
    ({ addresses }) => addresses.release(ASKER, IP),
  );
  it("for a release: somebody has assigned it meanwhile", async () => {
    // One for each request: a look before, the refusal, a look after.
    const seen: object[] = [ADDRESS, ADDRESS, { ...ADDRESS, ...HELD }];
    const world: World = {
      says: ODD,
      get address() {
        return seen.shift();
      },
    };
    const { addresses } = await provider(world);
    expect((await outcomeOf(addresses.release(ASKER, IP))).meaning).to.equal("Conflict/HeldElsewhere");
  });
  table("for a record", RECORDS, ({ dns }) => {
    const steps = [{ do: "create", type: "A", to: IP, ttl: 60 }] as const;
    return dns.apply(ASKER, { zone: "example.com", fqdn: "www.example.com", steps, before: [], after: [IP] });
  });
  table("for a firewall", FIREWALLS, ({ firewalls }) =>
    firewalls.create(ASKER, { name: "ours", rules: [], nodes: [] }),
  );
});

async function outcomeOf(work: Promise<unknown>): Promise<{ readonly meaning: string; readonly message: string }> {
  try {
    const value = (await work) as { readonly kind?: string; readonly error?: unknown };
    if (value.kind !== "unknown" || !isProviderError(value.error)) return { meaning: "done", message: "" };
    return { meaning: `unknown/${value.error.reason}`, message: value.error.message };
  } catch (error) {
    if (!isProviderError(error)) throw error;
    const { kind, reason, message } = error;
    return { meaning: reason === undefined ? kind : `${kind}/${reason}`, message };
  }
}
