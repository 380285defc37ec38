import { DEFAULT_SECRET } from "../../api/config";
import { providerNamed } from "../../api/providers";
import { objectAt } from "../manifest";
import type { AppIndex, FlipopObject } from "./app-index";
import type { AppCheck } from "./check-claims";
import { isOurs } from "./check-names";
import { warn } from "./emit-warning";
import { NAMESPACE_NEEDS } from "./namespace-needs";
import { type Need, needsOf } from "./needs";
import type { OperatorConstruct, OperatorList, OperatorReach } from "./operator-construct";

/** What the operator that lacks least does not have for a resource. */
export interface Unserved {
  readonly operator: OperatorConstruct;
  readonly gaps: readonly Gap[];
  /** What its `tenantLimits` do not allow a new resource. */
  readonly tenantGaps: readonly Gap[];
}

interface Gap {
  readonly path: string;
  readonly text: string;
}

/**
 * Refuses a resource that no operator of the app serves, and warns about one beyond `tenantLimits`, which may be older than
 * they are. An app without an operator for the resource's cluster installs the operator in another way.
 */
export function checkServed(resource: FlipopObject, { index, draft, propOf }: AppCheck): void {
  const { gaps = [], tenantGaps = [] } = unservedBy(resource, index) ?? {};
  const propAt = (path: string): string => (path.startsWith("spec") ? propOf(path) : path);
  for (const { path, text } of gaps) draft.at(propAt(path)).refuse(text);
  const { object } = resource;
  for (const { path, text } of tenantGaps) warn(object.node.scope ?? object, `${propAt(path)}: ${text}`);
}

/** The same for plain objects of the five kinds, at an operator. */
export function checkPlainServed(operator: OperatorConstruct, { index, draft }: Omit<AppCheck, "propOf">): void {
  for (const resource of index.allFlipopObjects().filter(({ object }) => !isOurs(object))) {
    const unserved = unservedBy(resource, index);
    if (unserved?.operator !== operator) continue;
    const { kind, object } = resource;
    const lineOf = ({ path, text }: Gap): string =>
      `${kind} "${object.name}" of ${object.node.path}:${path === "" ? "" : ` ${path}:`} ${text}`;
    for (const gap of unserved.gaps) draft.at("").refuse(lineOf(gap));
    for (const gap of unserved.tenantGaps) warn(operator, lineOf(gap));
  }
}

/** What the app lacks to serve a resource; undefined without an operator for its cluster. */
export function unservedBy({ object, kind, spec }: FlipopObject, index: AppIndex): Unserved | undefined {
  const written = objectAt(index.manifestOf(object).json, "metadata").namespace;
  const resource = { kind, spec, namespace: typeof written === "string" ? written : undefined };
  const needs = needsOf(resource).filter((need) => !("optional" in need));
  const [best] = index
    .operatorsFor(object)
    .map((operator): Unserved => {
      const fix = operator._isManifest ? flagFix : isOurs(object) ? serveFix : propFix;
      const unmet = needs.filter((need) => !meets(operator, need, index));
      const gaps = unmet.map((need) => ({ path: need.path, text: gapText(need, operator, fix) }));
      return { operator, gaps, tenantGaps: operator._tenantGaps(resource) };
    })
    // Limits only break ties: what another operator lacks must not be advised as a way around them.
    .sort((one, other) => one.gaps.length - other.gaps.length || one.tenantGaps.length - other.tenantGaps.length);
  return best;
}

/** Whether an operator has the feature or the namespace of a need. Tokens are checked elsewhere. */
export function covers(reach: OperatorReach, need: Need): boolean {
  if (need.what === "provider") return true;
  if (need.what !== "feature") return NAMESPACE_NEEDS[need.what].isMet(reach, need.value);
  return reach.features.includes(need.value);
}

function meets(operator: OperatorConstruct, need: Need, index: AppIndex): boolean {
  const { _reach: reach } = operator;
  return need.what === "provider" ? hasToken(operator, need.value, index) : covers(reach, need);
}

/** Only a Secret of the app shows whether a token is missing. */
function hasToken(operator: OperatorConstruct, provider: string, index: AppIndex): boolean {
  const { tokenVariable } = providerNamed(provider) ?? {};
  const { namespace, tokenVariables } = operator._reach;
  if (tokenVariable === undefined || tokenVariables.includes(tokenVariable)) return true;
  const secret = index.coreObject("Secret", { name: DEFAULT_SECRET, namespace }, operator);
  if (!secret) return true;
  const { json } = index.manifestOf(secret);
  const entries = { ...objectAt(json, "data"), ...objectAt(json, "stringData") };
  return Object.keys(entries).length === 0 || Object.hasOwn(entries, tokenVariable);
}

type Fix = (list: OperatorList) => string;

function gapText(need: Need, operator: OperatorConstruct, fix: Fix): string {
  const who = `operator ${operator.node.path}`;
  if (need.what === "feature") {
    return `needs feature "${need.value}", which ${who} does not have: ${fix("features")}`;
  }
  if (need.what === "provider") return tokenText(need.value, who);
  return NAMESPACE_NEEDS[need.what].text({ value: need.value, reach: operator._reach, who, fix });
}

function propFix(list: OperatorList): string {
  return `add it to ${list === "features" ? "features of the operator" : list}`;
}

function serveFix(list: OperatorList): string {
  return `${propFix(list)}, or call serve(...) of the operator with this construct`;
}

function flagFix(list: OperatorList): string {
  const flag = list.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `add it to flag --${flag} (prop or value ${list}), with the permissions for it`;
}

function tokenText(provider: string, who: string): string {
  const { title, prop, tokenVariable } = providerNamed(provider) ?? {};
  return `${who} has no token for ${title}: Secret "${DEFAULT_SECRET}" of the app has no entry ${tokenVariable}: add it, or set prop ${prop} of the operator`;
}
