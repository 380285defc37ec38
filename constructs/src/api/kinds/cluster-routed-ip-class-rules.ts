import type { Rule } from "../schema/schema";

const RANGE_FIX = "is not a port range: give FROM-TO with 1 <= FROM <= TO <= 65535, such as 30000-32767";

/** The rule of `nodePortRange`. The ternary avoids `int()` on text that is not a number. */
export const portRangeRule: Rule<string> = {
  cel: "self.matches('^[0-9]{1,5}-[0-9]{1,5}$') ? int(self.split('-')[0]) >= 1 && int(self.split('-')[0]) <= int(self.split('-')[1]) && int(self.split('-')[1]) <= 65535 : false",
  message: `the value ${RANGE_FIX}`,
  messageCel: `'"' + self + '" ${RANGE_FIX}'`,
  check: (self) => (parsePortRange(self) ? undefined : `"${self}" ${RANGE_FIX}`),
};

/** A range of ports, both ends included. */
export interface PortNumbers {
  readonly from: number;
  readonly to: number;
}

/** Parses `FROM-TO`; undefined if the text is not a port range. */
export function parsePortRange(text: string): PortNumbers | undefined {
  const match = /^([0-9]{1,5})-([0-9]{1,5})$/.exec(text);
  if (!match) return undefined;
  const [from, to] = [Number(match[1]), Number(match[2])];
  return from >= 1 && from <= to && to <= 65_535 ? { from, to } : undefined;
}

const TWO = "issuerRef and Jobs are both set: keep only issuerRef, or only updateRoutedIP and updateFirewall";
const NONE = "the class has no implementation: set issuerRef, or updateRoutedIP and, for a firewall, updateFirewall";
const HALF = "updateFirewall is set without updateRoutedIP: set both, or only updateRoutedIP";

const SECRETS =
  "fromSecretsRef has no effect with issuerRef, because only Jobs use it: remove it; the token of an issuer is in its credentialsSecretRef";

interface Implementation {
  readonly issuerRef?: object;
  readonly fromSecretsRef?: readonly object[];
  readonly updateRoutedIP?: object;
  readonly updateFirewall?: object;
}

/** Rules across the fields of a class's spec. */
export const classRules: readonly Rule<Implementation>[] = [
  {
    cel: "has(self.issuerRef) ? !has(self.updateRoutedIP) && !has(self.updateFirewall) : has(self.updateRoutedIP)",
    message: NONE,
    otherMessages: [TWO, HALF],
    messageCel: `has(self.issuerRef) ? '${TWO}' : has(self.updateFirewall) ? '${HALF}' : '${NONE}'`,
    check: ({ issuerRef, updateRoutedIP, updateFirewall }) => {
      if (issuerRef) return updateRoutedIP || updateFirewall ? TWO : undefined;
      if (updateRoutedIP) return undefined;
      return updateFirewall ? HALF : NONE;
    },
  },
  {
    cel: "!has(self.issuerRef) || !has(self.fromSecretsRef)",
    message: SECRETS,
    check: ({ issuerRef, fromSecretsRef }) => (issuerRef && fromSecretsRef ? SECRETS : undefined),
  },
];
