/** The part of a snapshot that is about the firewall. */

import type { FirewallProvider } from "../../providers/types.js";
import { given } from "../given.js";
import type { Problem } from "../problem.js";
import { isDue } from "../retry-schedule.js";
import type { FirewallSnapshot } from "./firewall.js";
import type { FirewallView, SharedFirewall } from "./firewall-book.js";
import type { Grounds } from "./gather.js";
import { recordOf } from "./report.js";
import type { Routing } from "./routing.js";
import type { RoutedIP } from "./snapshot.js";
import type { IssuedTerms } from "./terms.js";
import type { RoutedUnit } from "./unit.js";

interface FirewallScene {
  readonly routed: RoutedIP;
  readonly grounds: Grounds;
  readonly firewalls: FirewallProvider | undefined;
}

export function firewallOf({ firewalls: book, context }: Routing, unit: RoutedUnit, scene: FirewallScene) {
  const { routed, grounds } = scene;
  const { terms, account } = grounds;
  const { firewall: recorded, formerFirewalls = [] } = routed.status;
  const name = terms?.firewallName ?? recorded?.name;
  const inventory = account?.inventory;
  const shared = (each: string) => (inventory === undefined ? undefined : book.of(inventory.account, each));
  const look = (each: string): FirewallSnapshot => snapshotOf(each, { ...scene, shared: shared(each), unit, context });
  const names = new Set([...formerFirewalls.map((former) => former.name), ...(recorded ? [recorded.name] : [])]);
  const formers = [...names].filter((each) => each !== name).map(look);
  if (name === undefined) return { firewall: undefined, snapshot: undefined, formers };
  // Our traces are in a firewall, and none is named any more.
  const former = terms?.firewallName === undefined ? { former: true as const } : {};
  return { firewall: shared(name), snapshot: { ...look(name), ...former }, formers };
}

interface Look extends FirewallScene {
  readonly shared: SharedFirewall | undefined;
  readonly unit: RoutedUnit;
  readonly context: Routing["context"];
}

function snapshotOf(name: string, look: Look): FirewallSnapshot {
  const { routed, firewalls, shared: firewall, unit, context } = look;
  if (firewalls === undefined || firewall === undefined) return unreachable(name, look);
  firewall.record(unit.ref.uid, recordOf(routed.status, name));
  const { capabilities } = firewalls;
  return {
    name,
    capabilities,
    ...dueView(firewall.view(), context.clock.now()),
    ...(capabilities.reserved(name) ? { failure: forbiddenText(name) } : {}),
    others: firewall.others(unit.ref.uid),
  };
}

/** The account is not known yet, or has no firewalls. */
function unreachable(name: string, { grounds: { account, terms }, firewalls }: FirewallScene): FirewallSnapshot {
  const failure = firewalls === undefined && account !== undefined ? noFirewalls(terms) : undefined;
  return { name, facts: "unknown", coveredBy: new Map(), others: [], ...given({ failure }) };
}

/** A failure that has been slept off is looked into again. */
function dueView({ dueInMs: _ms, failure, retryAt, ...view }: FirewallView, now: number) {
  if (failure === undefined) return view;
  if (isDue(retryAt, now)) return { ...view, facts: "unknown" as const };
  return { ...view, failure, ...(retryAt === undefined ? {} : { retryAt }) };
}

function noFirewalls(terms: IssuedTerms | undefined): Problem {
  return {
    reason: "Unsupported",
    message: `provider "${terms?.provider}" has no firewalls: leave routedIPFirewallName out`,
  };
}

function forbiddenText(name: string): Problem {
  const message = `firewall "${name}" belongs to the platform, which overwrites foreign rules: name a firewall of your own`;
  return { reason: "FirewallForbidden", message };
}
