/** What an operator asks of the Kubernetes API, beside what its roles allow. */

import { type FeatureName, type Permission, permissionsFor } from "cdk8s-flipop/api";
import type { Fault, FaultRequest } from "flipop-sandbox/kubernetes";
import type { World } from "../world.js";

const CONFLICT = { kind: "status", code: 409, reason: "Conflict" } as const;

/** Each right in one line, such as "patch floatingippools/status"; a right to objects of one name also has that name. */
function linesOf({ verbs, resources, resourceNames = [""] }: Permission): readonly string[] {
  return resources.flatMap((resource) =>
    verbs.flatMap((verb) => resourceNames.map((name) => `${verb} ${resource} ${name}`.trim())),
  );
}

type Target = NonNullable<FaultRequest["target"]>;

export class UsedRights {
  readonly token: string;
  readonly granted: ReadonlySet<string>;
  private readonly used = new Set<string>();
  private readonly contested = new Set<string>();

  /** An identity with exactly the permissions of the features. Its first patch of each object meets a newer version. */
  constructor(
    private readonly world: World,
    features: readonly FeatureName[],
  ) {
    // A right in namespaces that are being deleted repeats one that the operator has elsewhere.
    const permissions = permissionsFor(features).filter(({ scope }) => scope !== "goingNamespaces");
    this.granted = new Set(permissions.flatMap(linesOf));
    this.token = world.kubernetes.addIdentity(
      "operator",
      permissions.map(({ apiGroup, ...permission }) => ({ ...permission, apiGroups: [apiGroup] })),
    );
    world.kubernetes.setFaults((request) => this.meet(request));
  }

  /** Rights that no request has used. */
  get unused(): readonly string[] {
    return [...this.granted].filter((right) => !this.used.has(right)).sort();
  }

  /** Requests that no right allows. */
  get missing(): readonly string[] {
    return [...this.used].filter((right) => !this.granted.has(right)).sort();
  }

  /** Waits until each right was used. @param stir changes something, again and again */
  async all(stir: (step: number) => void = () => undefined): Promise<void> {
    for (let step = 0; step < 10 && this.unused.length > 0; step++) {
      stir(step);
      await this.world.clock.sleep(60_000);
    }
  }

  private meet({ target, query, headers }: FaultRequest): Fault | undefined {
    if (target === undefined || headers["authorization"] !== `Bearer ${this.token}`) return undefined;
    this.note(target, query);
    // As a server that knows no streaming lists: the operator has to list.
    if (query.get("sendInitialEvents") === "true") return { kind: "status", code: 422, reason: "Invalid" };
    return target.verb === "patch" && target.plural !== "events" ? this.contest(target) : undefined;
  }

  private note(target: Target, query: URLSearchParams): void {
    const name = target.name ?? /^metadata\.name=(.*)$/.exec(query.get("fieldSelector") ?? "")?.[1];
    const right = `${target.verb} ${resourceOf(target)}`;
    const named = `${right} ${name}`;
    this.used.add(this.granted.has(named) ? named : right);
  }

  private contest(target: Target): Fault | undefined {
    const object = `${target.namespace} ${resourceOf(target)} ${target.name}`;
    if (this.contested.has(object)) return undefined;
    this.contested.add(object);
    return CONFLICT;
  }
}

function resourceOf({ plural, subresource }: Target): string {
  return subresource === undefined ? plural : `${plural}/${subresource}`;
}
