/** The part of a snapshot that is about the firewall. */

import type { FirewallProvider } from "../../providers/types.js";
import type { Problem } from "../problem.js";
import { isDue } from "../retry-schedule.js";
import type { FirewallSnapshot } from "./firewall.js";
import type { FirewallView } from "./firewall-book.js";
import type { Grounds } from "./gather.js";
import { given } from "./given.js";
import { recordOf } from "./plan.js";
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
  const { routed, grounds, firewalls } = scene;
  const { terms, account } = grounds;
  const recorded = routed.status.firewall?.name;
  const name = recorded ?? terms?.firewallName;
  if (name === undefined) return { firewall: undefined, snapshot: undefined };
  const former = isFormer(recorded, terms) ? { former: true as const } : {};
  const inventory = account?.inventory;
  if (firewalls === undefined || inventory === undefined) {
    return { firewall: undefined, snapshot: { ...unreachable(name, scene), ...former } };
  }
  const firewall = book.of(inventory, name);
  firewall.record(unit.ref.uid, recordOf({ routed }));
  unit.firewall = firewall;
  const { capabilities } = firewalls;
  const snapshot: FirewallSnapshot = {
    name,
    capabilities,
    ...dueView(firewall.view(), context.clock.now()),
    ...(capabilities.reserved(name) ? { failure: forbiddenText(name) } : {}),
    others: firewall.others(unit.ref.uid),
    ...former,
  };
  return { firewall, snapshot };
}

/** Our traces are in a firewall that nobody names any more. */
function isFormer(recorded: string | undefined, terms: IssuedTerms | undefined): boolean {
  return recorded !== undefined && recorded !== terms?.firewallName;
}

/** The account is not known yet, or has no firewalls. */
function unreachable(name: string, { grounds: { account, terms }, firewalls }: FirewallScene): FirewallSnapshot {
  const failure = firewalls === undefined && account !== undefined ? noFirewalls(terms) : undefined;
  return { name, facts: "unknown", coveredBy: new Map(), others: [], ...given({ failure }) };
}

/** A failure that has been slept off is looked into again. */
function dueView({ goodForMs: _ms, failure, retryAt, ...view }: FirewallView, now: number) {
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
  const message = `firewall "${name}" belongs to the platform, which writes its own rules over ours: name another one`;
  return { reason: "FirewallForbidden", message };
}
