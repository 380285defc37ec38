import type { JsonObject } from "../../api/schema/schema";
import type { Draft } from "../refusal-collector";
import { checkZones } from "./check-record-set";

/** Refuses fields that the implementation ignores. */
export function checkClassUse(spec: JsonObject, draft: Draft): void {
  const { issuerRef, updateFirewall, firewallPostAllow, allowedNamespaces } = spec;
  checkZones(spec, draft.at("allowedZones"));
  if (issuerRef !== undefined) checkJobFields(spec, draft);
  else if (updateFirewall === undefined && firewallPostAllow === true) {
    const why = `true has no effect, because the class has no firewall Job`;
    draft.at("firewallPostAllow").refuse(`${why}: remove it, or add updateFirewall`);
  }
  if (Array.isArray(allowedNamespaces) && allowedNamespaces.length === 0) {
    draft
      .at("allowedNamespaces")
      .refuse("is empty, so no RoutedIP may use the class: name a namespace, or remove the prop to allow all");
  }
}

const NO_JOBS = "has no effect, because only Jobs use it and the class has an issuer: remove it";

function checkJobFields({ jobNamespace, startDeadlineSeconds, fromSecretsRef }: JsonObject, draft: Draft): void {
  if (fromSecretsRef !== undefined) {
    draft
      .at("secrets")
      .refuse(
        "have no effect, because only Jobs use them and the class has an issuer: remove them, or use ClassImplementation.jobs",
      );
  }
  if (jobNamespace !== undefined) draft.at("jobNamespace").refuse(`"${jobNamespace}" ${NO_JOBS}`);
  if (startDeadlineSeconds !== undefined) draft.at("startDeadline").refuse(`${startDeadlineSeconds} s ${NO_JOBS}`);
}
