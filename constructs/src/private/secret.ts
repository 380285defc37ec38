import { Construct, type IConstruct } from "constructs";
import { isObject } from "../api/schema/schema";
import { isCore, nameOf, readManifest } from "./manifest";
import type { Site } from "./refusal-collector";

/** Facts about a Secret at synthesis. */
export interface SecretFacts {
  readonly name: string;
  readonly namespace?: string;
  /** Names of its entries; absent if the app does not define them. */
  readonly entries?: readonly string[];
}

const INSTEAD = "give the construct of a Secret, or the Secret's name";

/** Reads a Secret from any library, a raw ApiObject, or a Secret that cdk8s-plus imported by name. */
export function readSecret(secret: IConstruct, site: Site): SecretFacts | undefined {
  const imported = importedName(secret);
  if (imported !== undefined) return { name: imported };
  const manifest = readManifest(secret, site, INSTEAD);
  if (!manifest) return undefined;
  const { namespace, title, json } = manifest;
  if (!isCore(manifest, "Secret")) site.refuse(`${title} is not a Secret: ${INSTEAD}`);
  const entries = [json.data, json.stringData].filter(isObject).flatMap((data) => Object.keys(data));
  const name = nameOf(manifest, site);
  return { name, ...(namespace === undefined ? {} : { namespace }), ...(entries.length > 0 ? { entries } : {}) };
}

/** The name of an imported Secret: a construct with a kind and a name, but without an object. */
function importedName(secret: IConstruct): string | undefined {
  if (!Construct.isConstruct(secret)) return undefined;
  if (secret.node.defaultChild !== undefined || secret.node.children.length > 0) return undefined;
  if (!("kind" in secret && "name" in secret) || "toJson" in secret) return undefined;
  return secret.kind === "Secret" && typeof secret.name === "string" ? secret.name : undefined;
}
