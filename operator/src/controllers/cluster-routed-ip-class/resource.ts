/** A ClusterRoutedIPClass, for the engine. */

import type { ClassObject, ClassRead } from "../routed-ip/resource.js";
import type { Action } from "./actions.js";
import type { Snapshot } from "./gather.js";
import type { Plan } from "./plan.js";

export interface RoutedClass {
  readonly object: ClassObject;
  readonly resource: ClassRead;
  readonly snapshot: Snapshot;
  readonly action: Action;
  readonly plan: Plan;
  /** `firewall`: the state of the firewall as RoutedIPs heard of it last. */
  readonly memory: { firewall: string | undefined };
}
