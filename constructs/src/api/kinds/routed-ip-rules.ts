import type { Rule } from "../schema/schema";

const BOTH = "className and issuerRef are both set: keep the one that should manage this address";
const NEITHER = "neither className nor issuerRef is set: set one of them";
const IMMUTABLE =
  "className and issuerRef are immutable: delete the RoutedIP (with reclaim policy Retain its address stays) and create a new one with routedIP set";

interface Handler {
  readonly className?: string;
  readonly issuerRef?: { readonly name: string };
}

/** Rules across the fields of a RoutedIP's spec. */
export const routedIpRules: readonly Rule<Handler>[] = [
  {
    cel: "has(self.className) != has(self.issuerRef)",
    message: NEITHER,
    otherMessages: [BOTH],
    messageCel: `has(self.className) ? '${BOTH}' : '${NEITHER}'`,
    check: ({ className, issuerRef }) => {
      if (className !== undefined && issuerRef !== undefined) return BOTH;
      return className === undefined && issuerRef === undefined ? NEITHER : undefined;
    },
  },
  {
    cel: "(has(self.className) ? self.className : '') == (has(oldSelf.className) ? oldSelf.className : '') && (has(self.issuerRef) ? self.issuerRef.name : '') == (has(oldSelf.issuerRef) ? oldSelf.issuerRef.name : '')",
    message: IMMUTABLE,
    check: (self, oldSelf) => {
      if (!oldSelf) return undefined;
      const same = self.className === oldSelf.className && self.issuerRef?.name === oldSelf.issuerRef?.name;
      return same ? undefined : IMMUTABLE;
    },
  },
];
