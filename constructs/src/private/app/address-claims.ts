import type { IConstruct } from "constructs";
import { canonicalIp } from "../../api/ip-address";
import type { Draft } from "../draft";
import type { AppIndex } from "./app-index";

/** An address in the props of a resource. */
export interface ListedAddress {
  readonly prop: string;
  readonly ip: string;
}

/** The claims of a resource with these addresses: only one resource of a cluster may list an address. */
export function addressClaims(addresses: readonly ListedAddress[]): readonly string[] {
  return addresses.map(({ ip }) => claimOf(ip));
}

/** Refuses addresses that another resource lists: it would claim them first. */
export function checkAddressClaims(
  resource: IConstruct,
  addresses: readonly ListedAddress[],
  { draft, index }: { readonly draft: Draft; readonly index: AppIndex },
): void {
  for (const { prop, ip } of addresses) {
    const holder = index.earlierClaimant(claimOf(ip), resource);
    if (!holder) continue;
    draft.at(prop).refuse(`"${ip}" is also listed by ${holder.node.path}: remove it from one of the two`);
  }
}

function claimOf(ip: string): string {
  return `address ${canonicalIp(ip)}`;
}
