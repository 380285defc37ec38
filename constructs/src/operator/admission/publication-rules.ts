import { Annotation, CONTROLLER_NAME, LOAD_BALANCER_CLASS } from "../../api/names";

/** A named expression of a ValidatingAdmissionPolicy. */
interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** A rule for the operator's changes to a Service or a Gateway, in CEL and in words. */
interface PublicationRule {
  readonly expression: string;
  /** End of the error message: the change that the rule allows. */
  readonly allowed: string;
}

/** The values that the rules compare. All but the first two exist only in updates. The two kinds have different types. */
export const PUBLICATION_VARIABLES: readonly Variable[] = [
  {
    name: "isStatus",
    expression: "request.operation == 'UPDATE' && has(request.subResource) && request.subResource == 'status'",
  },
  { name: "isService", expression: "request.resource.resource == 'services'" },
  { name: "field", expression: "variables.isService ? 'loadBalancer' : 'addresses'" },
  { name: "next", expression: "dyn(object)" },
  { name: "old", expression: "dyn(oldObject)" },
  { name: "status", expression: "variables.next.?status.orValue({})" },
  { name: "oldStatus", expression: "variables.old.?status.orValue({})" },
  {
    name: "isAllowed",
    expression: `variables.isService ? variables.old.spec.?loadBalancerClass.orValue('') == '${LOAD_BALANCER_CLASS}' : variables.old.metadata.?annotations.orValue({})[?'${Annotation.publishAddresses}'].orValue('') == 'true'`,
  },
  {
    name: "isOurs",
    expression: `variables.old.metadata.?managedFields.orValue([]).exists(entry, entry.?manager.orValue('') == '${CONTROLLER_NAME}' && entry.?operation.orValue('') == 'Apply' && 'f:addresses' in entry.?fieldsV1.orValue({})[?'f:status'].orValue({}))`,
  },
];

/** Fields of the metadata that must not change, and the values of absent ones: a write of a status may change those of a Service. */
const FIXED_METADATA = { labels: "{}", annotations: "{}", finalizers: "[]", ownerReferences: "[]" };

/** Every rule must hold. */
export const PUBLICATION_RULES: readonly PublicationRule[] = [
  { expression: "variables.isStatus", allowed: "it may write their status, and nothing else" },
  ...Object.entries(FIXED_METADATA).map(([field, absent]) => ({
    expression: onStatus(
      `variables.next.metadata.?${field}.orValue(${absent}) == variables.old.metadata.?${field}.orValue(${absent})`,
    ),
    allowed: `metadata.${field} must not change`,
  })),
  {
    expression: onStatus(
      "variables.status.all(key, key == variables.field || (key in variables.oldStatus && variables.status[key] == variables.oldStatus[key]))",
    ),
    allowed: "it must neither add nor change other fields of the status",
  },
  {
    expression: onStatus("variables.oldStatus.all(key, key == variables.field || key in variables.status)"),
    allowed: "it must not remove other fields of the status",
  },
  {
    expression: onStatus("!variables.isService || variables.isAllowed"),
    allowed: `the Service must have loadBalancerClass ${LOAD_BALANCER_CLASS}`,
  },
  {
    // Without the annotation, the operator withdraws what it wrote before.
    expression: onStatus(
      "variables.isService || variables.isAllowed || (variables.isOurs && variables.status.?addresses.orValue([]).all(each, each in variables.oldStatus.?addresses.orValue([])))",
    ),
    allowed: `the Gateway must have annotation ${Annotation.publishAddresses} with the value "true"`,
  },
];

/** The first rule rejects all other requests; this rule could not evaluate them, because one of the objects is null. */
function onStatus(expression: string): string {
  return `!variables.isStatus || (${expression})`;
}
