/** Field numbers: k8s.io/api v0.35.4, discovery/v1/generated.proto. */
import { bool, KEPT, list, nested, text } from "../fields.js";
import { message } from "../message.js";
import { objectMeta } from "./meta.js";

const ENDPOINT_CONDITIONS = message("EndpointConditions", {
  ready: bool(1, KEPT),
  serving: bool(2, KEPT),
  terminating: bool(3, KEPT),
});

const ENDPOINT = message("Endpoint", {
  conditions: nested(2, ENDPOINT_CONDITIONS),
  nodeName: text(6, KEPT),
});

export const ENDPOINT_SLICE = message("EndpointSlice", {
  metadata: nested(1, objectMeta()),
  endpoints: list(2, ENDPOINT),
  addressType: text(4, KEPT),
});
