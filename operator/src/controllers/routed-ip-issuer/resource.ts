/** A RoutedIPIssuer, for the engine. */

import type { IssuerObject, IssuerRead } from "../routed-ip/resource.js";
import type { Action } from "./actions.js";
import type { Gathered, Snapshot } from "./gather.js";
import type { Plan } from "./plan.js";

export interface RoutedIPIssuer {
  readonly object: IssuerObject;
  readonly resource: IssuerRead;
  readonly snapshot: Gathered;
  readonly action: Action;
  readonly plan: Plan;
  /** The firewall as it was read last. */
  readonly memory: { firewall: Snapshot["firewall"] | undefined };
}
