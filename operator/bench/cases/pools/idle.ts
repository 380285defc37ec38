import { IDLE, runIdleHour } from "../../../test/operator/scenes/idle.js";
import type { Case } from "../../bench.js";

/** On a virtual clock: what an hour costs in which nothing happens. */
export const idleCase: Case = {
  name: "idle",
  about: "20 addresses for an hour in which nothing happens",
  run: async () => {
    const { calls, writes } = await runIdleHour();
    const name = `${IDLE.addresses} addresses, an idle hour`;
    return [
      { case: name, figure: "cloud calls", ours: [calls], target: 15, go: 240 },
      { case: name, figure: "writes to the API server", ours: [writes], target: 0 },
    ];
  },
};
