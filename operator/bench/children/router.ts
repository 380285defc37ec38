/**
 * The router of the cloud: `router.mjs SEED`. Every link sends it IP packets in VXLAN, and it sends each on to the link
 * of the destination, or drops it. The kernel of this machine may lack the means to drop packets at random.
 */

import { createSocket } from "node:dgram";
import { seededRandom } from "../../test/support/seeded-random.js";
import type { RouterCommand } from "../traffic/messages.js";
import { gatewayOf, VXLAN_PORT } from "../traffic/network-addresses.js";
import { readdress, readPacket } from "../traffic/packets.js";

const random = seededRandom(Number(process.argv[2] ?? 1));
const links = new Map<string, number>();
const losses = new Map<number, number>();
const socket = createSocket("udp4");

socket.on("message", (bytes) => {
  const packet = readPacket(bytes);
  const link = packet && links.get(packet.destination);
  if (packet === undefined || link === undefined || isLost(packet.link) || isLost(link)) return;
  readdress(bytes, link);
  // A link that is down is an error of the send, and the packet is lost, as it should be.
  socket.send(bytes, VXLAN_PORT, gatewayOf(link).link, () => undefined);
});

process.on("message", (command: RouterCommand) => {
  if (command.kind === "loss") losses.set(command.link, command.share);
  else if (command.link === undefined) links.delete(command.address);
  else links.set(command.address, command.link);
});
process.on("disconnect", () => process.exit());
socket.bind(VXLAN_PORT, () => process.send?.("ready"));

function isLost(link: number): boolean {
  const share = losses.get(link) ?? 0;
  return share > 0 && random() < share;
}
