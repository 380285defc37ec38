import { canonicalIp } from "cdk8s-flipop/api";
import type { AddressBench } from "../conformance/benches.js";
import { type DigitalOceanBench, startBench } from "./bench.js";

export async function startAddressBench(): Promise<AddressBench & DigitalOceanBench> {
  const bench = await startBench();
  const { addresses } = bench.set;
  if (addresses === undefined) throw new Error("DigitalOcean has addresses");
  const { state } = bench.simulator;
  return {
    ...bench,
    provider: addresses,
    regions: ["nyc3", "ams3"],
    pageSize: 200,
    addresses: () =>
      new Map(
        state
          .addresses()
          .map(({ ip, dropletId }) => [
            canonicalIp(ip),
            dropletId === null ? undefined : `digitalocean://${dropletId}`,
          ]),
      ),
    switchOff: (node) => state.setDropletStatus(Number(node.replace("digitalocean://", "")), "off"),
    failNextAction: () => state.failActions(),
    exhaustQuota: () => {
      state.account.reservedIpLimit = 0;
    },
  };
}
