/** Field numbers: k8s.io/api v0.35.4, core/v1/generated.proto. */
import { int, intOrString, KEPT, list, nested, sharedMap, text, texts } from "../fields.js";
import { message } from "../message.js";
import { objectMeta } from "./meta.js";

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
  loadBalancerSourceRanges: texts(9),
});

/** @param annotations prefixes of those that are read. */
export function service(annotations: readonly string[]) {
  return message("Service", {
    metadata: nested(1, objectMeta(annotations)),
    spec: nested(2, SERVICE_SPEC),
  });
}
