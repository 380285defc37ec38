/** Field numbers: k8s.io/api v0.35.4, core/v1/generated.proto. */
import { bool, KEPT, list, nested, ownText, text, time } from "../fields.js";
import { completeMessage, message } from "../message.js";
import { objectMeta } from "./meta.js";

/** A JSON patch tests the whole list of taints: a field that is left out would make each such patch fail. */
const TAINT = completeMessage("Taint", {
  key: text(1, KEPT),
  value: text(2),
  effect: text(3, KEPT),
  timeAdded: time(4),
});

const NODE_ADDRESS = message("NodeAddress", { type: text(1, KEPT), address: text(2, KEPT) });

const NODE_CONDITION = message("NodeCondition", {
  type: text(1, KEPT),
  status: text(2, KEPT),
  lastTransitionTime: time(4),
  reason: text(5),
});

const NODE_SYSTEM_INFO = message("NodeSystemInfo", { kubeletVersion: text(7, KEPT) });

const NODE_SPEC = message("NodeSpec", {
  providerID: ownText(3),
  unschedulable: bool(4),
  taints: list(5, TAINT),
});

const NODE_STATUS = message("NodeStatus", {
  conditions: list(4, NODE_CONDITION),
  addresses: list(5, NODE_ADDRESS),
  nodeInfo: nested(7, NODE_SYSTEM_INFO),
});

/** @param annotations prefixes of those that are read. */
export function node(annotations: readonly string[]) {
  return message("Node", {
    metadata: nested(1, objectMeta(annotations, { creationTimestamp: time(8) })),
    spec: nested(2, NODE_SPEC),
    status: nested(3, NODE_STATUS),
  });
}
