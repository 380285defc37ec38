import { familyOf, type IpFamily } from "../ip-address";
import type { Rule } from "../schema/schema";

const ONE_FAMILY = "a pool has one family, create a second pool for the other one";

/** The list as one text, in which each entry has spaces of its own: comparing all pairs exceeds the server's cost budget. */
const JOINED = "[' ' + self.join('  ') + ' ']";
const IS_ONCE = "j.split(' ' + a + ' ').size() == 2";

const LISTED_TWICE = "is listed twice: remove one";

/** Index of an entry with the spelling of an earlier one; -1: there is none. */
function repeatedIn(ips: readonly string[]): number {
  return ips.findIndex((ip, index) => ips.indexOf(ip) !== index);
}

/** Refusal of an entry that repeats another one. */
export function listedTwice(ip: string): string {
  return `"${ip}" ${LISTED_TWICE}`;
}

/** Rules of `spec.ips` as a whole. */
export const addressListRules: readonly Rule<readonly string[]>[] = [
  {
    cel: `${JOINED}.all(j, self.all(a, ${IS_ONCE}))`,
    message: `an address of ips ${LISTED_TWICE}`,
    messageCel: `'"' + ${JOINED}.map(j, self.filter(a, !(${IS_ONCE}))[0])[0] + '" ${LISTED_TWICE}'`,
    check: (self) => {
      const ip = self[repeatedIn(self)];
      return ip === undefined ? undefined : listedTwice(ip);
    },
    at: (self) => `[${repeatedIn(self)}]`,
  },
  {
    cel: "self.all(a, a.contains(':') == self[0].contains(':'))",
    message: `ips mixes IPv4 and IPv6: ${ONE_FAMILY}`,
    messageCel: `'"' + self.filter(a, a.contains(':') != self[0].contains(':'))[0] + '" is of another family than "' + self[0] + '": ${ONE_FAMILY}'`,
    check: (self) => {
      const [first = ""] = self;
      const other = self.find((ip) => familyOf(ip) !== familyOf(first));
      return other === undefined ? undefined : `"${other}" is of another family than "${first}": ${ONE_FAMILY}`;
    },
  },
];

const NO_ADDRESSES = "the pool has no addresses: list some in ips, or set desiredIPs to the number to create";

interface PoolAddresses {
  readonly ips?: readonly string[];
  readonly desiredIPs?: number;
  readonly ipFamily?: IpFamily;
}

/** Rules across the fields of a pool's spec. */
export const poolRules: readonly Rule<PoolAddresses>[] = [
  {
    cel: "(has(self.ips) && size(self.ips) > 0) || (has(self.desiredIPs) && self.desiredIPs > 0)",
    message: NO_ADDRESSES,
    check: (self) => ((self.ips ?? []).length === 0 && (self.desiredIPs ?? 0) === 0 ? NO_ADDRESSES : undefined),
  },
  {
    cel: "!has(self.ipFamily) || !has(self.ips) || self.ips.all(a, a.contains(':') == (self.ipFamily == 'IPv6'))",
    message:
      "ips contains addresses of another family than ipFamily: change ipFamily, or list addresses of that family",
    messageCel:
      "'ipFamily is ' + self.ipFamily + ' but ips contains addresses of the other family: change ipFamily, or list addresses of that family'",
    check: ({ ips = [], ipFamily }) =>
      ipFamily === undefined || ips.every((ip) => familyOf(ip) === ipFamily)
        ? undefined
        : `ipFamily is ${ipFamily} but ips contains addresses of the other family: change ipFamily, or list addresses of that family`,
  },
];
