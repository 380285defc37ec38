import { Construct, type IConstruct } from "constructs";
import type { KindName } from "../../api/kinds/kinds";
import { API_GROUP } from "../../api/names";
import { resourceTypeOf } from "./api-resource";
import { grant, MANAGE, READ } from "./grant";

/** Facts about a resource that is defined outside of the app. */
export interface ImportedFacts {
  readonly id: string;
  readonly kind: KindName;
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** A reference to a resource that is defined outside of the app. */
export class ImportedResource extends Construct {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly apiGroup = API_GROUP;
  readonly resourceType: string;
  readonly resourceName: string;

  constructor(scope: Construct, { id, kind, name, namespace }: ImportedFacts) {
    super(scope, id);
    this.name = name;
    this.namespace = namespace;
    this.resourceName = name;
    this.resourceType = resourceTypeOf(kind);
  }

  asApiResource(): this {
    return this;
  }

  asNonApiResource(): undefined {
    return undefined;
  }

  grantRead(...subjects: IConstruct[]): void {
    grant(this, READ, subjects);
  }

  grantManage(...subjects: IConstruct[]): void {
    grant(this, MANAGE, subjects);
  }
}
