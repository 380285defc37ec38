/** X.509 for tests, made on the spot: no key is ever committed. Just enough DER for P-256 certificates. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

export interface Certificate {
  /** PEM */
  readonly cert: string;
  /** PEM */
  readonly key: string;
}

export interface Authority extends Certificate {
  readonly name: string;
  readonly privateKey: KeyObject;
}

interface LockKey {
  readonly name: string;
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
  readonly ca?: boolean;
}

export function makeAuthority(name = "test authority"): Authority {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const cert = certify({ name, ca: true }, keys.publicKey, { name, privateKey: keys.privateKey });
  return { name, cert, key: pem(keys.privateKey), privateKey: keys.privateKey };
}

/** A certificate for servers and clients alike. */
export function issue(authority: Authority, subject: LockKey): Certificate {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { cert: certify(subject, keys.publicKey, authority), key: pem(keys.privateKey) };
}

function pem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function certify(subject: LockKey, publicKey: KeyObject, issuer: { name: string; privateKey: KeyObject }): string {
  const spki = publicKey.export({ type: "spki", format: "der" });
  const tbs = sequence(
    tag(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    rdn(issuer.name),
    sequence(utcTime("200101000000Z"), utcTime("491231235959Z")),
    rdn(subject.name),
    spki,
    tag(0xa3, sequence(...extensions(subject, spki))),
  );
  const signature = sign("sha256", tbs, issuer.privateKey);
  const der = sequence(tbs, ECDSA_SHA256, tag(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function extensions({ ca = false, dnsNames = [], addresses = [] }: LockKey, spki: Buffer): Buffer[] {
  const names = [
    ...dnsNames.map((name) => tag(0x82, Buffer.from(name))),
    ...addresses.map((address) => tag(0x87, Buffer.from(address.split(".").map(Number)))),
  ];
  const keyId = tag(0x04, createHash("sha1").update(spki).digest());
  return [
    extension([0x55, 0x1d, 0x13], sequence(...(ca ? [tag(0x01, Buffer.from([0xff]))] : []))),
    extension([0x55, 0x1d, 0x0e], keyId),
    ...(names.length === 0 ? [] : [extension([0x55, 0x1d, 0x11], sequence(...names))]),
  ];
}

function extension(oid: readonly number[], value: Buffer): Buffer {
  return sequence(tag(0x06, Buffer.from(oid)), tag(0x04, value));
}

function rdn(name: string): Buffer {
  const commonName = sequence(tag(0x06, Buffer.from([0x55, 0x04, 0x03])), tag(0x0c, Buffer.from(name)));
  return sequence(tag(0x31, commonName));
}

function utcTime(text: string): Buffer {
  return tag(0x17, Buffer.from(text));
}

function integer(value: Buffer): Buffer {
  return tag(0x02, value);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tag(0x30, Buffer.concat(parts));
}

function tag(type: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type]), length(content.length), content]);
}

function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes]);
  if (bytes < 0x100) return Buffer.from([0x81, bytes]);
  return Buffer.from([0x82, bytes >> 8, bytes & 0xff]);
}

/** 1.2.840.10045.4.3.2 */
const ECDSA_SHA256 = sequence(tag(0x06, Buffer.from([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])));
