/** Cloud firewalls: their inbound rules and the droplets that they cover. */

import { REMEDIES } from "../../messages/failed-calls.js";
import { CALL, type CallContext, sharedRead } from "../call.js";
import type { OncePerToken } from "../credentials.js";
import { isNumbered } from "../diff.js";
import { isProviderError, ProviderError, withProps } from "../errors.js";
import type {
  CreateFirewall,
  FirewallCapabilities,
  FirewallChange,
  FirewallFacts,
  FirewallProvider,
  FirewallSurvey,
} from "../firewall-types.js";
import type { Answer } from "../http.js";
import type { ProviderId } from "../types.js";
import { type ApiRequest, DIGITALOCEAN, type DigitalOceanClient } from "./client.js";
import { dropletIdOf, providerIdOf } from "./droplets.js";
import { coverageOf, type TaggedFirewall } from "./firewall-cover.js";
import { EVERYTHING_OUT, FirewallList, type Listed, readRule, writeRule } from "./firewall-list.js";
import { interpretRefusedFirewall, isUnprocessable } from "./unprocessable.js";

const PATH = "/v2/firewalls";

const CAPABILITIES: FirewallCapabilities = {
  rulesPerFirewall: 50,
  createdOutboundRules: EVERYTHING_OUT.length,
  nodesPerFirewall: 10,
  // DOKS writes its own over every five minutes.
  reserved: (name) => name.startsWith("k8s-"),
};

interface Asked extends Listed<TaggedFirewall> {
  readonly name: string;
  readonly nodes: readonly ProviderId[];
}

export class DigitalOceanFirewalls implements FirewallProvider {
  readonly name = DIGITALOCEAN;
  readonly capabilities = CAPABILITIES;
  private readonly all: FirewallList<TaggedFirewall>;

  constructor(
    private readonly client: DigitalOceanClient,
    private readonly account: OncePerToken<string>,
    monotonic: () => number,
  ) {
    this.all = new FirewallList(monotonic, (priority) => this.list(sharedRead("what the firewalls are", priority)));
  }

  accountKey(context: CallContext): Promise<string> {
    return this.account.read(context);
  }

  /** One list, if none is young enough; and one read for each node in no firewall. */
  async survey(
    context: CallContext,
    name: string,
    nodes: readonly ProviderId[],
    maxAgeSeconds = 0,
  ): Promise<FirewallSurvey> {
    refuseReserved(name);
    const { priority, signal } = context;
    const listed = await this.all.get({ maxAgeSeconds, priority, ...(signal && { signal }) });
    const survey = await this.surveyOf(context, { name, nodes, ...listed });
    const bare = [...survey.coveredBy.values()].some((names) => names.length === 0);
    // A machine may be younger than the list, and no call waits for the next list to learn which firewall covers it.
    return bare && maxAgeSeconds > 0 && listed.kept ? this.survey(context, name, nodes) : survey;
  }

  private async surveyOf(
    context: CallContext,
    { name, nodes, items: all, ageSeconds }: Asked,
  ): Promise<FirewallSurvey> {
    const named = all.filter((firewall) => firewall.name === name);
    if (named.length > 1) throw ambiguous(name, named);
    const others = all.filter((firewall) => firewall.name !== name);
    const coverage = await coverageOf(this.client, context, { others, nodes });
    const [firewall] = named;
    const numbered = all.filter((each) => isNumbered(name, each.name)).map(withoutTags);
    return {
      ...(firewall === undefined ? {} : { firewall: withoutTags(firewall) }),
      numbered,
      names: new Map(all.map((each) => [each.id, each.name])),
      ...coverage,
      ageSeconds,
    };
  }

  async create(context: CallContext, desired: CreateFirewall): Promise<FirewallFacts> {
    refuseReserved(desired.name);
    const body = {
      name: desired.name,
      inbound_rules: desired.rules.map(writeRule),
      outbound_rules: EVERYTHING_OUT,
      droplet_ids: desired.nodes.map(dropletIdOf),
    };
    const subject = `create firewall ${desired.name}`;
    const request = { call: CALL.createFirewall, subject, method: "POST", path: PATH, body } as const;
    try {
      const read = (answer: Answer) => withoutTags(readFirewall(answer.at("firewall"), subject));
      return await this.writing(() => this.client.request(context, request, read));
    } catch (error) {
      if (isUnprocessable(error)) throw interpretRefusedFirewall(error);
      const found = isUnknown(error) ? await this.foundAfterLoss(context, desired.name) : undefined;
      if (found === undefined) throw error;
      return found;
    }
  }

  /** Never PUT: it resets what it does not name. One call for each part that is not empty, additions first. */
  async apply(context: CallContext, change: FirewallChange): Promise<void> {
    refuseReserved(change.name);
    for (const { joining, ...request } of requestsOf(change)) {
      try {
        await this.writing(() => this.client.send(context, request));
      } catch (error) {
        throw isUnprocessable(error) ? interpretRefusedFirewall(error, joining) : changedMeanwhile(error);
      }
    }
  }

  async remove(context: CallContext, { id, name }: Pick<FirewallFacts, "id" | "name">): Promise<void> {
    refuseReserved(name);
    const path = `${PATH}/${encodeURIComponent(id)}`;
    const subject = `delete firewall ${name}`;
    try {
      const request = { call: CALL.removeFirewall, subject, method: "DELETE", path } as const;
      await this.writing(() => this.client.send(context, { ...request, repeatable: true }));
    } catch (error) {
      if (isProviderError(error, "NotFound")) return;
      throw isUnprocessable(error) ? interpretRefusedFirewall(error) : error;
    }
  }

  /** What is listed before the answer may not show the change. */
  private async writing<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } finally {
      this.all.forget();
    }
  }

  private list(context: CallContext): Promise<readonly TaggedFirewall[]> {
    const subject = "list firewalls";
    return this.client.list(context, {
      call: CALL.listFirewalls,
      subject,
      path: PATH,
      key: "firewalls",
      read: (item) => readFirewall(item, subject),
      identify: ({ id }) => id,
    });
  }

  private async foundAfterLoss(context: CallContext, name: string): Promise<FirewallFacts | undefined> {
    return this.survey(context, name, []).then(
      ({ firewall }) => firewall,
      () => undefined,
    );
  }
}

interface PartOfChange extends ApiRequest {
  /** Droplets that it adds. */
  readonly joining?: readonly ProviderId[];
}

function requestsOf({ id, name, ...change }: FirewallChange): readonly PartOfChange[] {
  const path = `${PATH}/${encodeURIComponent(id)}`;
  const request = (method: "POST" | "DELETE", part: "rules" | "droplets", body: object): ApiRequest => ({
    call: CALL.changeFirewall,
    subject: `${method === "POST" ? "add" : "remove"} ${part} ${method === "POST" ? "to" : "from"} firewall ${name}`,
    method,
    path: `${path}/${part}`,
    body,
    // Droplets are a set; a rule that is sent twice may be refused as a double.
    repeatable: part === "droplets",
  });
  const rules = (list: FirewallChange["addRules"]) => ({ inbound_rules: list.map(writeRule) });
  const droplets = (list: readonly ProviderId[]) => ({ droplet_ids: list.map(dropletIdOf) });
  return [
    ...(change.addRules.length > 0 ? [request("POST", "rules", rules(change.addRules))] : []),
    ...(change.addNodes.length > 0
      ? [{ ...request("POST", "droplets", droplets(change.addNodes)), joining: change.addNodes }]
      : []),
    ...(change.removeRules.length > 0 ? [request("DELETE", "rules", rules(change.removeRules))] : []),
    ...(change.removeNodes.length > 0 ? [request("DELETE", "droplets", droplets(change.removeNodes))] : []),
  ];
}

function readFirewall(item: Answer, where: string): TaggedFirewall {
  const rules = item.at("inbound_rules");
  const outbound = item.at("outbound_rules");
  const droplets = item.at("droplet_ids");
  const tags = item.at("tags");
  const pending = item.at("pending_changes");
  // A token without a scope gets an answer without the field, which does not mean "covers nothing".
  if (droplets.missing || tags.missing) throw missingScope(where);
  return {
    id: item.at("id").string(),
    name: item.at("name").string(),
    rules: rules.empty ? [] : rules.items().map(readRule),
    outboundRules: outbound.empty ? 0 : outbound.items().length,
    nodes: droplets.empty ? [] : droplets.items().map((droplet) => providerIdOf(droplet.natural())),
    pending: !pending.empty && pending.items().length > 0,
    tags: tags.empty ? [] : tags.items().map((tag) => tag.string()),
  };
}

function withoutTags({ tags: _tags, ...facts }: TaggedFirewall): FirewallFacts {
  return facts;
}

function isUnknown(error: unknown): boolean {
  return isProviderError(error) && error.outcome === "unknown";
}

function changedMeanwhile(error: unknown): unknown {
  if (!isProviderError(error, "NotFound")) return error;
  return withProps(error, { kind: "Conflict", remedy: REMEDIES.Conflict });
}

function refuseReserved(name: string): void {
  if (!CAPABILITIES.reserved(name)) return;
  throw new ProviderError({
    kind: "Terminal",
    where: `${DIGITALOCEAN}: firewall ${name}`,
    seen: "firewalls named k8s-* belong to DigitalOcean Kubernetes, which writes its own rules over every 5 min",
    remedy: "give routedIPFirewallName another name; rules of several firewalls add up",
    outcome: "not-sent",
  });
}

function ambiguous(name: string, named: readonly FirewallFacts[]): ProviderError {
  return new ProviderError({
    kind: "Conflict",
    where: `${DIGITALOCEAN}: firewall ${name}`,
    seen: `${named.length} firewalls bear this name (${named.map(({ id }) => id).join(", ")})`,
    remedy: "rename or delete all but one",
    outcome: "refused",
    reason: "Ambiguous",
  });
}

function missingScope(where: string): ProviderError {
  return new ProviderError({
    kind: "Unauthorized",
    where: `${DIGITALOCEAN}: ${where}`,
    seen: "the answer does not say which droplets and tags the firewalls cover",
    remedy: "have the owner of the account give the token the scopes droplet:read and tag:read",
    outcome: "refused",
    reason: "LacksRight",
  });
}
