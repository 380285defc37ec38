/** Regions of addresses and of pools in which no node is that could take an address. */

import { listed } from "../../values.js";
import { problem, topic } from "../message.js";
import { type Fulfilled, fulfilledText } from "./address-count.js";
import { type BusyNodes, busyText, giveToResource, nodeRemedies } from "./busy-nodes.js";
import { REGION_LABEL_TEXT } from "./label-remedies.js";
import { addNodeIn, type RefusedNodes } from "./refused-nodes.js";

interface OtherRegion {
  readonly ip: string;
  readonly region: string | undefined;
  /** Of nodes that match. */
  readonly regions: string;
  /** Nodes in the region of the address that are not free. */
  readonly busy: BusyNodes;
  /** Nodes that match are there. If none is busy, all of them have addresses of this resource. */
  readonly serving: boolean;
  /** Nodes there that the resource means and cannot use. */
  readonly refusals?: RefusedNodes;
  /** The reason where a person can repair nodes there, as the kind of the resource shows it. */
  readonly lack: "NoCandidate" | "TooFewCandidates";
  /** The resource is a pool that created the address, so it can create another one. */
  readonly replaceable: boolean;
}

interface OfOtherRegion extends Fulfilled {
  /** Of the resource. */
  readonly region: string;
  /** Of the nodes that match. */
  readonly regions: readonly string[];
}

function replaceIn(ip: string, regions: string): string {
  return `replace ${ip}: set region to ${regions} and reclaimPolicy to Delete, remove it from ips, lower desiredIPs by 1 until the operator has released the address, and raise desiredIPs again`;
}

/** What keeps an address from the nodes of its region. */
function roomText({ busy, serving }: Pick<OtherRegion, "busy" | "serving">): string {
  if (busy.shown.length > 0) return `no node that matches is free there: ${busyText(busy)}`;
  return serving ? "each node that matches there has an address of this resource" : "no node that matches is there";
}

export const regionMessages = topic("regions", {
  otherRegion: problem({
    reason: ({ refusals, lack }: OtherRegion) => (refusals?.repair === undefined ? "WrongRegion" : lack),
    by: "author",
    text: ({ ip, region, regions, refusals, ...there }: OtherRegion) => {
      const seen = refusals?.repair === undefined ? "" : ` (${refusals.text} in that region)`;
      return `${ip} is in region ${region}, and ${roomText(there)}${seen}; ${there.serving ? "other " : ""}nodes that match are in ${regions}`;
    },
    remedy: ({ ip, region, regions, busy, refusals, replaceable }) => {
      const idle = nodeRemedies(busy, giveToResource);
      const repair = refusals?.repair === undefined ? [] : [refusals.repair];
      const other = replaceable ? replaceIn(ip, regions) : `use an address of region ${regions}`;
      return [...repair, ...idle, `${other}, or ${addNodeIn(region ?? "")}`].join("; or ");
    },
    example: {
      ...{ ip: "203.0.113.7", region: "fra1", regions: "ams3", busy: { shown: [], more: 0 } },
      ...{ serving: false, lack: "TooFewCandidates", replaceable: false },
    },
  }),
  ofOtherRegion: problem({
    reason: "NoNodeInRegion",
    by: "author",
    text: ({ region, regions, ...count }: OfOtherRegion) =>
      `${fulfilledText(count)}; region is ${region}, and all nodes that match are in ${listed(regions)}, by their ${REGION_LABEL_TEXT}, so a new address could be on none of them`,
    remedy: ({ regions }) => `set region to ${regions.length === 1 ? regions[0] : "one of these"}`,
    example: { active: 2, desired: 2, disabled: [], region: "nyc33", regions: ["nyc3"] },
  }),
});
