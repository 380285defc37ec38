import type { ApiObject, ApiObjectMetadata, ApiObjectMetadataDefinition } from "cdk8s";
import { Construct } from "constructs";

/** Common props of all resources. */
export interface FlipopResourceProps {
  /**
   * Name, namespace, labels and annotations of the object.
   *
   * @default - the chart's namespace and labels, and a name made from the construct path. Such a name changes with the
   * construct ids, and a new name replaces the object: set the names of resources that have addresses
   */
  readonly metadata?: ApiObjectMetadata;

  /**
   * Name of the chart's cluster, such as `prod`, for an app with charts for several clusters. In one cluster, synthesis
   * refuses two objects with the same kind, namespace and name, and an address in two resources. It is enough to set
   * this prop once in each chart.
   *
   * @default - all charts are for the same cluster
   */
  readonly cluster?: string;
}

/**
 * A resource of flipop. Its constructor does not throw: synthesis fails with one error that lists all mistakes in its
 * props.
 */
export abstract class FlipopResource extends Construct {
  /** The synthesised object. Use its `addJsonPatch` for fields without a prop. */
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
