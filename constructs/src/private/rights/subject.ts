import { ApiObject, Chart } from "cdk8s";
import { Construct, type IConstruct } from "constructs";
import { isObject, type JsonObject } from "../../api/schema/schema";
import { apiObjectOf } from "../manifest";
import { shown } from "../prop-types";

/** A subject of a RoleBinding, or the problem of a construct that is none. */
export type Subject = { readonly json: JsonObject } | { readonly problem: string };

const INSTEAD = "give a ServiceAccount, User or Group of cdk8s-plus, or the ApiObject of a ServiceAccount";

/** Reads a subject: a construct of any cdk8s-plus version, or the object of a ServiceAccount. */
export function subjectOf(construct: IConstruct): Subject {
  if (!Construct.isConstruct(construct)) return { problem: `${shown(construct)} is not a construct: ${INSTEAD}` };
  const { kind, name, apiGroup, namespace } = configurationOf(construct);
  if (typeof kind !== "string" || typeof name !== "string") {
    return { problem: `construct "${construct.node.path}" is not a subject of a Role: ${INSTEAD}` };
  }
  if (kind !== "ServiceAccount") return { json: { kind, name, apiGroup } };
  const known = namespace ?? Chart.of(construct).namespace;
  if (known !== undefined) return { json: { kind, name, namespace: known } };
  return { problem: `the namespace of ServiceAccount "${name}" is not known: set it, or the namespace of its chart` };
}

function configurationOf(construct: IConstruct): JsonObject {
  const read: unknown = Reflect.get(construct, "toSubjectConfiguration");
  if (typeof read === "function") {
    const configuration: unknown = Reflect.apply(read, construct, []);
    return isObject(configuration) ? configuration : {};
  }
  const object = apiObjectOf(construct);
  if (!ApiObject.isApiObject(object) || object.kind !== "ServiceAccount") return {};
  const { kind, name, metadata } = object;
  return { kind, name, namespace: metadata.namespace };
}
