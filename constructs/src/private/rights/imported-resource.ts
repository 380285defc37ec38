import { Construct, type IConstruct } from "constructs";
import type { KindName } from "../../api/kinds/kinds";
import { API_GROUP } from "../../api/names";
import { checkDnsLabel, checkObjectName } from "../checks/check-text";
import { isToken } from "../resolve";
import { holdsToken, TOKEN_REFUSED } from "../tokens";
import { type Access, grant, MANAGE, READ } from "./grant";
import { resourceTypeOf } from "./resource-type";

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
    this.granted(READ, subjects);
  }

  grantManage(...subjects: IConstruct[]): void {
    this.granted(MANAGE, subjects);
  }

  private granted(access: Access, subjects: IConstruct[]): void {
    this.node.addValidation({ validate: () => problemsOf(this) });
    grant(this, access, subjects);
  }
}

/** A Role with an empty name would allow requests without one, such as a list of all. */
function problemsOf({ name, namespace }: Pick<ImportedFacts, "name" | "namespace">): string[] {
  const found: string[] = [];
  const at = (part: string) => ({ refuse: (message: string) => void found.push(`${part}: ${message}`) });
  if (holdsToken(String(name))) at("name").refuse(TOKEN_REFUSED);
  else if (!isToken(name)) checkObjectName(name, at("name"));
  if (namespace !== undefined && !isToken(namespace)) checkDnsLabel(namespace, at("namespace"));
  return found;
}
