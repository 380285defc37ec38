import type { IConstruct } from "constructs";
import type { JsonObject } from "../../api/schema/schema";
import { objectAt, readManifest } from "../manifest";
import { type Site, UnusableArguments } from "../refusal-collector";
import { checkJobSpec } from "./check-job-spec";

const INSTEAD = "give the construct of a Job, or use RoutedIPJob.container";

/** Removes a construct, so that no manifest contains its objects. */
export function removeFromApp({ node }: IConstruct): void {
  node.scope?.node.tryRemoveChild(node.id);
}

/** The spec of a Job's construct. */
export function readJobSpec(job: IConstruct, site: Site): JsonObject {
  const manifest = readManifest(job, site, INSTEAD);
  if (manifest && manifest.kind !== "Job") site.refuse(`${manifest.title} is not a Job: ${INSTEAD}`);
  if (manifest?.kind !== "Job") throw new UnusableArguments("no Job");
  const spec = objectAt(manifest.json, "spec");
  checkJobSpec(spec, site);
  return spec;
}
