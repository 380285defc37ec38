import type { NodeMatch } from "./node-match";
import type { PodMatch } from "./pod-match";
import type { Toleration } from "./toleration";

/**
 * Which nodes are candidates: those that meet every given prop. Without any of these props: every node that is Ready,
 * has no taints except flipop's own, and is not cordoned.
 */
export interface MatchProps {
  /**
   * Pods that a candidate needs: at least one of them must be Running, Ready and not being deleted.
   *
   * @default - candidates need no pods
   */
  readonly pods?: PodMatch;

  /**
   * Labels that a candidate needs.
   *
   * @default - nodes with any labels
   */
  readonly nodes?: NodeMatch;

  /**
   * Taints that a candidate may have, 128 tolerations at most. A node with any other taint is refused, even if the
   * effect is PreferNoSchedule; only taints under `flipop.digitalocean.com/` are ignored.
   *
   * @default - nodes without taints only
   */
  readonly tolerations?: Toleration[];
}
