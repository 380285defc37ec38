/** `pool/web`, as people name a resource, and the resource that they mean. */

import { ALL_KINDS, type AnyKind, nearest } from "cdk8s-flipop/api";
import { CommandError, UsageError } from "./command.js";
import type { KindRead, OwnObject } from "./list-objects.js";
import { shortName } from "./render/status.js";

export interface ResourceName {
  readonly kind: AnyKind;
  readonly name: string;
}

/** @param kinds those that the command knows. @param others forms that it knows beside them. @throws UsageError */
export function parseResourceName(
  text: string,
  kinds: readonly string[],
  others: readonly string[] = [],
): ResourceName {
  const [alias = "", name = "", ...rest] = text.split("/");
  const kind = ALL_KINDS.find((one) => namesOf(one).includes(alias.toLowerCase()));
  const isName = kind !== undefined && name !== "" && rest.length === 0;
  if (isName && kinds.includes(kind.kind)) return { kind, name };
  const forms = [...kinds.map((one) => `${shortName(one)}/NAME`), ...others].join(", ");
  throw new UsageError(
    isName
      ? `"${text}" is a ${kind.kind}, and this command takes ${forms}: flipop status shows the conditions of all kinds`
      : `"${text}" names no resource: write it as ${forms}; -n names the namespace`,
  );
}

function namesOf({ kind, plural, singular, shortNames }: AnyKind): readonly string[] {
  return [shortName(kind), kind.toLowerCase(), plural, singular, ...shortNames];
}

/** @param read all resources of the kind. @throws CommandError that says where one of this name is */
export function findResource(
  { objects, problem }: KindRead,
  { kind, name }: ResourceName,
  namespace: string,
): OwnObject {
  const isHere = ({ metadata }: OwnObject) => kind.scope === "Cluster" || metadata.namespace === namespace;
  const found = objects.find((object) => object.metadata.name === name && isHere(object));
  if (found !== undefined) return found;
  if (problem !== undefined) throw new CommandError(`${kind.plural} can't be read: ${problem}`);
  const place = kind.scope === "Cluster" ? "" : ` in namespace ${namespace}`;
  throw new CommandError(`there is no ${kind.kind} "${name}"${place}${hintOf(objects, name, isHere)}`);
}

function hintOf(objects: readonly OwnObject[], name: string, isHere: (object: OwnObject) => boolean): string {
  const [elsewhere] = objects.filter(({ metadata }) => metadata.name === name);
  if (elsewhere !== undefined) {
    const { metadata } = elsewhere;
    return `; there is one in namespace ${metadata.namespace}: add -n ${metadata.namespace}`;
  }
  const here = objects.filter(isHere).map(({ metadata }) => metadata.name);
  const meant = nearest(name, here);
  return meant === undefined ? ": flipop status lists all" : `: did you mean ${meant}?`;
}
