import { runFirstAddress } from "../../../test/operator/scenes/first-address.js";
import { OVERLAP, runOverlap } from "../../../test/operator/scenes/overlap.js";
import type { Case } from "../../bench.js";

const WANTED = OVERLAP.pools * OVERLAP.addresses;

/** On a virtual clock, at the provider's limits: pools that want the same nodes, and an address that is wanted anew. */
export const overlapCase: Case = {
  name: "overlap",
  about: "six pools that want the same nodes; a first address",
  run: async () => {
    const { assigned, assignments, calls, refused, seconds } = await runOverlap();
    const { mutating } = await runFirstAddress();
    const name = `${OVERLAP.pools} overlapping pools of ${OVERLAP.addresses}, ${OVERLAP.nodes} nodes`;
    return [
      { case: name, figure: "addresses without a node", ours: [WANTED - assigned], target: 0, go: WANTED - 39 },
      { case: name, figure: "answers 429", ours: [refused], target: 0 },
      { case: name, figure: "assignments", ours: [assignments], target: WANTED },
      { case: name, figure: "cloud calls", ours: [calls] },
      { case: name, figure: "seconds on the virtual clock", ours: [seconds] },
      { case: "first IPv4 address, a node waits", figure: "mutating cloud calls", ours: [mutating], target: 1 },
    ];
  },
};
