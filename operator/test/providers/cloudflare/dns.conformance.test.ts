import { EVERY_FAULT } from "../../../src/sandbox/http/fault.js";
import { dnsContract } from "../conformance/dns-contract.js";
import { dnsFaultCases } from "../conformance/dns-faults.js";
import { faultContract } from "../conformance/fault-contract.js";
import { type CloudflareBench, startDnsBench } from "./dns-bench.js";

// Once the zone, one read, one batch for each 200 records.
dnsContract("Cloudflare", startDnsBench, { budget: (records) => 2 + Math.ceil(records / 200) });
faultContract<CloudflareBench>("Cloudflare's DNS", startDnsBench, Object.keys(EVERY_FAULT), dnsFaultCases);
