import { HOLDER_LABEL_PREFIX, HOLDER_LABEL_VALUE } from "../../api/labels/node-mark-keys";
import { API_GROUP } from "../../api/names";

const PREFIX = `'${API_GROUP}/'`;

/** A named expression of a ValidatingAdmissionPolicy. */
interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** A rule for the operator's changes to a node, in CEL and in words. */
interface NodeRule {
  readonly expression: string;
  /** End of the error message: the change that the rule allows. */
  readonly allowed: string;
}

/**
 * The values that the rules compare. They exist only in updates: in a creation or deletion, one of the two objects is
 * null.
 */
export const NODE_VARIABLES: readonly Variable[] = [
  { name: "isUpdate", expression: "request.operation == 'UPDATE' && !has(request.subResource)" },
  { name: "labels", expression: "object.metadata.?labels.orValue({})" },
  { name: "oldLabels", expression: "oldObject.metadata.?labels.orValue({})" },
  { name: "annotations", expression: "object.metadata.?annotations.orValue({})" },
  { name: "oldAnnotations", expression: "oldObject.metadata.?annotations.orValue({})" },
  { name: "taints", expression: "object.spec.?taints.orValue([])" },
  { name: "oldTaints", expression: "oldObject.spec.?taints.orValue([])" },
];

/** Fields of a node's metadata that must not change, and the values of absent ones; labels and annotations have their own rules. */
const FIXED_METADATA = { finalizers: "[]", ownerReferences: "[]" };
/** Fields of a node's spec that must not change; taints have their own rules. */
const FIXED_SPEC = { unschedulable: "false", providerID: "''", podCIDR: "''", podCIDRs: "[]", externalID: "''" };

/** Every rule must hold. */
export const NODE_RULES: readonly NodeRule[] = [
  { expression: "variables.isUpdate", allowed: "it may patch nodes, but not create, delete or connect to them" },
  ...unchanged("metadata", FIXED_METADATA),
  ...unchanged("spec", FIXED_SPEC),
  {
    expression: onUpdate("object.spec.?configSource == oldObject.spec.?configSource"),
    allowed: "spec.configSource must not change",
  },
  {
    expression: onUpdate(
      `variables.labels.all(key, (key in variables.oldLabels && variables.labels[key] == variables.oldLabels[key]) || (${isHolderLabel("key")} && variables.labels[key] == '${HOLDER_LABEL_VALUE}'))`,
    ),
    allowed: `it must neither add nor change labels, except labels ${HOLDER_LABEL_PREFIX}... with the value "${HOLDER_LABEL_VALUE}"`,
  },
  {
    expression: onUpdate(`variables.oldLabels.all(key, ${isHolderLabel("key")} || key in variables.labels)`),
    allowed: `it must not remove labels other than ${HOLDER_LABEL_PREFIX}...`,
  },
  {
    expression: onUpdate(
      `variables.annotations.all(key, ${ours("key")} || (key in variables.oldAnnotations && variables.annotations[key] == variables.oldAnnotations[key]))`,
    ),
    allowed: `it must neither add nor change annotations outside of ${API_GROUP}/`,
  },
  {
    expression: onUpdate(`variables.oldAnnotations.all(key, ${ours("key")} || key in variables.annotations)`),
    allowed: `it must not remove annotations outside of ${API_GROUP}/`,
  },
  {
    expression: onUpdate(`${foreignTaints("variables.taints")} == ${foreignTaints("variables.oldTaints")}`),
    allowed: `taints outside of ${API_GROUP}/ must not change`,
  },
  {
    expression: onUpdate("variables.taints.all(taint, taint.effect != 'NoExecute' || taint in variables.oldTaints)"),
    allowed: "it must not add a taint that evicts pods (NoExecute)",
  },
];

function unchanged(parent: string, fields: Readonly<Record<string, string>>): NodeRule[] {
  return Object.entries(fields).map(([field, absent]) => ({
    expression: onUpdate(
      `object.${parent}.?${field}.orValue(${absent}) == oldObject.${parent}.?${field}.orValue(${absent})`,
    ),
    allowed: `${parent}.${field} must not change`,
  }));
}

/** The first rule rejects all other requests; this rule could not evaluate them, because one of the objects is null. */
function onUpdate(expression: string): string {
  return `!variables.isUpdate || (${expression})`;
}

function ours(key: string): string {
  return `${key}.startsWith(${PREFIX})`;
}

function isHolderLabel(key: string): string {
  return `${key}.startsWith('${HOLDER_LABEL_PREFIX}')`;
}

function foreignTaints(list: string): string {
  return `${list}.filter(taint, !${ours("taint.key")})`;
}
