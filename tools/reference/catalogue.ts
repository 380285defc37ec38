/** All texts of conditions, statuses and Events: for the reference page, and for the tests of the catalogue. */

import { addressMessages } from "../../operator/src/messages/addresses.js";
import { claimMessages } from "../../operator/src/messages/claims.js";
import { creationMessages } from "../../operator/src/messages/creation.js";
import { eventMessages } from "../../operator/src/messages/events.js";
import { firewallRemarks } from "../../operator/src/messages/firewall-remarks.js";
import { firewallMessages } from "../../operator/src/messages/firewalls.js";
import { healthMessages } from "../../operator/src/messages/health.js";
import {
  accessMessages,
  classMessages,
  credentialMessages,
  issuerMessages,
} from "../../operator/src/messages/issuers-and-classes.js";
import { jobMessages } from "../../operator/src/messages/jobs.js";
import type { Row } from "../../operator/src/messages/message.js";
import { candidateMessages } from "../../operator/src/messages/nodes/candidates.js";
import { markMessages } from "../../operator/src/messages/nodes/marks.js";
import { regionMessages } from "../../operator/src/messages/nodes/other-region.js";
import { providerMessages, serverMessages } from "../../operator/src/messages/provider.js";
import { publishingMessages } from "../../operator/src/messages/publishing.js";
import { recordRemarks } from "../../operator/src/messages/record-remarks.js";
import { recordMessages } from "../../operator/src/messages/records.js";
import { serviceMessages } from "../../operator/src/messages/services.js";
import { specMessages } from "../../operator/src/messages/spec.js";
import { deletionMessages, summaryMessages } from "../../operator/src/messages/summary.js";
import { tenantMessages } from "../../operator/src/messages/tenants.js";

/** By the name under which the code imports them. */
export const CATALOGUE: Readonly<Record<string, Readonly<Record<string, { readonly row: Row }>>>> = {
  accessMessages,
  specMessages,
  addressMessages,
  regionMessages,
  candidateMessages,
  markMessages,
  creationMessages,
  claimMessages,
  recordMessages,
  recordRemarks,
  publishingMessages,
  providerMessages,
  serverMessages,
  serviceMessages,
  tenantMessages,
  summaryMessages,
  classMessages,
  issuerMessages,
  credentialMessages,
  deletionMessages,
  firewallMessages,
  firewallRemarks,
  healthMessages,
  jobMessages,
  eventMessages,
};
