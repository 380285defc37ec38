import { UsedOperations } from "../../support/kube/used-operations.js";

/** Younger than the official description: held against a schema of our own. */
export const BATCH_OPERATION = "POST /zones/{zone_id}/dns_records/batch";

/** All that the provider uses of the API. Each request of each test is held against it. */
export const CLOUDFLARE_OPERATIONS = new UsedOperations([
  "GET /zones",
  "GET /zones/{zone_id}",
  "GET /zones/{zone_id}/dns_records",
  BATCH_OPERATION,
]);
