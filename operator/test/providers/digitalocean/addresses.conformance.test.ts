import { addressContract } from "../conformance/address-contract.js";
import { startAddressBench } from "./address-bench.js";

addressContract("DigitalOcean", ["IPv4", "IPv6"], startAddressBench);
