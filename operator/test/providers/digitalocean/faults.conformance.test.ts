import { EVERY_FAULT } from "flipop-sandbox/http";
import { addressFaultCases } from "../conformance/address-faults.js";
import type { AddressBench, DnsBench, FaultBench, FirewallBench } from "../conformance/benches.js";
import { dnsFaultCases } from "../conformance/dns-faults.js";
import { faultContract } from "../conformance/fault-contract.js";
import { firewallFaultCases } from "../conformance/firewall-faults.js";
import { startAddressBench } from "./address-bench.js";
import type { DigitalOceanBench } from "./bench.js";
import { startDnsBench } from "./dns-bench.js";
import { startFirewallBench } from "./firewall-bench.js";

/** Longer than the circuit rests, stale reads last, and actions run. */
const HEALED_MS = 120_000;
const FAULTS = Object.keys(EVERY_FAULT);

const addresses = () => faulty(startAddressBench);

faultContract<AddressBench & FaultBench>("DigitalOcean's IPv4", addresses, FAULTS, addressFaultCases("IPv4"));
faultContract<AddressBench & FaultBench>("DigitalOcean's IPv6", addresses, FAULTS, addressFaultCases("IPv6"));
faultContract<DnsBench & FaultBench>("DigitalOcean's DNS", () => faulty(startDnsBench), FAULTS, dnsFaultCases);
faultContract<FirewallBench & FaultBench>(
  "DigitalOcean's firewalls",
  () => faulty(startFirewallBench),
  FAULTS,
  firewallFaultCases,
);

async function faulty<B extends DigitalOceanBench>(start: () => Promise<B>): Promise<B & FaultBench> {
  const bench = await start();
  const { simulator } = bench;
  return {
    ...bench,
    inject: (name, nth) => {
      const fault = EVERY_FAULT[name];
      if (fault === undefined) throw new Error(`there is no fault "${name}"`);
      simulator.faults.inject(fault, { nth });
    },
    heal: async () => {
      simulator.faults.clear();
      simulator.tokens.add({ name: "default", secret: simulator.token });
      await bench.pass(HEALED_MS);
    },
  };
}
