/** Packets of the simulated network: IPv4 in Ethernet in VXLAN. Pure, but it rewrites packets in place. */

const VNI_AT = 4;
const VNI_BYTES = 3;
const ETHERNET_AT = 8;
const SOURCE_MAC_END = ETHERNET_AT + 11;
const TYPE_AT = ETHERNET_AT + 12;
const IP_AT = ETHERNET_AT + 14;
const LENGTH_AT = IP_AT + 2;
const PROTOCOL_AT = IP_AT + 9;
const ADDRESSES_AT = IP_AT + 12;
const DESTINATION_AT = IP_AT + 16;
const IP_BYTES = 20;
const IPV4 = 0x0800;
/** Where the checksum of a protocol is, from the start of its header. */
const CHECKSUM_AT: Readonly<Record<number, number>> = { 6: 16, 17: 6 };

export interface Packet {
  /** Number of the link that it comes from. */
  readonly link: number;
  /** IPv4 address. */
  readonly destination: string;
}

/** `undefined`: not IPv4, such as the discovery of neighbours by IPv6. */
export function readPacket(bytes: Buffer): Packet | undefined {
  if (bytes.length < IP_AT + IP_BYTES || bytes.readUInt16BE(TYPE_AT) !== IPV4) return undefined;
  return {
    link: bytes.readUIntBE(VNI_AT, VNI_BYTES),
    destination: bytes.subarray(DESTINATION_AT, DESTINATION_AT + 4).join("."),
  };
}

/** Makes the packet one for another link. */
export function readdress(bytes: Buffer, link: number): void {
  bytes.writeUIntBE(link, VNI_AT, VNI_BYTES);
  // All links have the same hardware address, and the kernel drops a packet that seems to come from itself.
  bytes.writeUInt8(bytes.readUInt8(SOURCE_MAC_END) ^ 0xff, SOURCE_MAC_END);
  completeChecksum(bytes);
}

/** The kernel leaves the checksum to the hardware, which does not exist here. */
function completeChecksum(bytes: Buffer): void {
  const headerBytes = (bytes.readUInt8(IP_AT) & 0x0f) * 4;
  const end = IP_AT + bytes.readUInt16BE(LENGTH_AT);
  const protocol = bytes.readUInt8(PROTOCOL_AT);
  const offset = CHECKSUM_AT[protocol];
  if (offset === undefined || end > bytes.length) return;
  const start = IP_AT + headerBytes;
  bytes.writeUInt16BE(0, start + offset);
  const pseudoHeader = sumOf(bytes.subarray(ADDRESSES_AT, ADDRESSES_AT + 8)) + protocol + end - start;
  let sum = pseudoHeader + sumOf(bytes.subarray(start, end));
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  // Zero would mean that a UDP packet has no checksum.
  bytes.writeUInt16BE(~sum & 0xffff || 0xffff, start + offset);
}

function sumOf(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) {
    sum += at + 1 < bytes.length ? bytes.readUInt16BE(at) : bytes.readUInt8(at) << 8;
  }
  return sum;
}
