import { familyOf, type IpFamily } from "../ip-address";
import type { Rule } from "../schema/schema";
import type { ChangeRule } from "./resource-kind";

const ONE_FAMILY = "a pool has one family, create a second pool for the other one";

/** The server limits the cost of one rule, so each rule compares the addresses of one part of the list with all after them. */
const PARTS = 12;

/** The list as one text, in which each entry has spaces of its own. The spaces at its end give each part a start. */
const JOINED = `['  ' + self.join('  ') + '${" ".repeat(2 * PARTS)}']`;

/** CEL of the index in the text `all` at which a part starts, between two entries. */
function startOf(part: number): string {
  return part === PARTS ? "all.size()" : `all.indexOf('  ', all.size() * ${part} / ${PARTS})`;
}

/** CEL of the text from a part to the end, and of the entries of the part in that text `rest`. */
function textsOf(part: number): { readonly rest: string; readonly entries: string } {
  const length = `${startOf(part + 1)} - ${startOf(part)}`;
  return { rest: `[all.substring(${startOf(part)})]`, entries: `rest.substring(0, ${length}).split(' ')` };
}

const IS_TWICE = "a != '' && rest.split(' ' + a + ' ').size() != 2";

const LISTED_TWICE = "is listed twice: remove one";

/** Index of an entry with the spelling of an earlier one; -1: there is none. */
function repeatedIn(ips: readonly string[]): number {
  return ips.findIndex((ip, index) => ips.indexOf(ip) !== index);
}

/** Refusal of an entry that repeats another one. */
export function listedTwice(ip: string): string {
  return `"${ip}" ${LISTED_TWICE}`;
}

/** CEL of the rule against repeated entries, for entries of one part of the list. */
function notTwice(part: number): Pick<Rule<readonly string[]>, "cel" | "message" | "messageCel"> {
  const { rest, entries } = textsOf(part);
  return {
    cel: `${JOINED}.all(all, ${rest}.all(rest, !${entries}.exists(a, ${IS_TWICE})))`,
    message: `an address of ips ${LISTED_TWICE}`,
    messageCel: `'"' + ${JOINED}.map(all, ${rest}.map(rest, ${entries}.filter(a, ${IS_TWICE})[0])[0])[0] + '" ${LISTED_TWICE}'`,
  };
}

/** Rules of `spec.ips` as a whole. */
export const addressListRules: readonly Rule<readonly string[]>[] = [
  {
    ...notTwice(0),
    check: (self) => {
      const ip = self[repeatedIn(self)];
      return ip === undefined ? undefined : listedTwice(ip);
    },
    at: (self) => `[${repeatedIn(self)}]`,
  },
  // The check above covers the whole list.
  ...Array.from({ length: PARTS - 1 }, (_, index) => ({ ...notTwice(index + 1), check: () => undefined })),
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

/** CEL: the family that a spec asks for is IPv6. */
function asksForIpv6({ object }: { readonly object: string }): string {
  const { spec, ips } = { spec: `${object}.spec`, ips: `${object}.spec.ips` };
  return `(has(${spec}.ipFamily) ? ${spec}.ipFamily == 'IPv6' : has(${ips}) && size(${ips}) > 0 && ${ips}[0].contains(':'))`;
}

const [IPV6, WAS_IPV6] = ["self", "oldSelf"].map((object) => asksForIpv6({ object }));

/** The created addresses of a pool would be left to themselves. */
export const poolChangeRules: readonly ChangeRule[] = [
  {
    cel: `${IPV6} == ${WAS_IPV6} || !has(self.status) || !has(self.status.createdIPs) || self.status.createdIPs.all(created, created.ip.contains(':') == ${IPV6})`,
    message: `the operator has created addresses of the other family for this pool, so that its family (ipFamily, or that of ips) cannot change: ${ONE_FAMILY}`,
  },
];
