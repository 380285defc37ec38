/**
 * Record sets as DNSEndpoint objects in the operator's namespace, for external-dns to publish: any DNS provider of external-dns
 * works without a token in the operator. There is one object for each name and type, and one patch replaces all its addresses.
 */

import { createHash } from "node:crypto";
import { canonicalIp, EXTERNAL_DNS, isIp } from "cdk8s-flipop/api";
import { isNotFound, type KubeClient, StatusError } from "../../kube/client.js";
import type { KubeObject } from "../../kube/objects.js";
import { MERGE_PATCH } from "../../kube/write/patch.js";
import { externalDnsFailures } from "../../messages/failed-calls.js";
import { type ApiCall, CALL, type CallContext, type CallRunner, callText } from "../call.js";
import { fullRecordName, typeOf } from "../diff.js";
import { ProviderError, type ProviderErrorProps } from "../errors.js";
import type {
  DnsCapabilities,
  DnsProvider,
  RecordChangeSet,
  RecordFacts,
  RecordSetFacts,
  RecordSetName,
  RecordType,
} from "../types.js";

const GROUP_VERSION = "externaldns.k8s.io/v1alpha1";
const HASH_LENGTH = 32;

interface Endpoint {
  readonly dnsName?: string;
  readonly recordType?: string;
  readonly recordTTL?: number;
  readonly targets?: readonly string[];
}

interface DnsEndpoint extends KubeObject {
  readonly spec?: { readonly endpoints?: readonly Endpoint[] };
}

export interface ExternalDnsOptions {
  readonly client: KubeClient;
  /** That the objects are in. */
  readonly namespace: string;
  readonly run: CallRunner;
}

export class ExternalDns implements DnsProvider {
  readonly name = EXTERNAL_DNS;
  /** What a DNS provider of external-dns does not take, external-dns rounds. */
  readonly capabilities: DnsCapabilities = { ttl: (seconds) => seconds, owner: false };

  constructor(private readonly options: ExternalDnsOptions) {}

  accountKey(): Promise<string> {
    return Promise.resolve(`${EXTERNAL_DNS} in ${this.options.namespace}`);
  }

  fqdn(_context: CallContext, { zone, name }: RecordSetName): Promise<string> {
    return Promise.resolve(fullRecordName(zone, name));
  }

  async read(context: CallContext, { zone, name, types }: RecordSetName): Promise<RecordSetFacts> {
    const fqdn = fullRecordName(zone, name);
    const found = await Promise.all(types.map((type) => this.find(context, fqdn, type)));
    const records = types.flatMap((type, index) => recordsOf(found[index], type));
    return { zone: fullRecordName(zone, "@"), fqdn, types, records };
  }

  async apply(context: CallContext, changes: RecordChangeSet): Promise<readonly RecordFacts[]> {
    const written: RecordFacts[] = [];
    for (const type of new Set(changes.steps.map((step) => step.type))) {
      written.push(...(await this.write(context, changes, type)));
    }
    const changed = new Set(changes.steps.flatMap((step) => (step.do === "delete" ? [] : [`${step.type} ${step.to}`])));
    return written.filter(({ type, value }) => changed.has(`${type} ${value}`));
  }

  private async write(
    context: CallContext,
    changes: RecordChangeSet,
    type: RecordType,
  ): Promise<readonly RecordFacts[]> {
    const { fqdn, steps, after } = changes;
    const before = await this.find(context, fqdn, type);
    const targets = after.filter((value) => typeOf(value) === type);
    const call = this.callOf(context, `change records of ${fqdn}`, true);
    if (targets.length === 0) {
      if (before !== undefined) await this.send(call, "DELETE", this.pathOf(fqdn, type));
      return [];
    }
    const ttl = steps.map((step) => (step.do !== "delete" && step.type === type ? step.ttl : undefined)).find(Boolean);
    const recordTTL = ttl ?? before?.spec?.endpoints?.[0]?.recordTTL;
    const endpoint: Endpoint = { dnsName: fqdn, recordType: type, targets, ...(recordTTL && { recordTTL }) };
    return recordsOf(await this.put(call, before, { name: nameOf(fqdn, type), endpoint }), type);
  }

  private put(
    call: ApiCall,
    before: DnsEndpoint | undefined,
    { name, endpoint }: { readonly name: string; readonly endpoint: Endpoint },
  ): Promise<DnsEndpoint> {
    const spec = { endpoints: [endpoint] };
    if (before === undefined) {
      const labels = { "app.kubernetes.io/managed-by": "flipop" };
      const body = { apiVersion: GROUP_VERSION, kind: "DNSEndpoint", metadata: { name, labels }, spec };
      return this.send(call, "POST", this.collection(), body);
    }
    const { resourceVersion } = before.metadata;
    return this.send(call, "PATCH", `${this.collection()}/${name}`, { metadata: { resourceVersion }, spec });
  }

  private async find(context: CallContext, fqdn: string, type: RecordType): Promise<DnsEndpoint | undefined> {
    const call = this.callOf(context, `read records of ${fqdn}`, false);
    return this.options.run(call, async ({ signal }) => {
      try {
        return await this.options.client.request<DnsEndpoint>({
          method: "GET",
          path: this.pathOf(fqdn, type),
          signal,
        });
      } catch (error) {
        // Without the CRD, the server does not say which object is missing.
        if (isNotFound(error) && error.details.name === nameOf(fqdn, type)) return undefined;
        throw failureOf(call, error);
      }
    });
  }

  private send(call: ApiCall, method: "POST" | "PATCH" | "DELETE", path: string, body?: object): Promise<DnsEndpoint> {
    const contentType = method === "PATCH" ? { contentType: MERGE_PATCH } : {};
    return this.options.run(call, async ({ signal }) => {
      try {
        return await this.options.client.request<DnsEndpoint>({
          ...{ method, path, signal, ...contentType, ...(body && { body }) },
        });
      } catch (error) {
        throw failureOf(call, error, path);
      }
    });
  }

  private callOf(context: CallContext, subject: string, write: boolean): ApiCall {
    const name = write ? CALL.writeRecords : CALL.readRecords;
    return { provider: EXTERNAL_DNS, name, subject, write, repeatable: !write, context };
  }

  private collection(): string {
    return `/apis/${GROUP_VERSION}/namespaces/${this.options.namespace}/dnsendpoints`;
  }

  private pathOf(fqdn: string, type: RecordType): string {
    return `${this.collection()}/${nameOf(fqdn, type)}`;
  }
}

/** A name may have characters that no object's name has. */
function nameOf(fqdn: string, type: RecordType): string {
  return `flipop-${createHash("sha256").update(`${type} ${fqdn}`).digest("hex").slice(0, HASH_LENGTH)}`;
}

function recordsOf(object: DnsEndpoint | undefined, type: RecordType): readonly RecordFacts[] {
  const endpoints = (object?.spec?.endpoints ?? []).filter(({ recordType }) => recordType === type);
  return endpoints.flatMap(({ targets = [], recordTTL = 0 }) =>
    targets
      .filter(isIp)
      .map((target) => ({ id: `${type} ${target}`, type, value: canonicalIp(target), ttl: recordTTL })),
  );
}

/** @param path of an object that was there when it was read */
function failureOf(call: ApiCall, error: unknown, path = ""): unknown {
  if (!(error instanceof StatusError)) return error;
  const isGone = isNotFound(error) && path.endsWith(`/${error.details.name}`);
  const { kind, ...text } = isGone ? CHANGED : kindOf(error);
  const outcome = kind === "Unavailable" && call.write ? "unknown" : "refused";
  // A change that is made twice is the same as one.
  return new ProviderError({
    where: callText(call),
    cause: error,
    status: error.code,
    kind,
    ...text,
    outcome,
    retrySafe: true,
  });
}

const CHANGED = { kind: "Conflict", ...externalDnsFailures.changed } as const;

function kindOf({ code, message }: StatusError): Pick<ProviderErrorProps, "kind" | "seen" | "remedy" | "reason"> {
  switch (code) {
    case 401:
    case 403:
      return { kind: "Unauthorized", ...externalDnsFailures.forbidden(message) };
    case 404:
      return { kind: "NotFound", reason: "KindMissing", ...externalDnsFailures.noKind };
    case 409:
      return CHANGED;
    case 400:
    case 422:
      return { kind: "Terminal", ...externalDnsFailures.refused(message) };
    default:
      return { kind: "Unavailable", ...externalDnsFailures.unavailable(message) };
  }
}
