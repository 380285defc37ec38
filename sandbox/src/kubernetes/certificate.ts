import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

/** A private key and its certificate, PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const YEARS = 10;

/** A certificate for 127.0.0.1 and localhost, signed by itself (X.509 version 3, ECDSA on P-256). */
export function selfSignedCertificate(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const publicInfo = publicKey.export({ type: "spki", format: "der" });
  const body = certificateBody(publicInfo);
  const signature = createSign("sha256").update(body).sign(privateKey);
  const der = sequence(body, sequence(ECDSA_WITH_SHA256), bitString(signature));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
  };
}

/** TBSCertificate of RFC 5280, section 4.1. */
function certificateBody(publicInfo: Buffer): Buffer {
  const now = new Date();
  const until = new Date(now);
  until.setUTCFullYear(now.getUTCFullYear() + YEARS);
  const name = sequence(set(sequence(objectId("2.5.4.3"), element(0x0c, Buffer.from("flipop-sandbox")))));
  const serial = Buffer.concat([Buffer.from([0x01]), randomBytes(8)]);
  return sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, serial),
    sequence(ECDSA_WITH_SHA256),
    name,
    sequence(generalizedTime(now), generalizedTime(until)),
    name,
    publicInfo,
    element(0xa3, sequence(...extensions(publicInfo))),
  );
}

function extensions(publicInfo: Buffer): Buffer[] {
  const isAuthority = sequence(element(0x01, Buffer.from([0xff])));
  const alternativeNames = sequence(
    element(0x82, Buffer.from("localhost")),
    element(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const keyId = element(0x04, createHash("sha1").update(publicInfo).digest());
  return [
    extension("2.5.29.19", isAuthority, true),
    extension("2.5.29.17", alternativeNames, false),
    extension("2.5.29.14", keyId, false),
  ];
}

function extension(id: string, value: Buffer, critical: boolean): Buffer {
  const flag = critical ? [element(0x01, Buffer.from([0xff]))] : [];
  return sequence(objectId(id), ...flag, element(0x04, value));
}

/** A DER element: tag, length, content. */
function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = Buffer.from(length.toString(16).padStart(length > 255 ? 4 : 2, "0"), "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 + bytes.length]), bytes, content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts));
}

function set(...parts: Buffer[]): Buffer {
  return element(0x31, Buffer.concat(parts));
}

function bitString(content: Buffer): Buffer {
  return element(0x03, Buffer.concat([Buffer.from([0]), content]));
}

function generalizedTime(time: Date): Buffer {
  const digits = time
    .toISOString()
    .replace(/\.\d+Z$/, "")
    .replace(/\D/g, "");
  return element(0x18, Buffer.from(`${digits}Z`));
}

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

const ECDSA_WITH_SHA256 = objectId("1.2.840.10045.4.3.2");
