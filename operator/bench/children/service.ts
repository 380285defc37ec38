/** The service on a node: `service.mjs NODE ADDRESS PORT`. It answers each request with the name of the node. */

import { createSocket } from "node:dgram";
import { createServer } from "node:http";

const [, , node = "", address = "", port = ""] = process.argv;

const udp = createSocket("udp4");
udp.on("message", (request, { port: to, address: client }) => udp.send(`${request.toString()} ${node}`, to, client));
// An answer must come from the address that the client asked.
udp.bind(Number(port), address);
const server = createServer((_, response) => response.setHeader("connection", "close").end(node));
server.listen(Number(port), "0.0.0.0", () => process.send?.("ready"));
process.on("disconnect", () => process.exit());
