import type { ApiObject } from "cdk8s";
import type { KindName } from "../api/kinds/kinds";
import { isObject, type JsonObject } from "../api/schema/schema";
import type { FlipopResourceProps } from "../flipop-resource";
import { METADATA_SHAPES } from "./metadata";
import { type AnyFacts, misfits, type Shapes } from "./prop-shapes";
import { isLate, PART } from "./prop-types";
import { Draft, type Refusal, type Site, UnusableArguments } from "./refusal-collector";

/** The inputs for the object of a construct. */
export interface ResourceDefinition<Props extends FlipopResourceProps> {
  readonly kind: KindName;
  /** The props for `write`. Constructs that they refer to come before the object in the manifest. */
  readonly props: Props | undefined;
  readonly facts: AnyFacts;
  /** What methods of the construct add to lists in the props. */
  readonly additions?: Additions<Props>;
  /** Writes the spec from props without tokens. It runs only at synthesis, more than once. */
  readonly write: (props: Props, draft: Draft) => object;
  /** Refuses specs that the API server accepts, because the operator can handle them. */
  readonly check?: (spec: JsonObject, draft: Draft) => void;
}

/** The items that methods of a construct add to lists in its props. */
export type Additions<Props> = { readonly [Prop in keyof Props]?: readonly unknown[] };

const UNWRITTEN = "cannot be written, because a value in the props is missing or of a wrong type";

/** Writes the spec of an object from props, without tokens, and remembers the problems of the last time. */
export class SpecWriter<Props extends FlipopResourceProps> {
  private draft: Draft | undefined;
  private failure: unknown;

  constructor(private readonly definition: ResourceDefinition<Props>) {}

  /**
   * The spec.
   *
   * @throws UnusableArguments if there is none
   */
  write(object: ApiObject): object {
    this.draft = new Draft(object);
    this.failure = undefined;
    try {
      return this.specIn(this.draft);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  /** The spec with its tokens, as far as it is known before synthesis. */
  beforeSynth(object: ApiObject): JsonObject | undefined {
    try {
      return { ...this.specIn(new Draft(object, { raw: true })) };
    } catch {
      return undefined;
    }
  }

  /**
   * The problems of the last time.
   *
   * @param error the reason why the object has no manifest
   */
  refusals(error: Error | undefined): readonly Refusal[] {
    const refused = this.draft?.refusals ?? [];
    if (error === undefined || this.failure instanceof UnusableArguments) return refused;
    if (this.failure === undefined) return [...refused, { prop: "", message: `cannot be written: ${error.message}` }];
    const reason = this.failure instanceof Error ? this.failure.message : String(this.failure);
    return [...refused, { prop: "", message: `${UNWRITTEN}: ${reason}` }];
  }

  private specIn(draft: Draft): object {
    const { facts, write } = this.definition;
    const props = this.propsIn(draft);
    if (!draft.options.raw) refuseMisfits(props, { ...facts, ...COMMON }, draft);
    // The check of all types above ensures that these are props.
    return write(props as Props, draft);
  }

  /** The props without tokens, and with the items that methods added. Metadata belongs to cdk8s. */
  private propsIn(draft: Draft): unknown {
    const { props = {}, facts, additions = {} } = this.definition;
    if (!isObject(props)) return props;
    const names = new Set([...Object.keys(props), ...Object.keys(facts), ...Object.keys(COMMON)]);
    const entries = [...names].flatMap((prop) => {
      const value = withoutLate(draft.at(prop), prop, Reflect.get(props, prop));
      const all = withAdded(value, withoutLate(draft.at(prop), prop, Reflect.get(additions, prop)));
      return all === undefined ? [] : [[prop, all] as const];
    });
    if (draft.refusals.length > 0) throw new UnusableArguments("unresolvable props");
    return Object.fromEntries(entries);
  }
}

function refuseMisfits(props: unknown, shapes: Shapes, draft: Draft): void {
  for (const { prop, message } of misfits(props, shapes)) draft.at(prop).refuse(message);
  if (draft.refusals.length > 0) throw new UnusableArguments("unusable props");
}

/** Props of every resource. */
const COMMON: Shapes = { metadata: { struct: METADATA_SHAPES }, cluster: { part: PART.text } };

/** The value without tokens; undefined with a refusal if a resolver fails. cdk8s resolves metadata itself. */
function withoutLate(site: Site, prop: string, value: unknown): unknown {
  if (Object.hasOwn(COMMON, prop)) return value;
  if (site.isRaw && isLate(value)) return undefined;
  try {
    return site.resolved(value);
  } catch (error) {
    if (error instanceof UnusableArguments) return undefined;
    throw error;
  }
}

function withAdded(value: unknown, added: unknown): unknown {
  if (!Array.isArray(added) || added.length === 0) return value;
  return value === undefined
    ? added
    : Array.isArray(value)
      ? [...(value as unknown[]), ...(added as unknown[])]
      : value;
}
