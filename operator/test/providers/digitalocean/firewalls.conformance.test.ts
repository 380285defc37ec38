import { firewallContract } from "../conformance/firewall-contract.js";
import { startFirewallBench } from "./firewall-bench.js";

firewallContract("DigitalOcean", startFirewallBench, "k8s-0123-worker");
