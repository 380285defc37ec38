/** Issuers and classes: what the operator's own conditions say of them. Doctor reads no Secret of an issuer. */

import { type AnyKind, KINDS } from "cdk8s-flipop/api";
import type { KubeClient } from "../../kube/client.js";
import { type KindRead, type OwnObject, readKind } from "../list-objects.js";
import { type Finding, ok, problem, unknown } from "./finding.js";

interface Places {
  /** Empty: all. */
  readonly watchNamespaces: readonly string[];
  readonly issuerNamespaces: readonly string[];
}

/** Reads issuers where the operator reads them. @throws StatusError */
export async function issuerFindings(
  client: KubeClient,
  { watchNamespaces, issuerNamespaces }: Places,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const all = watchNamespaces.length === 0;
  const namespaces = all ? [undefined] : [...new Set([...watchNamespaces, ...issuerNamespaces])];
  const [classes, ...issuers] = await Promise.all([
    readKind(client, signal, { kind: KINDS.ClusterRoutedIPClass }),
    ...namespaces.map((namespace) => readKind(client, signal, { kind: KINDS.RoutedIPIssuer, namespace })),
  ]);
  return [issuers, [classes]].flatMap(findingsOf);
}

/** @param reads of one kind, in each namespace. One that can't be read keeps no other back. */
function findingsOf(reads: readonly KindRead[]): readonly Finding[] {
  const [{ kind } = { kind: KINDS.RoutedIPIssuer }] = reads;
  const check = kind.kind === "ClusterRoutedIPClass" ? "classes" : "issuers";
  const found = reads.filter(({ missing }) => missing !== true);
  const unread = found.flatMap(({ problem: text }) => text ?? []);
  const objects = found.flatMap((read) => read.objects);
  const refused = objects.flatMap((object) => refusal(kind, object) ?? []);
  const isAccepted = refused.length === 0 && (objects.length > 0 || unread.length < found.length);
  return [
    ...refused,
    ...(isAccepted ? [ok(check, objects.length === 0 ? "there are none" : seenOf(objects))] : []),
    ...unread.map((text) => unknown(check, text, "run doctor with more rights")),
  ];
}

function seenOf(objects: readonly OwnObject[]): string {
  const accepted = objects.filter((object) => acceptedOf(object)?.status === "True").length;
  return `the operator accepts ${accepted} of ${objects.length}, and refuses none`;
}

function refusal({ kind, plural, scope }: AnyKind, object: OwnObject): Finding | undefined {
  const accepted = acceptedOf(object);
  if (accepted?.status !== "False") return undefined;
  const { namespace = "", name } = object.metadata;
  const named = scope === "Cluster" ? name : `${namespace}/${name}`;
  const place = scope === "Cluster" ? "" : ` -n ${namespace}`;
  const seen = `${accepted.reason}: ${accepted.message}`;
  return problem(
    `${kind} ${named}`,
    seen,
    `run kubectl${place} describe ${plural} ${name}, which shows all conditions`,
  );
}

function acceptedOf({ status }: OwnObject) {
  return status?.conditions?.find(({ type }) => type === "Accepted");
}
