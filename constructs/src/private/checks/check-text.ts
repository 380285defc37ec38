import { dnsLabelSchema, nameSchema, secretKeySchema } from "../../api/kinds/name-schemas";
import { checkScalar } from "../../api/schema/validate-scalar";
import type { Site } from "../refusal-collector";

const NAME = nameSchema("The name of an object.", "flipop");
const DNS_LABEL = dnsLabelSchema("A namespace, or the name of a Service.", "flipop");
const SECRET_KEY = secretKeySchema("The key of an entry of a Secret.");

/** Refuses text that is not a valid name of an object. */
export function checkObjectName(name: string, site: Pick<Site, "refuse">): void {
  for (const { message } of checkScalar(NAME, "", name)) site.refuse(message);
}

/** Refuses text that is not a valid namespace or name of a Service. */
export function checkDnsLabel(label: string, site: Pick<Site, "refuse">): void {
  for (const { message } of checkScalar(DNS_LABEL, "", label)) site.refuse(message);
}

/** Refuses text that is not a valid key of a Secret's entry. */
export function checkSecretKey(key: string, site: Pick<Site, "refuse">): void {
  for (const { message } of checkScalar(SECRET_KEY, "", key)) site.refuse(message);
}
