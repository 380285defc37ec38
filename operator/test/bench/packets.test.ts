import { expect } from "chai";
import { describe, it } from "mocha";
import { readdress, readPacket } from "../../bench/traffic/packets.js";

/** As the kernel sends them: 8 bytes of VXLAN, 14 of Ethernet, then IPv4. The checksums of TCP and UDP are missing. */
const SYN =
  "0800000000000200020000000001020000000001080045" +
  "00003cf04d4000400635d00a4d00020a4d0003de080050268e387400000000a002faf014cd0000020405b40402080ab7ed402e000000000103030a";
const PING =
  "080000000000020002000000000102000000000108004500" + "00203b5940004011ead50a4d00020a4d0003e8e10050000c14bc70696e67";
const NEIGHBOURS = `08000000000002003333000000020200000000018 6dd${"00".repeat(40)}`.replace(" ", "");

function packet(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}

/** Of header and data, with the addresses: 0xffff if the checksum is right. */
function checked(bytes: Buffer): number {
  const ip = bytes.subarray(22);
  const segment = ip.subarray(20);
  const parts = [ip.subarray(12, 20), Buffer.from([0, ip.readUInt8(9), 0, segment.length]), segment];
  const all = Buffer.concat([...parts, Buffer.alloc(segment.length % 2)]);
  let sum = 0;
  for (let at = 0; at < all.length; at += 2) sum += all.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return sum;
}

describe("a packet of the simulated network", () => {
  it("shows its link and its destination, unless it is not IPv4", () => {
    expect(readPacket(packet(SYN))).to.deep.equal({ link: 2, destination: "10.77.0.3" });
    expect(readPacket(packet(PING))).to.deep.equal({ link: 2, destination: "10.77.0.3" });
    expect(readPacket(packet(NEIGHBOURS))).to.equal(undefined);
    expect(readPacket(packet(SYN).subarray(0, 30))).to.equal(undefined);
  });

  for (const [protocol, hex] of Object.entries({ TCP: SYN, UDP: PING })) {
    it(`goes to another link with a checksum of ${protocol} that is right, and with another hardware address`, () => {
      const bytes = packet(hex);
      expect(checked(bytes), "before").not.to.equal(0xffff);
      readdress(bytes, 3);
      expect(readPacket(bytes)).to.deep.equal({ link: 3, destination: "10.77.0.3" });
      expect(checked(bytes)).to.equal(0xffff);
      expect(bytes.subarray(14, 20)).not.to.deep.equal(bytes.subarray(8, 14));
    });
  }

  it("keeps a checksum that is right already", () => {
    const bytes = packet(PING);
    readdress(bytes, 3);
    const once = Buffer.from(bytes);
    readdress(bytes, 3);
    readdress(bytes, 3);
    expect(bytes).to.deep.equal(once);
  });

  it("of a length that exceeds its bytes keeps its data", () => {
    const bytes = packet(PING).subarray(0, 45);
    readdress(bytes, 3);
    expect(bytes.subarray(22).toString("hex")).to.equal(packet(PING).subarray(22, 45).toString("hex"));
  });
});
