import { ApiObject } from "cdk8s";
import type { Draft } from "../refusal-collector";
import type { AppIndex, FlipopObject } from "./app-index";
import { isOurs, pathOf } from "./check-names";
import { claimsOf } from "./claims";

/** What a check of an object against the app needs. */
export interface AppCheck {
  readonly index: AppIndex;
  readonly draft: Draft;
  /** The prop that writes a field. */
  readonly propOf: (path: string) => string;
}

/** Refuses addresses and record sets that another resource has: it would claim them first. */
export function checkClaims({ object, kind, spec }: FlipopObject, { index, draft, propOf }: AppCheck): void {
  for (const { key, path, thing } of claimsOf(kind, spec)) {
    const holder = index.claimants(key, object).find((other) => other !== object && isFirst(other, object, index));
    if (!(holder instanceof ApiObject)) continue;
    const fix = path === "spec.dnsRecordSet" ? "give each its own name" : "remove it from one of the two";
    draft.at(propOf(path)).refuse(`${thing} is also ${VERBS[path] ?? "listed by"} ${pathOf(holder)}: ${fix}`);
  }
}

const VERBS: Readonly<Record<string, string>> = { "spec.dnsRecordSet": "that of" };

/** Only objects of this library report: of two of them the later one, and otherwise the one that can. */
function isFirst(other: unknown, object: ApiObject, index: AppIndex): boolean {
  return other instanceof ApiObject && (!isOurs(other) || index.isBefore(other, object));
}
