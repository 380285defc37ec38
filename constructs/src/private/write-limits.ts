import type { AccessLimits } from "../api/access/access-limits";
import type { RoutedIPLimits } from "../routed-ip/routed-ip-limits";
import { written } from "./field-values";
import type { FactsOf } from "./prop-shapes";

/** Facts about the props of {@link RoutedIPLimits}. */
export const LIMIT_FACTS: FactsOf<RoutedIPLimits> = {
  allowedPorts: { fields: ["allowedPorts"], list: true },
  maxPorts: { fields: ["maxPorts"] },
  allowedAddresses: { fields: ["allowedAddresses"], list: true },
  allowedZones: { fields: ["allowedZones"], list: true },
  allowedNames: { fields: ["allowedNames"], list: true },
  adoptRecords: { fields: ["adoptRecords"] },
};

/** The fields of a spec. */
export function limitFields(props: RoutedIPLimits): AccessLimits {
  const { allowedPorts, maxPorts, allowedAddresses, allowedZones, allowedNames, adoptRecords } = props;
  return written({ allowedPorts, maxPorts, allowedAddresses, allowedZones, allowedNames, adoptRecords });
}
