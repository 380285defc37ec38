import { dnsLabelSchema, nameSchema } from "../api/object-reference";
import { checkScalar } from "../api/validate-scalar";
import type { Site } from "./draft";

const NAME = nameSchema("The name of an object.", "flipop");
const DNS_LABEL = dnsLabelSchema("A namespace, or the name of a Service.", "flipop");

/** Refuses text that is not a valid name of an object. */
export function checkObjectName(name: string, site: Site): void {
  for (const { message } of checkScalar(NAME, "", name)) site.refuse(message);
}

/** Refuses text that is not a valid namespace or name of a Service. */
export function checkDnsLabel(label: string, site: Site): void {
  for (const { message } of checkScalar(DNS_LABEL, "", label)) site.refuse(message);
}
