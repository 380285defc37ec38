/**
 * Preloaded into each replica: connections to the hosts that a file names get no answer, as behind a broken path. A
 * process of its own on the same machine cannot be told apart by a firewall without the rights of root.
 */

import { existsSync, readFileSync } from "node:fs";
import { Socket } from "node:net";

const file = process.env.STORM_CUT_OFF ?? "";
const { connect } = Socket.prototype;

Socket.prototype.connect = function connectUnlessCutOff(...args) {
  const [first] = args;
  const { host } = (Array.isArray(first) ? first[0] : first) ?? {};
  return typeof host === "string" && isCutOff(host) ? this : connect.apply(this, args);
};

function isCutOff(host) {
  return existsSync(file) && readFileSync(file, "utf8").split("\n").includes(host);
}
