import type { NodeMatch } from "./node-match";
import type { PodMatch } from "./pod-match";
import type { Toleration } from "./toleration";

/**
 * Which nodes are candidates: those that meet every prop given. Without any of these props: every node that is Ready,
 * without taints and not cordoned.
 */
export interface MatchProps {
  /**
   * Pods that a node needs: at least one of them that is Running, Ready and not being deleted.
   *
   * @default - no pod is needed
   */
  readonly pods?: PodMatch;

  /**
   * Labels that a node needs.
   *
   * @default - nodes with any labels
   */
  readonly nodes?: NodeMatch;

  /**
   * Taints that a node may have, 128 tolerations at most. Any other taint refuses the node, even with effect
   * PreferNoSchedule; only those under `flipop.digitalocean.com/` are ignored.
   *
   * @default - nodes without taints only
   */
  readonly tolerations?: Toleration[];
}
