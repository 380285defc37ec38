/** How a scenario names nodes, addresses and objects. */

import type { Field } from "./field.js";
import type { AddressRef, NodeRef, ObjectName } from "./scenario.js";

const POOL_ADDRESS = /^(?:(\d+) of )?([a-z0-9.-]+)\/([a-z0-9.-]+)$/;
const HOLDER = /^holder of (.+)$/;
const OBJECT = /^([A-Z][A-Za-z0-9]*) (?:([a-z0-9.-]+)\/)?([a-z0-9:.-]+)$/;
const IP = /^[0-9a-f:.]*[:.][0-9a-f:.]*$/;

/** `edge-3`, `holder of 2 of ingress/ingress`, `holder of 192.0.2.10`; `all` where the step takes it. */
export function nodeRef(field: Field, takesAll = false): NodeRef {
  const text = field.text();
  if (takesAll && text === "all") return { by: "all" };
  const holder = HOLDER.exec(text)?.[1];
  if (holder !== undefined) return { by: "holder", address: addressOf(field, holder) };
  if (/^[a-z0-9.-]+$/.test(text)) return { by: "name", name: text };
  return field.wrong(`"${text}" names no node: write edge-3, or holder of NAMESPACE/POOL`, { by: "all" });
}

/** `192.0.2.10`, `ingress/ingress` (its first), `2 of ingress/ingress`. */
export function addressRef(field: Field): AddressRef {
  return addressOf(field, field.text());
}

/** `FloatingIPPool ingress/ingress`, `Namespace ingress`. */
export function objectName(field: Field): ObjectName {
  const text = field.text();
  const [, kind, namespace, name] = OBJECT.exec(text) ?? [];
  if (kind !== undefined && name !== undefined) return { kind, namespace, name };
  const problem = `"${text}" names no object: write KIND NAMESPACE/NAME, such as FloatingIPPool ingress/ingress`;
  return field.wrong(problem, { kind: "", namespace: undefined, name: "" });
}

function addressOf(field: Field, text: string): AddressRef {
  const [, index = "1", namespace, name] = POOL_ADDRESS.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) return { by: "pool", namespace, name, index: Number(index) };
  if (IP.test(text)) return { by: "ip", ip: text };
  const problem = `"${text}" names no address: write an address, NAMESPACE/POOL for its first one, or 2 of ...`;
  return field.wrong(problem, { by: "ip", ip: text });
}
