import { expect } from "chai";
import { describe, it } from "mocha";
import { targetOf } from "../../src/health/target.js";

const CHECK = { type: "HTTP", port: 80, path: "/latest/meta-data" } as const;

/** What is probed where a kubelet says that its node, or a pod on it, has this address. */
function hosts(address: string): readonly (string | undefined)[] {
  const node = { name: "n1", addresses: [{ type: "InternalIP", address }] };
  const ofNode = targetOf(CHECK, node, () => undefined);
  const ofPod = targetOf({ ...CHECK, address: "PodIP" }, node, () => address);
  return [ofNode?.host, ofPod?.host];
}

describe("targets of probes", () => {
  for (const address of ["10.0.0.1", "203.0.113.9", "fd00::1", "2001:db8::1"]) {
    it(`include ${address}`, () => {
      expect(hosts(address)).to.deep.equal([address, address]);
    });
  }

  for (const [title, addresses] of Object.entries({
    "include no link-local addresses, such as those of metadata services": [
      "169.254.169.254",
      "fe80::a9fe:a9fe",
      "febf::1",
    ],
    "include no spellings that hide one": [
      "::ffff:169.254.169.254",
      "2852039166",
      "0xa9.0xfe.0xa9.0xfe",
      "fe80::1%eth0",
    ],
    "include no names, which a DNS server of the attacker answers": [
      "metadata.google.internal",
      "localhost",
      "kubernetes.default",
    ],
    "include no addresses that stand for no single host": ["0.0.0.0", "255.255.255.255", "224.0.0.1", "::", "ff02::1"],
    "include nothing else": ["", "10.0.0.1:6443", "10.0.0.1/evil", "user@10.0.0.1"],
  })) {
    it(title, () => {
      expect(addresses.flatMap(hosts).filter((host) => host !== undefined)).to.deep.equal([]);
    });
  }
});
