/** Records of zones. */

import { canonicalIp, isIp } from "cdk8s-flipop/api";
import { CALL, type CallContext } from "../call.js";
import type { OncePerToken } from "../credentials.js";
import { byType, checkZoneName, fullRecordName, isFull, typeOf } from "../diff.js";
import { isProviderError, ProviderError } from "../errors.js";
import type { Answer } from "../http.js";
import type {
  DnsCapabilities,
  DnsProvider,
  RecordChangeSet,
  RecordFacts,
  RecordSetFacts,
  RecordSetName,
  RecordStep,
  RecordType,
} from "../types.js";
import { allowedTtl, batchesOf, ownerIn, type SeenRecord, SeenRecords, stepsOf } from "./batches.js";
import { CLOUDFLARE, type CloudflareClient } from "./client.js";
import { isZoneId, type Zone, type Zones, zoneName } from "./zones.js";

const CAPABILITIES: DnsCapabilities = { ttl: allowedTtl, owner: true, inherits: true };

export class CloudflareDns implements DnsProvider {
  readonly name = CLOUDFLARE;
  readonly capabilities = CAPABILITIES;
  private readonly seen = new SeenRecords();

  constructor(
    private readonly client: CloudflareClient,
    private readonly account: OncePerToken<string>,
    private readonly zones: Zones,
  ) {}

  accountKey(context: CallContext): Promise<string> {
    return this.account.read(context);
  }

  async fqdn(context: CallContext, { zone, name }: RecordSetName): Promise<string> {
    if (!isZoneId(zone)) {
      checkZoneName(zone);
      return fullRecordName(zoneName(zone), zoneName(name));
    }
    return fullNameIn(await this.zones.find(context, zone), name);
  }

  /** One call: filtered by name, since the types beside those of the set matter, too. One more for a zone that was never seen. */
  async read(context: CallContext, { zone: wanted, name, types }: RecordSetName): Promise<RecordSetFacts> {
    const zone = await this.zones.find(context, wanted);
    const fqdn = fullNameIn(zone, name);
    const asked = { call: CALL.readRecords, subject: `read records of ${fqdn}` };
    const query = { zone_id: zone.id, name: { exact: fqdn } };
    const found = await this.inZone(
      zone.id,
      this.client.records(context, asked, query, (item) => readRecord(item, fqdn)),
    );
    const read = found.filter((record) => typeof record === "object");
    this.seen.remember(
      zone.id,
      fqdn,
      read.map(({ seen }) => seen),
    );
    const facts = read.map((record) => record.facts);
    const cname = found.includes("CNAME") ? ({ hasCname: true } as const) : {};
    return { zone: zone.id, fqdn, types, ...byType(facts, types), ...cname };
  }

  async isDelegated(
    context: CallContext,
    { zone: wanted, name }: Pick<RecordSetName, "zone" | "name">,
  ): Promise<boolean> {
    const zone = await this.zones.find(context, wanted);
    const asked = { call: CALL.readRecords, subject: `read NS records of ${name}` };
    const query = { zone_id: zone.id, name: { exact: name }, type: "NS" } as const;
    const isOfName = (item: Answer) =>
      item.at("type").string() === "NS" && item.at("name").string().toLowerCase() === name;
    const found = await this.inZone(zone.id, this.client.records(context, asked, query, isOfName));
    return found.includes(true);
  }

  /** One transaction for each 200 steps; the first failure ends it. */
  async apply(
    context: CallContext,
    changes: RecordChangeSet,
    stepped?: (step: RecordStep) => void,
  ): Promise<readonly RecordFacts[]> {
    const { zone, fqdn } = changes;
    const batches = batchesOf(changes, this.seen.of(zone, fqdn));
    const written: ReadRecord[] = [];
    for (const [index, batch] of batches.entries()) {
      const part = batches.length === 1 ? "" : `, part ${index + 1} of ${batches.length}`;
      const asked = { call: CALL.writeRecords, subject: `change records of ${fqdn}${part}` };
      const read = (result: Answer) => writtenRecords(result, fqdn);
      written.push(...(await this.inZone(zone, this.client.batch(context, asked, batch, read))));
      for (const step of stepsOf(changes, index)) stepped?.(step);
    }
    this.seen.update(
      changes,
      written.map(({ seen }) => seen),
    );
    return written.map(({ facts }) => facts);
  }

  private async inZone<T>(id: string, sent: Promise<T>): Promise<T> {
    try {
      return await sent;
    } catch (error) {
      if (isProviderError(error, "NotFound")) this.zones.forget(id);
      throw error;
    }
  }
}

function fullNameIn({ id, name: zone }: Zone, name: string): string {
  const ascii = zoneName(name);
  if (zone !== undefined) return fullRecordName(zone, isFull(name) ? `${ascii}.` : ascii);
  // As FLIPOP has it: with a zone's id goes the full name.
  if (ascii.includes(".")) return ascii;
  throw new ProviderError({
    kind: "Unauthorized",
    where: `${CLOUDFLARE}: read zone ${id}`,
    seen: `the token may not read the zone, so the full name of "${name}" is not known`,
    remedy:
      "write dnsRecordSet.recordName in full, or have the owner of the DNS account give the token the right Zone:Read",
    outcome: "refused",
    reason: "LacksRight",
  });
}

interface ReadRecord {
  readonly facts: RecordFacts;
  readonly seen: SeenRecord;
}

/** `undefined` for other types: they are counted, so that the list is known to be whole. */
function readRecord(item: Answer, fqdn: string): ReadRecord | "CNAME" | undefined {
  const id = item.at("id").string();
  const type = item.at("type").string();
  item.at("name").stringThat((name) => name.toLowerCase() === fqdn, "the name that was asked for");
  if (!isRecordType(type)) return type === "CNAME" ? type : undefined;
  const value = canonicalIp(item.at("content").stringThat((text) => isIp(text) && typeOf(text) === type, "an address"));
  const ttl = item.at("ttl").natural();
  const proxied = !item.at("proxied").empty && item.at("proxied").boolean();
  const comment = item.at("comment").empty ? "" : item.at("comment").string();
  const owner = ownerIn(comment);
  return {
    facts: { id, type, value, ttl, ...(proxied ? { proxied } : {}), ...(owner === undefined ? {} : { owner }) },
    seen: { id, ttl, proxied, comment },
  };
}

function isRecordType(type: string): type is RecordType {
  return type === "A" || type === "AAAA";
}

function writtenRecords(result: Answer, fqdn: string): readonly ReadRecord[] {
  const [posts, patches] = [result.at("posts"), result.at("patches")].map((part) => (part.empty ? [] : part.items()));
  for (const post of posts ?? []) checkName(post, fqdn);
  return [...(posts ?? []), ...(patches ?? [])]
    .map((item) => readRecord(item, fqdn))
    .filter((record) => typeof record === "object");
}

/** A name that is not in the zone is taken as relative to it: what was written is then not what was meant. */
function checkName(post: Answer, fqdn: string): void {
  const name = post.at("name").string().toLowerCase();
  if (name !== fqdn) throw wrongName(fqdn, name);
}

function wrongName(fqdn: string, name: string): ProviderError {
  return new ProviderError({
    kind: "Terminal",
    where: `${CLOUDFLARE}: change records of ${fqdn}`,
    seen: `the records were created as ${name}, since ${fqdn} is not in the zone`,
    remedy: `delete the records of ${name}, and write dnsRecordSet.recordName in full`,
    outcome: "refused",
    retrySafe: false,
  });
}
