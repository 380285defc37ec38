import { canonicalIp } from "cdk8s-flipop/api";
import type { DnsBench } from "../conformance/benches.js";
import { type DigitalOceanBench, startBench } from "./bench.js";

const ZONE = "example.com";

export async function startDnsBench(): Promise<DnsBench & DigitalOceanBench> {
  const bench = await startBench();
  const { dns } = bench.set;
  if (dns === undefined) throw new Error("DigitalOcean has DNS");
  const { state } = bench.simulator;
  state.dns.addDomain(ZONE);
  return {
    ...bench,
    provider: dns,
    zone: ZONE,
    addRecord: (name, type, data, ttl) => void state.dns.addRecord(ZONE, { type, name, data, ttl }),
    records: (name, type) =>
      state.dns
        .records(ZONE, name)
        .filter((record) => record.type === type)
        .map(({ data, ttl }) => `${canonicalIp(data)} ${ttl}`)
        .sort(),
  };
}
