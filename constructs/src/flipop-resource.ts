import type { ApiObject, ApiObjectMetadata, ApiObjectMetadataDefinition } from "cdk8s";
import { Construct } from "constructs";

/** Props that every resource has. */
export interface FlipopResourceProps {
  /**
   * Name, namespace, labels and annotations of the object.
   *
   * @default - the chart's namespace and labels, and a name made from the construct path. Such a name changes with a
   * construct id, which replaces the object: give a name to what holds addresses
   */
  readonly metadata?: ApiObjectMetadata;
}

/**
 * A resource of flipop. Its constructor does not throw: synthesis fails with one error that lists all mistakes in its
 * props.
 */
export abstract class FlipopResource extends Construct {
  /** The object that is synthesised. Its `addJsonPatch` sets what no prop does. */
  public abstract readonly apiObject: ApiObject;

  /** The object's name. */
  public get name(): string {
    return this.apiObject.name;
  }

  /** The object's metadata, to which labels and annotations can be added. */
  public get metadata(): ApiObjectMetadataDefinition {
    return this.apiObject.metadata;
  }
}
