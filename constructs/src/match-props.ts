import type { NodeMatch } from "./node-match";
import type { PodMatch } from "./pod-match";
import type { Toleration } from "./toleration";

/** Which nodes are candidates. What is left out demands nothing; without any of these every healthy node is taken. */
export interface MatchProps {
  /**
   * Pods that a node needs: at least one that is Running, Ready and not being deleted.
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
   * Taints that a node may have. Any taint that is not tolerated, whatever its effect, refuses the node.
   *
   * @default - nodes without taints only
   */
  readonly tolerations?: Toleration[];
}
