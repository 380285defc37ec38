import type { NamespaceNeed } from "./needs";
import type { OperatorList, OperatorReach } from "./operator-construct";

/** An unmet need. */
interface Gap {
  readonly value: string;
  readonly reach: OperatorReach;
  /** The operator, for messages. */
  readonly who: string;
  /** How to add the value to a list of the operator. */
  readonly fix: (list: OperatorList) => string;
}

interface NeedFacts {
  readonly isMet: (reach: OperatorReach, namespace: string) => boolean;
  readonly text: (gap: Gap) => string;
}

const SECRETS = ({ value, reach, who, fix }: Gap): string =>
  `${who} may not read Secrets of namespace "${value}" (only of ${list(reach.issuerNamespaces)}): ${fix("issuerNamespaces")}`;

/** What each need for a namespace means. */
export const NAMESPACE_NEEDS: Readonly<Record<NamespaceNeed, NeedFacts>> = {
  watch: {
    isMet: watches,
    text: ({ value, reach, who, fix }) =>
      `${who} does not watch namespace "${value}" (only ${list(reach.watchNamespaces)}): ${fix("watchNamespaces")}`,
  },
  pods: {
    isMet: ({ podNamespaces }, namespace) => podNamespaces.length === 0 || podNamespaces.includes(namespace),
    text: ({ value, reach, who, fix }) =>
      `${who} may not read pods of namespace "${value}" (only of ${list(reach.podNamespaces)}): ${fix("podNamespaces")}`,
  },
  "all-pods": {
    isMet: ({ podNamespaces }) => podNamespaces.length === 0,
    text: ({ reach, who }) =>
      `selects pods of all namespaces, but ${who} may read only those of ${list(reach.podNamespaces)}: give option namespace of PodMatch`,
  },
  issuers: { isMet: ({ issuerNamespaces }, namespace) => issuerNamespaces.includes(namespace), text: SECRETS },
  accounts: {
    isMet: (reach, namespace) =>
      reach.issuerNamespaces.includes(namespace) || (reach.namespace === namespace && watches(reach, namespace)),
    text: SECRETS,
  },
  jobs: {
    isMet: ({ jobNamespaces }, namespace) => jobNamespaces.includes(namespace),
    text: ({ value, reach, who, fix }) =>
      `${who} may not run Jobs in namespace "${value}" (only in ${list(reach.jobNamespaces)}): ${fix("jobNamespaces")}`,
  },
  own: {
    isMet: (reach, namespace) => reach.namespace === namespace,
    text: ({ value, reach, who }) =>
      `is missing, and only an issuer in namespace "${reach.namespace}" may use the token of ${who}, but this one is in "${value}": give Credentials.fromSecretName(...)`,
  },
};

function watches({ watchNamespaces }: OperatorReach, namespace: string): boolean {
  return watchNamespaces.length === 0 || watchNamespaces.includes(namespace);
}

function list(namespaces: readonly string[]): string {
  return namespaces.length === 0 ? "none" : namespaces.join(", ");
}
