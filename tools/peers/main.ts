/**
 * `npm run peers`: finds the oldest releases of cdk8s and constructs with which the packed library writes the same
 * manifests, for OLDEST_PEERS in projenrc/versions.ts. It needs the registry, and takes a minute or two.
 */
import { OLDEST_PEERS, VERSIONS } from "../../projenrc/versions.js";
import { pack, packedFile } from "../packs/pack.js";
import { expected, oldest, passes, releases } from "./oldest-peers.js";

pack("js");
const tarball = packedFile("js", ".tgz");
const wanted = expected();

for (const [name, major] of [
  ["cdk8s", 2],
  ["constructs", 10],
] as const) {
  const newest = { cdk8s: VERSIONS.cdk8s, constructs: VERSIONS.constructs };
  const found = oldest(releases(name, major), (version) => passes(tarball, { ...newest, [name]: version }, wanted));
  console.log(`${name}: ${found ?? "none"} is the oldest that works; the library declares ^${OLDEST_PEERS[name]}`);
}
const together = passes(tarball, OLDEST_PEERS, wanted) ? "work" : "do not work";
console.log(`cdk8s ${OLDEST_PEERS.cdk8s} and constructs ${OLDEST_PEERS.constructs} together ${together}`);
