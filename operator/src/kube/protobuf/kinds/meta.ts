/** Field numbers: k8s.io/apimachinery v0.35.4, pkg/apis/meta/v1/generated.proto. */
import { int, list, nested, ownText, prefixedMap, sharedMap, text, time } from "../fields.js";
import { type Fields, message } from "../message.js";

/** What a watch's bookmarks carry, for every kind. */
const SERVER_ANNOTATIONS = "k8s.io/";

/**
 * @param annotations prefixes of those that are read, besides the server's own.
 * @param more fields that this kind alone needs.
 */
export function objectMeta(annotations: readonly string[] = [], more: Fields = {}) {
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
