import {
  ALL_KINDS,
  type Condition,
  type ConditionType,
  GROUP_VERSION,
  REASON_PLACES,
  REASONS,
  REFUSALS,
  type Reason,
  type ReasonPlace,
} from "cdk8s-flipop/api";
import type { Emulator } from "flipop-sandbox/kubernetes";

interface Reported {
  readonly status?: {
    readonly conditions?: readonly (Pick<Condition, "reason"> & { readonly type: ConditionType })[];
    readonly reason?: string;
    readonly ips?: Readonly<Record<string, { readonly reason?: string }>>;
  };
}

/** What the statuses of our resources say in places where the reference does not name it. */
export function misplacedWords(kubernetes: Pick<Emulator, "list">): readonly string[] {
  const installed = kubernetes.list("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  const kinds = ALL_KINDS.filter(({ kind }) => installed.some((definition) => kindOf(definition) === kind));
  const found = kinds.flatMap(({ kind, conditions: types }) =>
    kubernetes.list(GROUP_VERSION, kind).flatMap((object) => {
      const { conditions = [], ips = {}, ...single } = (object as Reported).status ?? {};
      const wrong = conditions.filter(({ type, reason }) => {
        const place = placeOf(reason);
        return (
          !place?.kinds.some((known) => known === kind) ||
          ![types, place.conditions].every((known) => known.includes(type))
        );
      });
      const ofAddresses = [single, ...Object.values(ips)].flatMap(({ reason = "Observed" }) =>
        isOfAddress(reason) ? [] : [reason],
      );
      return [...wrong.map(({ type, reason }) => `${type}/${reason}`), ...ofAddresses].map((word) => `${kind} ${word}`);
    }),
  );
  return [...new Set(found)];
}

function kindOf(definition: object): string | undefined {
  const { spec } = definition as { readonly spec?: { readonly names?: { readonly kind?: string } } };
  return spec?.names?.kind;
}

function placeOf(reason: string): ReasonPlace | undefined {
  return Object.hasOwn(REASONS, reason) ? REASON_PLACES[reason as Reason] : undefined;
}

function isOfAddress(reason: string): boolean {
  return reason === "Observed" || Object.hasOwn(REFUSALS, reason) || placeOf(reason)?.ofAddress === true;
}
