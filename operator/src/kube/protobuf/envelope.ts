/** What stands around each object: four magic bytes, then its kind and its bytes (k8s.io/apimachinery v0.35.4, pkg/runtime/generated.proto). */
import { find } from "./message.js";
import { ProtobufError, type Reader } from "./reader.js";

const MAGIC = 0x6b_38_73_00;
const MAGIC_BYTES = 4;
/** Of `Unknown`. */
const TYPE_META = 1;
const RAW = 2;
/** Of `TypeMeta`. */
const KIND = 2;

/** Narrows the reader to the object in the envelope at its place. @returns the object's kind. */
export function openEnvelope(reader: Reader): string {
  const { bytes, at, end } = reader;
  if (end - at < MAGIC_BYTES || bytes.readUInt32BE(at) !== MAGIC) {
    throw new ProtobufError("the bytes do not start as an object of Kubernetes does");
  }
  const start = at + MAGIC_BYTES;
  const part = (number: number, from: number, to: number) => {
    reader.start(bytes, from, to);
    return find(reader, number) ?? { at: to, end: to };
  };
  const typeMeta = part(TYPE_META, start, end);
  const kind = part(KIND, typeMeta.at, typeMeta.end);
  const raw = part(RAW, start, end);
  reader.start(bytes, raw.at, raw.end);
  return reader.interner.text(bytes, kind.at, kind.end);
}
