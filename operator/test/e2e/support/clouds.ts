/** Both clouds, simulated in this process on the real clock, quick where the real ones are slow. */

import {
  type CloudflareSimulator,
  type CloudflareSimulatorOptions,
  DEFAULT_TOKEN,
  startCloudflareSimulator,
} from "flipop-sandbox/cloudflare";
import {
  type DigitalOceanSimulator,
  type DigitalOceanSimulatorOptions,
  startDigitalOceanSimulator,
} from "flipop-sandbox/digitalocean";
import type { Journal, JournalEntry } from "flipop-sandbox/http";
import { checkBatchRequest } from "flipop-sandbox/testing/cloudflare-openapi";
import { checkJournalRequests } from "flipop-sandbox/testing/digitalocean-openapi";

export type CloudName = "digitalocean" | "cloudflare";

export interface CloudOptions {
  readonly digitalocean?: DigitalOceanSimulatorOptions;
  readonly cloudflare?: CloudflareSimulatorOptions;
  /** Clouds that the operator has no token for. @default none */
  readonly withoutToken?: readonly CloudName[];
}

/** Zone at DigitalOcean. */
export const DOMAIN = "example.com";
/** Zone at Cloudflare. */
export const ZONE = "example.org";

/** Routes that tests ask the journal for. */
export const ROUTES = {
  create: "POST /v2/reserved_ips",
  list: "GET /v2/reserved_ips",
  read: "GET /v2/reserved_ips/{reserved_ip}",
  act: "POST /v2/reserved_ips/{reserved_ip}/actions",
  release: "DELETE /v2/reserved_ips/{reserved_ip}",
  records: "GET /v2/domains/{domain_name}/records",
  batch: "POST /zones/{zone_id}/dns_records/batch",
} as const;

/** Beyond what any test needs: limits are tested where they are meant. */
const ROOM = { reservedIpLimit: 100, reservedIpv6Limit: 100, dropletLimit: 10_000 };
const QUICK = { assign: 20, unassign: 20, create: 20, event: 20, firewall: 20, prefix: 20 };

/** Between the seeds of two accounts: ids of droplets are drawn from it, and no two worlds may share a provider id. */
const SEED_STEP = 7919;
let accounts = 0;

export class Clouds {
  static async start(options: CloudOptions = {}): Promise<Clouds> {
    const digitalocean = await startDigitalOceanSimulator({
      ...{ seed: ++accounts * SEED_STEP, ...options.digitalocean },
      durations: { ...QUICK, ...options.digitalocean?.durations },
      account: { ...ROOM, ...options.digitalocean?.account },
    });
    digitalocean.state.dns.addDomain(DOMAIN);
    const cloudflare = await startCloudflareSimulator({ zones: [{ name: ZONE }], ...options.cloudflare });
    return new Clouds(digitalocean, cloudflare, options.withoutToken ?? []);
  }

  private constructor(
    readonly digitalocean: DigitalOceanSimulator,
    readonly cloudflare: CloudflareSimulator,
    private readonly withoutToken: readonly CloudName[],
  ) {}

  /** What the operator gets to know of them. */
  get env(): Readonly<Record<string, string>> {
    const known = (name: CloudName) => !this.withoutToken.includes(name);
    return {
      DIGITALOCEAN_API_URL: this.digitalocean.url,
      CLOUDFLARE_API_URL: this.cloudflare.url,
      ...(known("digitalocean") ? { DIGITALOCEAN_ACCESS_TOKEN: this.digitalocean.token } : {}),
      ...(known("cloudflare") ? { CLOUDFLARE_TOKEN: DEFAULT_TOKEN } : {}),
    };
  }

  /** Changing calls to both clouds since the marks. */
  changes(since: CloudMarks = { digitalocean: 0, cloudflare: 0 }): readonly JournalEntry[] {
    const of = (journal: Journal, after: number) => journal.calls({ mutating: true, after });
    return [...of(this.digitalocean.journal, since.digitalocean), ...of(this.cloudflare.journal, since.cloudflare)];
  }

  /** Where the journals end now. */
  mark(): CloudMarks {
    return { digitalocean: this.digitalocean.journal.mark, cloudflare: this.cloudflare.journal.mark };
  }

  /** All calls, for the message of a failed test. */
  text(): string {
    return `DigitalOcean:\n${this.digitalocean.journal.text()}\nCloudflare:\n${this.cloudflare.journal.text()}`;
  }

  /** Addresses by the droplet that holds them; those that no droplet holds under 0. */
  holders(): ReadonlyMap<string, number> {
    return new Map(this.digitalocean.state.addresses().map(({ ip, dropletId }) => [ip, dropletId ?? 0]));
  }

  /** Values of the A records of a name at DigitalOcean (relative), sorted. */
  published(name: string): readonly string[] {
    const records = this.digitalocean.state.dns.records(DOMAIN, name).filter(({ type }) => type === "A");
    return records.map(({ data }) => data).sort();
  }

  /** Values of the A records of a full name at Cloudflare, sorted. */
  publishedAtCloudflare(fqdn: string): readonly string[] {
    const records = this.cloudflare.records(ZONE, fqdn).filter(({ type }) => type === "A");
    return records.map(({ content }) => content).sort();
  }

  /** Throws where a simulator made a mistake, or the operator sent what the API's description forbids. */
  async close(): Promise<void> {
    await Promise.all([this.digitalocean.close(), this.cloudflare.close()]);
    const [bug] = [...this.digitalocean.bugs, ...this.cloudflare.bugs];
    if (bug !== undefined) throw bug;
    checkJournalRequests(this.digitalocean.journal);
    for (const { body } of this.cloudflare.journal.calls({ on: ROUTES.batch })) checkBatchRequest(body);
  }
}

export interface CloudMarks {
  readonly digitalocean: number;
  readonly cloudflare: number;
}
