import type { ApiObject, ApiObjectMetadata, ApiObjectMetadataDefinition } from "cdk8s";
import { Construct } from "constructs";

/** Props that every resource has. */
export interface FlipopResourceProps {
  /**
   * Name, namespace, labels and annotations of the object.
   *
   * @default - the chart's namespace and labels, and a name made from the construct path. A name from the path changes
   * when a construct id does, which replaces the object: name what holds addresses
   */
  readonly metadata?: ApiObjectMetadata;
}

/**
 * A resource of flipop. Everything that is wrong with its props is told in one error at synthesis; nothing throws
 * before.
 */
export abstract class FlipopResource extends Construct {
  /** The object that is synthesised; patch it where a prop is missing. */
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
