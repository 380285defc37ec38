/** What probes connect to: a port on every address of this machine. Each connection stays open until its client ends it. */

import { type AddressInfo, createServer } from "node:net";
import { say } from "../child-report.js";

const BACKLOG = 4_096;
const server = createServer((socket) => socket.on("error", () => undefined).resume());
server.listen({ host: "0.0.0.0", port: 0, backlog: BACKLOG }, () => {
  say({ kind: "listening", port: (server.address() as AddressInfo).port });
});
