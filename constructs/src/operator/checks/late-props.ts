import { isObject } from "../../api/schema/schema";
import type { FlipopOperatorProps } from "../../operator-props";
import { misfits, valuesOf, withoutMisfits } from "../../private/prop-shapes";
import { isLate } from "../../private/prop-types";
import { type Draft, UnusableArguments } from "../../private/refusal-collector";
import { OPERATOR_SHAPES } from "./operator-shapes";

/** Props that a resolver cannot provide, because they decide which objects exist and what their names are. */
const EARLY: readonly (keyof FlipopOperatorProps)[] = [
  "name",
  "namespace",
  "createNamespaces",
  "features",
  "watchNamespaces",
  "podNamespaces",
  "issuerNamespaces",
  "jobNamespaces",
  "serviceAccountName",
  "aggregateUserRoles",
  "tenantLimits",
  "admissionPolicy",
  "networkPolicy",
  "scrape",
  "alertRules",
  "dashboard",
  "tokenFiles",
  "cluster",
];

/** The props without Lazy values, which only synthesis can check. */
export function earlyProps(props: FlipopOperatorProps): FlipopOperatorProps {
  if (!isObject(props)) return props;
  const entries = Object.entries({ ...props, ...valuesOf(props, OPERATOR_SHAPES) });
  return Object.fromEntries(entries.filter(([prop, value]) => isEarly(prop) || !hasLate(value)));
}

function isEarly(prop: string): boolean {
  return EARLY.some((early) => early === prop) || prop === "monitoringLabels";
}

function hasLate(value: unknown): boolean {
  if (isLate(value)) return true;
  if (Array.isArray(value)) return value.some(isLate);
  return isObject(value) && value.constructor === Object && Object.values(value).some(isLate);
}

/** The props without tokens. The draft collects those that cannot be resolved, or that must not be tokens. */
export function lateProps(props: FlipopOperatorProps, draft: Draft): FlipopOperatorProps {
  if (!isObject(props)) return props;
  const given = { ...props, ...valuesOf(props, OPERATOR_SHAPES) };
  return Object.fromEntries(Object.entries(given).map(([prop, value]) => [prop, lateValue(prop, value, draft)]));
}

/** The usable ones of the props, without tokens. */
export function usableProps(props: FlipopOperatorProps, draft: Draft): FlipopOperatorProps {
  const late = lateProps(props, draft);
  return withoutMisfits(late, misfits(late, OPERATOR_SHAPES), OPERATOR_SHAPES);
}

function lateValue(prop: string, value: unknown, draft: Draft): unknown {
  const site = draft.at(prop);
  try {
    const late = site.resolved(value);
    if (EARLY.some((early) => early === prop) && isOther(late, value)) {
      site.refuse("is a token, but it decides which objects exist or what their names are: give the value itself");
    }
    return late;
  } catch (error) {
    if (error instanceof UnusableArguments) return undefined;
    throw error;
  }
}

function isOtherItem(late: unknown, given: unknown): boolean {
  return isLate(given) || (typeof given !== "object" && late !== given);
}

function isOther(late: unknown, given: unknown): boolean {
  // Other checks refuse an object.
  if (!Array.isArray(given)) return typeof given !== "object" && late !== given;
  if (!Array.isArray(late)) return true;
  return late.length !== given.length || late.some((item, index) => isOtherItem(item, given[index]));
}
