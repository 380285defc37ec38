/** The family of a pool's addresses, also where the spec asks for another one than they are of. Pure. */

import { type FloatingIPPoolSpec, type FloatingIPPoolStatus, familyOf, type IpFamily, isIp } from "cdk8s-flipop/api";
import { familyOfList } from "../addresses/desired-addresses.js";

interface Pool {
  readonly spec: Pick<Partial<FloatingIPPoolSpec>, "ips" | "desiredIPs" | "ipFamily"> | undefined;
  readonly status?: Pick<FloatingIPPoolStatus, "createdIPs"> | undefined;
}

/** That of the spec, unless the pool needs created addresses and all of them are of the other one: these stay in service. */
export function familyOfPool({ spec, status }: Pool): IpFamily {
  const asked = askedFamily(spec);
  const { desiredIPs = 0 } = spec ?? {};
  const created = createdOf(status);
  const isNeeded = desiredIPs > listedOf(spec).filter((ip) => familyOf(ip) === asked).length;
  const [first] = created;
  return isNeeded && first !== undefined && created.every((ip) => familyOf(ip) !== asked) ? familyOf(first) : asked;
}

/** What the spec asks for, if the pool's addresses are of the other family. */
export function otherFamilyOf(pool: Pool): IpFamily | undefined {
  const asked = askedFamily(pool.spec);
  return asked === familyOfPool(pool) ? undefined : asked;
}

/** That of the spec, else of its first address, else IPv4. */
function askedFamily(spec: Pool["spec"]): IpFamily {
  return spec?.ipFamily ?? familyOfList(listedOf(spec));
}

/** Whatever an older CRD has let through. */
function listedOf(spec: Pool["spec"]): readonly string[] {
  return Array.isArray(spec?.ips) ? spec.ips.filter(isAddress) : [];
}

function createdOf({ createdIPs }: NonNullable<Pool["status"]> = {}): readonly string[] {
  const entries: readonly { readonly ip?: unknown }[] = Array.isArray(createdIPs) ? createdIPs : [];
  return entries.map(({ ip }) => ip).filter(isAddress);
}

function isAddress(ip: unknown): ip is string {
  return typeof ip === "string" && isIp(ip);
}
