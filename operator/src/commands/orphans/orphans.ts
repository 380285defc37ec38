/** `flipop orphans`: the account's addresses that no resource knows, and their release. */

import { canonicalIp, type FloatingIPPoolStatus } from "cdk8s-flipop/api";
import { EXIT } from "../../exit.js";
import { idlePrice } from "../../providers/address-capabilities.js";
import type { AddressFacts } from "../../providers/types.js";
import { listed } from "../../values.js";
import { ownersIn } from "../claim-checks.js";
import { withCluster } from "../cluster.js";
import { type CommandCall, checkIp, listOption, textOption, UsageError } from "../command.js";
import type { KindRead } from "../list-objects.js";
import { readNodes } from "../list-objects.js";
import { type AccountAddress, readAccounts, withAccounts } from "../read-accounts.js";
import { dataText, tableText } from "../render/table.js";
import { withProgress } from "../terminal.js";
import { formerOwners, readRetentions } from "./former-owners.js";
import { release } from "./release.js";
import { claiming, type NodeNames, readResources } from "./resources.js";

/** One address that no resource of this cluster knows. */
export interface Orphan {
  readonly ip: string;
  readonly provider: string;
  readonly region: string;
  /** The node of this cluster, or the machine, that holds it; empty: none. */
  readonly holder: string;
  /** Who had it before, as far as the cluster shows; empty: not known. */
  readonly owner: string;
  /** Absent: the price is not known. */
  readonly usdPerMonth?: number;
}

export function run(call: CommandCall): Promise<number> {
  const asked = listOption(call, "release");
  const idle = ["yes", "unassign"].find((name) => asked.length === 0 && call.options[name] === true);
  if (idle !== undefined) throw new UsageError(`--${idle} has no effect without --release: name the addresses there`);
  for (const text of asked) checkIp(text);
  return withCluster(call, ({ client }) =>
    withAccounts(call, async (providers) => {
      // The account first: an address that the operator creates meanwhile is in a resource by the time that those are read.
      const read = () => readAccounts(call, providers);
      const addresses = await withProgress(call.io, "reading the addresses of the account", read);
      const reads = await readResources(client, call);
      const directory = await readNodes(client, call.io.stop);
      const nodes = new Map([...directory.list()].map(({ machine, name }) => [machine, name]));
      if (asked.length > 0) await release(call, { client, addresses, reads, nodes, asked });
      else {
        const owners = formerOwners(reads, directory, await readRetentions(client, call.io.stop));
        print(call, orphansOf(addresses, owners, { reads, nodes }));
        call.io.err(disabledText(addresses, reads));
      }
      return EXIT.ok;
    }),
  );
}

/** They are no orphans, and count against the limit of the account all the same. */
function disabledText(addresses: readonly AccountAddress[], reads: readonly KindRead[]): string {
  const present = new Set(addresses.map(({ facts }) => facts.ip));
  const lines = claiming(reads).flatMap(({ kind: { kind }, objects }) =>
    objects.flatMap(({ metadata, spec, status }) => {
      const { namespace, name } = metadata;
      const { ips = {} } = (status ?? {}) as FloatingIPPoolStatus;
      const disabled = Object.keys(ips).filter((ip) => ips[ip]?.state === "disabled" && present.has(canonicalIp(ip)));
      const why =
        metadata.deletionTimestamp === undefined
          ? "beyond its desiredIPs: reclaimPolicy: Delete releases those that the operator created"
          : `because it is being deleted: ${spec?.["reclaimPolicy"] === "Delete" ? "the operator releases those that it created" : "they stay in the account"}`;
      return disabled.length === 0
        ? []
        : [`flipop: ${kind} ${namespace}/${name} has disabled ${listed(disabled)}, ${why}\n`];
    }),
  );
  return lines.join("");
}

interface Known {
  readonly reads: readonly KindRead[];
  readonly nodes: NodeNames;
}

function orphansOf(
  addresses: readonly AccountAddress[],
  owners: ReadonlyMap<string, string>,
  { reads, nodes }: Known,
): readonly Orphan[] {
  const known = ownersIn(claiming(reads));
  const orphans = addresses.filter(({ facts }) => !known.has(facts.ip));
  return orphans
    .map(({ provider, facts }): Orphan => {
      const { ip, region, holder } = facts;
      const usdPerMonth = costOf(provider.name, facts);
      return {
        ...{ ip, provider: provider.name, region, owner: owners.get(ip) ?? "" },
        holder: holder === undefined ? "" : (nodes.get(holder) ?? holder),
        ...(usdPerMonth !== undefined && { usdPerMonth }),
      };
    })
    .sort((a, b) => (a.ip < b.ip ? -1 : 1));
}

/** An address that its owner brought to the provider is not billed as reserved. */
function costOf(provider: string, { holder, borrowed, family }: AddressFacts): number | undefined {
  if (holder !== undefined || borrowed === true) return 0;
  return idlePrice(provider)?.usdPerMonth[family];
}

/** The Event of a deletion may be gone. The address may also be of another cluster. */
const NOT_KNOWN = "not known: nothing in this cluster names the address";

function totalOf(orphans: readonly Orphan[]): number {
  return orphans.reduce((sum, { usdPerMonth = 0 }) => sum + usdPerMonth, 0);
}

function print({ io, ...call }: CommandCall, orphans: readonly Orphan[]): void {
  const format = textOption(call, "output");
  if (format === "json" || format === "yaml") {
    io.out(dataText(orphans, format));
    return;
  }
  const rows = orphans.map(({ ip, provider, region, holder, owner, usdPerMonth }) => {
    return [ip, provider, region || "-", holder || "-", usdPerMonth?.toFixed(2) ?? "unknown", owner || NOT_KNOWN];
  });
  if (rows.length > 0) {
    io.out(tableText([["ADDRESS", "PROVIDER", "REGION", "HOLDER", "USD/MONTH", "FORMER OWNER"], ...rows]));
  }
  if (rows.length === 0) io.err("flipop: each address of the account belongs to a resource\n");
  else if (io.terminal) io.err(`${rows.length} in all, ${totalOf(orphans).toFixed(2)} USD a month\n`);
}
