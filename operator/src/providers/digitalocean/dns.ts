/** Records of domains. */

import { isIP } from "node:net";
import { canonicalIp } from "cdk8s-flipop/api";
import { CORRECT_ZONE, REMEDIES } from "../../messages/failed-calls.js";
import { CALL, type CallContext } from "../call.js";
import type { OncePerToken } from "../credentials.js";
import { byType, fullRecordName, relativeRecordName } from "../diff.js";
import { isProviderError, type ProviderError, withProps } from "../errors.js";
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
import { type ApiRequest, DIGITALOCEAN, type DigitalOceanClient } from "./client.js";
import { interpretRefusedRecord, isUnprocessable } from "./unprocessable.js";

/** Lower ones are refused. */
const MINIMUM_TTL_SECONDS = 30;

const CAPABILITIES: DnsCapabilities = {
  ttl: (seconds) => Math.max(seconds, MINIMUM_TTL_SECONDS),
  owner: false,
};

export class DigitalOceanDns implements DnsProvider {
  readonly name = DIGITALOCEAN;
  readonly capabilities = CAPABILITIES;

  constructor(
    private readonly client: DigitalOceanClient,
    private readonly account: OncePerToken<string>,
  ) {}

  accountKey(context: CallContext): Promise<string> {
    return this.account.read(context);
  }

  fqdn(_context: CallContext, { zone, name }: RecordSetName): Promise<string> {
    return Promise.resolve(fullRecordName(zone, name));
  }

  /** One call: filtered by name, since the types beside those of the set matter, too. */
  async read(context: CallContext, { zone, name, types }: RecordSetName): Promise<RecordSetFacts> {
    const domain = fullRecordName(zone, "@");
    const fqdn = fullRecordName(domain, name);
    try {
      const found = await this.client.list(context, {
        call: CALL.readRecords,
        subject: `read records of ${fqdn}`,
        path: recordsPath(domain),
        query: { name: fqdn },
        key: "domain_records",
        read: (item) => readRecord(item, relativeRecordName(domain, fqdn)),
        identify: ({ id }) => id,
      });
      const records = found.flatMap(({ record }) => record ?? []);
      const cname = found.some(({ isCname }) => isCname === true) ? ({ hasCname: true } as const) : {};
      return { zone: domain, fqdn, types, ...byType(records, types), ...cname };
    } catch (error) {
      throw isProviderError(error, "NotFound") ? noZone(error, domain) : error;
    }
  }

  async isDelegated(context: CallContext, { zone, name }: Pick<RecordSetName, "zone" | "name">): Promise<boolean> {
    const domain = fullRecordName(zone, "@");
    const relative = relativeRecordName(domain, name);
    const found = await this.client.list(context, {
      call: CALL.readRecords,
      subject: `read NS records of ${name}`,
      path: recordsPath(domain),
      query: { name, type: "NS" },
      key: "domain_records",
      read: (item) => ({
        id: String(item.at("id").natural()),
        // The zone has NS records of its own: they say nothing of the name.
        delegates: item.at("type").string() === "NS" && item.at("name").string().toLowerCase() === relative,
      }),
      identify: ({ id }) => id,
    });
    return found.some(({ delegates }) => delegates);
  }

  /** One call for each step, in order; the first failure ends it. */
  async apply(
    context: CallContext,
    changes: RecordChangeSet,
    stepped?: (step: RecordStep) => void,
  ): Promise<readonly RecordFacts[]> {
    const written: RecordFacts[] = [];
    for (const step of changes.steps) {
      written.push(...(await this.applyStep(context, changes, step)));
      stepped?.(step);
    }
    return written;
  }

  /** The record that is there now; none after a delete. */
  private async applyStep(
    context: CallContext,
    { zone, fqdn }: RecordChangeSet,
    step: RecordStep,
  ): Promise<readonly RecordFacts[]> {
    const request = requestOf(zone, fqdn, step);
    try {
      if (step.do !== "delete") return await this.client.request(context, request, (answer) => writtenRecord(answer));
      await this.client.send(context, request);
    } catch (error) {
      if (step.do !== "delete" || !isProviderError(error, "NotFound")) throw refusedStep(error);
      // The answer is the same whether the record is gone or the whole domain: then the record may be in another account.
      await this.read(context, { zone, name: fqdn, types: [step.type] });
    }
    return [];
  }
}

function recordsPath(domain: string): string {
  return `/v2/domains/${encodeURIComponent(domain)}/records`;
}

/** Repeating a create could leave two records of one value. */
function requestOf(zone: string, fqdn: string, step: RecordStep): ApiRequest {
  const call = CALL.writeRecords;
  const path = recordsPath(zone);
  if (step.do === "delete") {
    const subject = `delete ${step.type} record ${step.from} of ${fqdn}`;
    return { call, subject, method: "DELETE", path: `${path}/${step.id}`, repeatable: true };
  }
  const body = { type: step.type, name: relativeRecordName(zone, fqdn), data: step.to, ttl: step.ttl };
  if (step.do === "create") {
    return { call, subject: `create ${step.type} record ${step.to} of ${fqdn}`, method: "POST", path, body };
  }
  const subject = `point ${step.type} record ${step.from} of ${fqdn} to ${step.to}`;
  return { call, subject, method: "PUT", path: `${path}/${step.id}`, body, repeatable: true };
}

/** The name is the one that was sent: the API answers with one form or another. */
function writtenRecord(answer: Answer): readonly RecordFacts[] {
  const item = answer.at("domain_record");
  const { record } = readRecord(item, item.at("name").string().toLowerCase());
  return record === undefined ? [] : [record];
}

interface ListedRecord {
  readonly id: string;
  readonly record?: RecordFacts;
  readonly isCname?: boolean;
}

/** Records of other names and types are counted, so that the list is known to be whole, and left out. */
function readRecord(item: Answer, relative: string): ListedRecord {
  const id = String(item.at("id").natural());
  const type = item.at("type").string();
  if (item.at("name").string().toLowerCase() !== relative) return { id };
  if (!isRecordType(type)) return { id, isCname: type === "CNAME" };
  const value = canonicalIp(item.at("data").stringThat((text) => isIP(text) !== 0, "an address"));
  return { id, record: { id, type, value, ttl: item.at("ttl").natural() } };
}

function isRecordType(type: string): type is RecordType {
  return type === "A" || type === "AAAA";
}

/** As other providers name their zones; a domain has no such name, because it has a dot. */
const ZONE_ID = /^[0-9a-f]{32}$/;

function noZone(error: ProviderError, domain: string): ProviderError {
  const remedy = ZONE_ID.test(domain)
    ? "name another provider in dnsRecordSet.provider, whose zones have such an id, or write the domain"
    : `${CORRECT_ZONE}, or have the owner of the DNS account add the domain "${domain}" to it`;
  return withProps(error, { seen: `the account has no domain "${domain}"`, remedy });
}

function refusedStep(error: unknown): unknown {
  // The record set is not as it was read: whoever asked reads it again.
  if (isProviderError(error, "NotFound")) {
    return withProps(error, { kind: "Conflict", reason: "RecordsChanged", remedy: REMEDIES.RecordsChanged });
  }
  return isUnprocessable(error) ? interpretRefusedRecord(error) : error;
}
