import { dnsContract } from "../conformance/dns-contract.js";
import { startDnsBench } from "./dns-bench.js";

// One call for each record, and one read.
dnsContract("DigitalOcean", startDnsBench, { budget: (records) => records + 1 });
