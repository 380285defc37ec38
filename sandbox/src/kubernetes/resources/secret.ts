import { badRequest } from "../api-status.js";
import { at, objectOf, textOf } from "../json.js";
import type { ApiObject } from "../objects.js";
import { builtin, column, textColumn } from "./define-built-in.js";

/** Secrets. `stringData` is moved to `data`, as the server does. */
export const secrets = builtin({
  plural: "secrets",
  kind: "Secret",
  fields: { type: (secret) => textOf(secret.type) },
  behaviour: { normalise: normaliseSecret },
  columns: [textColumn("Type", ["type"]), column("Data", (secret) => Object.keys(objectOf(secret.data)).length)],
});

/** ConfigMaps. */
export const configMaps = builtin({
  plural: "configmaps",
  kind: "ConfigMap",
  shortNames: ["cm"],
  behaviour: { normalise: normaliseConfigMap },
  columns: [column("Data", (map) => Object.keys({ ...objectOf(map.data), ...objectOf(map.binaryData) }).length)],
});

/** ServiceAccounts. Nothing makes tokens for them. */
export const serviceAccounts = builtin({
  plural: "serviceaccounts",
  kind: "ServiceAccount",
  shortNames: ["sa"],
});

function normaliseSecret(secret: ApiObject): readonly string[] {
  requireTexts(secret, "data");
  requireTexts(secret, "stringData");
  const plain = Object.entries(objectOf(secret.stringData));
  const data = { ...objectOf(secret.data) };
  for (const [key, value] of plain) data[key] = Buffer.from(textOf(value)).toString("base64");
  for (const value of Object.values(data)) requireBase64(textOf(value));
  delete secret.stringData;
  secret.data = data;
  secret.type = textOf(secret.type) || "Opaque";
  return [];
}

function normaliseConfigMap(map: ApiObject): readonly string[] {
  requireTexts(map, "data");
  const known = ["kind", "apiVersion", "metadata", "data", "binaryData", "immutable"];
  const unknown = Object.keys(map).filter((field) => !known.includes(field));
  for (const field of unknown) delete map[field];
  return unknown;
}

function requireTexts(object: ApiObject, field: string): void {
  for (const value of Object.values(objectOf(at(object, field)))) {
    if (typeof value === "string") continue;
    const why = `json: cannot unmarshal ${typeof value} into Go struct field ${object.kind}.${field} of type string`;
    throw badRequest(`${object.kind} in version "v1" cannot be handled as a ${object.kind}: ${why}`);
  }
}

function requireBase64(text: string): void {
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return;
  throw badRequest('Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0');
}
