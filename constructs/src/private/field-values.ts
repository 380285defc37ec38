import type { Duration } from "cdk8s";
import type { HealthCheck } from "../api/kinds/health-check";
import type { Publication } from "../api/publication";
import { PART, partProblem } from "./prop-types";
import type { Draft, Site } from "./refusal-collector";

/** `T` with optional properties in place of those that may be undefined. */
export type Written<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The object without its undefined properties. Absent props write no field, so that the server's default applies. */
export function written<T extends object>(fields: T): Written<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Written<T>;
}

/** The text of an enum's member, whose type TypeScript distinguishes from the same string in a spec. */
export function textOf<E extends string>(member: E): `${E}`;
export function textOf<E extends string>(member: E | undefined): `${E}` | undefined;
export function textOf<E extends string>(member: E | undefined): `${E}` | undefined {
  return member === undefined ? undefined : `${member}`;
}

/** Seconds of a duration, for a field that may have a fraction. */
export function seconds(duration: Duration | undefined, site: Site): number | undefined {
  const problem = duration === undefined ? undefined : partProblem(duration, PART.duration);
  if (problem === undefined) return duration?.toSeconds({ integral: false });
  site.refuse(problem);
  return undefined;
}

/** Seconds of a duration, for a field with whole seconds. */
export function wholeSeconds(duration: Duration | undefined, site: Site): number | undefined {
  const value = seconds(duration, site);
  if (value !== undefined && !Number.isInteger(value)) {
    site.refuse(
      `${value} seconds is not a whole number of seconds: round it, as in Duration.seconds(${Math.ceil(value)})`,
    );
  }
  return value;
}

interface Writes<T> {
  _write(site: Site): T;
}

interface Followers {
  readonly healthCheck?: Writes<HealthCheck>;
  readonly holderLabel?: boolean;
  readonly untilAssigned?: boolean;
  readonly publishTo?: readonly Writes<Publication>[];
  readonly paused?: boolean;
}

/** The fields that a pool and a RoutedIP share: what decides about a holder, and what follows it. */
export function writeFollowers(props: Followers, draft: Draft) {
  return {
    healthCheck: props.healthCheck?._write(draft.at("healthCheck")),
    holderLabel: props.holderLabel,
    untilAssigned: props.untilAssigned,
    publishTo: props.publishTo?.map((each, index) => each._write(draft.at(`publishTo[${index}]`))),
    paused: props.paused,
  };
}
