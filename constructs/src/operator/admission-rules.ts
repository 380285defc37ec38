import { API_GROUP } from "../api/names";

const PREFIX = `'${API_GROUP}/'`;

/** A named expression of a ValidatingAdmissionPolicy. */
interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** What the operator may do to a node, in CEL and in words. */
interface NodeRule {
  readonly expression: string;
  /** Rest of the message of a refusal: what is allowed in this respect. */
  readonly allowed: string;
}

/** What the rules compare. Only for updates: in a creation or deletion one of the two objects is null. */
export const NODE_VARIABLES: readonly Variable[] = [
  { name: "isUpdate", expression: "request.operation == 'UPDATE' && !has(request.subResource)" },
  { name: "annotations", expression: "object.metadata.?annotations.orValue({})" },
  { name: "oldAnnotations", expression: "oldObject.metadata.?annotations.orValue({})" },
  { name: "taints", expression: "object.spec.?taints.orValue([])" },
  { name: "oldTaints", expression: "oldObject.spec.?taints.orValue([])" },
];

/** Fields of a node's metadata that stay as they are, and their values where absent. */
const FIXED_METADATA = { labels: "{}", finalizers: "[]", ownerReferences: "[]" };
/** Fields of a node's spec, but for its taints. */
const FIXED_SPEC = { unschedulable: "false", providerID: "''", podCIDR: "''", podCIDRs: "[]", externalID: "''" };

/** Every rule must hold. */
export const NODE_RULES: readonly NodeRule[] = [
  { expression: "variables.isUpdate", allowed: "it may patch nodes, not create, delete or connect to them" },
  ...unchanged("metadata", FIXED_METADATA),
  ...unchanged("spec", FIXED_SPEC),
  {
    expression: onUpdate("object.spec.?configSource == oldObject.spec.?configSource"),
    allowed: "spec.configSource must stay as it is",
  },
  {
    expression: onUpdate(
      `variables.annotations.all(key, ${ours("key")} || (key in variables.oldAnnotations && variables.annotations[key] == variables.oldAnnotations[key]))`,
    ),
    allowed: `annotations outside of ${API_GROUP}/ may be neither added nor changed`,
  },
  {
    expression: onUpdate(`variables.oldAnnotations.all(key, ${ours("key")} || key in variables.annotations)`),
    allowed: `annotations outside of ${API_GROUP}/ must not be removed`,
  },
  {
    expression: onUpdate(`${foreignTaints("variables.taints")} == ${foreignTaints("variables.oldTaints")}`),
    allowed: `taints outside of ${API_GROUP}/ must stay as they are`,
  },
  {
    expression: onUpdate("variables.taints.all(taint, taint.effect != 'NoExecute' || taint in variables.oldTaints)"),
    allowed: "a taint must not evict pods (NoExecute)",
  },
];

function unchanged(parent: string, fields: Readonly<Record<string, string>>): NodeRule[] {
  return Object.entries(fields).map(([field, absent]) => ({
    expression: onUpdate(
      `object.${parent}.?${field}.orValue(${absent}) == oldObject.${parent}.?${field}.orValue(${absent})`,
    ),
    allowed: `${parent}.${field} must stay as it is`,
  }));
}

/** All else is refused by the first rule; here it would only fail for want of one of the objects. */
function onUpdate(expression: string): string {
  return `!variables.isUpdate || (${expression})`;
}

function ours(key: string): string {
  return `${key}.startsWith(${PREFIX})`;
}

function foreignTaints(list: string): string {
  return `${list}.filter(taint, !${ours("taint.key")})`;
}
