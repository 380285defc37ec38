/** The world at one moment of the quiet phase, as plain data. */

import type { NodeState, ResourceState } from "../history.js";
import type { AnyResource } from "../stage/specs.js";

export interface PictureNode {
  readonly name: string;
  readonly state: NodeState;
  readonly externalIp: string;
  /** Whether the account has its machine. */
  readonly hasMachine: boolean;
  /** Value of the node's annotation for each family. */
  readonly annotations: Readonly<Partial<Record<"ipv4" | "ipv6", string>>>;
}

export interface PictureResource {
  readonly name: string;
  readonly state: ResourceState;
  readonly object: AnyResource;
}

export interface Picture {
  readonly at: number;
  readonly nodes: readonly PictureNode[];
  /** Droplet by address; null: unassigned. */
  readonly holders: Readonly<Record<string, number | null>>;
  /** By `cloudflare A www.example.org`. */
  readonly records: Readonly<Record<string, readonly string[]>>;
  readonly resources: readonly PictureResource[];
  /** Resources that were deleted and are still there. */
  readonly lingering: readonly string[];
  /** `resourceVersion` of each object that the operator writes. */
  readonly versions: Readonly<Record<string, string>>;
}
