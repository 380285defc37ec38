import { nameAccessOf } from "../../../../src/routing/address-and-name-access.js";
import { portAccessOf } from "../../../../src/routing/port-access.js";
import type { ResolvedJobClass } from "../../../../src/routing/resolved-class.js";
import { TAINT } from "../model-cluster.js";

/** A class that works by Jobs, also for the firewall, and limits nothing. */
export const JOB_CLASS: ResolvedJobClass = {
  by: "jobs",
  className: "rack",
  hasFirewallJob: true,
  objectName: "rack",
  perNodeIPLimit: 1,
  nodePortRange: "30000-32767",
  postAllow: false,
  taint: TAINT,
  portAccess: portAccessOf([]),
  addressAccess: [],
  nameAccess: nameAccessOf([]),
};
