/** Field numbers: k8s.io/api v0.35.4, core/v1/generated.proto. */
import { bool, int, KEPT, list, nested, text, time } from "../fields.js";
import { message } from "../message.js";
import { objectMeta } from "./meta.js";

const CONTAINER_PORT = message("ContainerPort", {
  name: text(1),
  hostPort: int(2),
  containerPort: int(3, KEPT),
  protocol: text(4),
});

const CONTAINER = message("Container", { ports: list(6, CONTAINER_PORT) });

const POD_CONDITION = message("PodCondition", {
  type: text(1, KEPT),
  status: text(2, KEPT),
  lastTransitionTime: time(4),
});

const POD_SPEC = message("PodSpec", {
  containers: list(2, CONTAINER),
  nodeName: text(10),
  hostNetwork: bool(11),
  initContainers: list(20, CONTAINER),
});

const POD_STATUS = message("PodStatus", {
  phase: text(1),
  conditions: list(2, POD_CONDITION, "Ready"),
});

export const POD = message("Pod", {
  metadata: nested(1, objectMeta()),
  spec: nested(2, POD_SPEC),
  status: nested(3, POD_STATUS),
});
