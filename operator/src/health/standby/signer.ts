/** Signed values that replicas of the operator send each other. A token says who made it; it is not secret. */

import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";

/** What a token is for: a question is never an answer. */
export type Purpose = "question" | "answer";

/** The key pair of one process. The private key never leaves it. */
export class Signer {
  /** Ed25519, in base64url. */
  readonly publicKey: string;
  private readonly privateKey: KeyObject;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    this.privateKey = privateKey;
    this.publicKey = publicKey.export({ format: "jwk" }).x ?? "";
  }

  token(purpose: Purpose, value: unknown): string {
    const text = JSON.stringify(value);
    return `${Buffer.from(text).toString("base64url")}.${sign(null, signed(purpose, text), this.privateKey).toString("base64url")}`;
  }
}

/** The value of a token that the owner of the key signed for this purpose; otherwise `undefined`. */
export function signedValue(purpose: Purpose, token: string, publicKey: string): unknown {
  const [encoded = "", signature = "", ...rest] = token.split(".");
  if (rest.length > 0) return undefined;
  const text = Buffer.from(encoded, "base64url").toString();
  try {
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publicKey }, format: "jwk" });
    const isGenuine = verify(null, signed(purpose, text), key, Buffer.from(signature, "base64url"));
    return isGenuine ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

function signed(purpose: Purpose, text: string): Buffer {
  return Buffer.from(`flipop ${purpose} 1\n${text}`);
}
