/** The fields that the operator reads, with their numbers: k8s.io/apimachinery v0.35.4 (pkg/apis/meta/v1) and k8s.io/api v0.35.4 (core/v1, discovery/v1), each in generated.proto. */

import {
  bool,
  int,
  intOrString,
  KEPT,
  list,
  nested,
  ownText,
  prefixedMap,
  sharedMap,
  text,
  texts,
  time,
} from "./field-types.js";
import { completeMessage, type Fields, message } from "./reader.js";

/** What a watch's bookmarks carry, for every kind. */
const SERVER_ANNOTATIONS = "k8s.io/";
/** Of clouds' load balancers. */
const SERVICE_ANNOTATIONS = "service.beta.kubernetes.io/";

/**
 * @param annotations prefixes of those that are read, besides the server's own.
 * @param more fields that this kind alone needs.
 */
function objectMeta(annotations: readonly string[] = [], more: Fields = {}) {
  return message("ObjectMeta", {
    name: ownText(1),
    namespace: text(3),
    uid: ownText(5),
    resourceVersion: ownText(6),
    deletionTimestamp: time(9),
    labels: sharedMap(11),
    annotations: prefixedMap(12, [SERVER_ANNOTATIONS, ...annotations]),
    ...more,
  });
}

export const LIST_META = message("ListMeta", { resourceVersion: ownText(2), continue: ownText(3) });

const STATUS_CAUSE = message("StatusCause", { reason: text(1), message: ownText(2), field: ownText(3) });

const STATUS_DETAILS = message("StatusDetails", {
  name: ownText(1),
  group: text(2),
  kind: text(3),
  causes: list(4, STATUS_CAUSE),
  retryAfterSeconds: int(5),
  uid: ownText(6),
});

export const STATUS = message("Status", {
  message: ownText(3),
  reason: text(4),
  details: nested(5, STATUS_DETAILS),
  code: int(6),
});

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

const CONTAINER_PORT = message("ContainerPort", {
  name: text(1),
  hostPort: int(2),
  containerPort: int(3, KEPT),
  protocol: text(4),
  hostIP: text(5),
});

const CONTAINER = message("Container", { ports: list(6, CONTAINER_PORT), restartPolicy: text(24) });

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
  podIP: ownText(6),
});

export const POD = message("Pod", {
  metadata: nested(1, objectMeta([], { deletionGracePeriodSeconds: int(10), finalizers: texts(14) })),
  spec: nested(2, POD_SPEC),
  status: nested(3, POD_STATUS),
});

const SERVICE_PORT = message("ServicePort", {
  name: text(1),
  protocol: text(2),
  port: int(3, KEPT),
  targetPort: intOrString(4),
  nodePort: int(5),
});

const SERVICE_SPEC = message("ServiceSpec", {
  ports: list(1, SERVICE_PORT),
  selector: sharedMap(2),
  clusterIP: text(3),
  type: text(4),
  externalIPs: texts(5),
  loadBalancerSourceRanges: texts(9),
  loadBalancerClass: text(21),
});

const LOAD_BALANCER_INGRESS = message("LoadBalancerIngress", { ip: ownText(1), hostname: ownText(2) });
const LOAD_BALANCER_STATUS = message("LoadBalancerStatus", { ingress: list(1, LOAD_BALANCER_INGRESS) });
const SERVICE_STATUS = message("ServiceStatus", { loadBalancer: nested(1, LOAD_BALANCER_STATUS) });

/** @param annotations prefixes of those that are read. */
export function service(annotations: readonly string[]) {
  return message("Service", {
    metadata: nested(1, objectMeta([SERVICE_ANNOTATIONS, ...annotations])),
    spec: nested(2, SERVICE_SPEC),
    status: nested(3, SERVICE_STATUS),
  });
}

const ENDPOINT_CONDITIONS = message("EndpointConditions", {
  ready: bool(1, KEPT),
  serving: bool(2, KEPT),
  terminating: bool(3, KEPT),
});

const OBJECT_REFERENCE = message("ObjectReference", { kind: text(1), name: ownText(3) });

const ENDPOINT = message("Endpoint", {
  conditions: nested(2, ENDPOINT_CONDITIONS),
  targetRef: nested(4, OBJECT_REFERENCE),
  nodeName: text(6, KEPT),
});

export const ENDPOINT_SLICE = message("EndpointSlice", {
  metadata: nested(1, objectMeta()),
  endpoints: list(2, ENDPOINT),
  addressType: text(4, KEPT),
});
