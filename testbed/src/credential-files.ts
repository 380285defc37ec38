import { generateKeyPair } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { FlagFacts } from "./flags.js";
import { type TokenIdentity, tokenFile } from "./identities.js";

/** Writes the files that the programs read when they start. */
export async function writeSetup(
  dir: string,
  identities: Iterable<TokenIdentity>,
  emulatedVersion: string | undefined,
): Promise<FlagFacts> {
  const facts: FlagFacts = {
    etcdDataDir: join(dir, "etcd"),
    certDir: join(dir, "certs"),
    tokenFile: join(dir, "tokens.csv"),
    serviceAccountKey: join(dir, "service-account.key"),
    serviceAccountPublicKey: join(dir, "service-account.pub"),
    emulatedVersion,
  };
  const keys = await promisify(generateKeyPair)("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "sec1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  await mkdir(facts.certDir);
  await writeFile(facts.tokenFile, tokenFile(identities), { mode: 0o600 });
  await writeFile(facts.serviceAccountKey, keys.privateKey, { mode: 0o600 });
  await writeFile(facts.serviceAccountPublicKey, keys.publicKey);
  return facts;
}
