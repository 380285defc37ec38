import { complete, type Entry, modeOf } from "./entries.js";

const BLOCK = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
const CHECKSUM_AT = 148;
const TYPES = { file: "0", link: "2", folder: "5" } as const;

/** A tar file (ustar) that depends only on the entries: sorted, owned by root, all with the same time. */
export function tarOf(entries: readonly Entry[], epochSeconds: number): Buffer {
  const blocks = complete(entries).flatMap((entry) => {
    const { content = Buffer.alloc(0) } = entry;
    return [header(entry, content.length, epochSeconds), content, Buffer.alloc(-content.length & (BLOCK - 1))];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function header(entry: Entry, size: number, epochSeconds: number): Buffer {
  const type = typeOf(entry);
  const [prefix, name] = splitPath(type === TYPES.folder ? `${entry.path}/` : entry.path);
  const { link = "" } = entry;
  if (Buffer.byteLength(link) > NAME_BYTES) throw new Error(`the link ${entry.path} points too far for tar: ${link}`);
  const block = Buffer.alloc(BLOCK);
  // Offsets of POSIX 1003.1, "ustar Interchange Format".
  block.write(name, 0);
  block.write(octal(modeOf(entry), 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(epochSeconds, 12), 136);
  block.fill(" ", CHECKSUM_AT, CHECKSUM_AT + 8);
  block.write(type, 156);
  block.write(link, 157);
  block.write("ustar\u000000", 257);
  block.write("root", 265);
  block.write("root", 297);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)} `, CHECKSUM_AT);
  return block;
}

function typeOf({ content, link }: Entry): string {
  if (link !== undefined) return TYPES.link;
  return content === undefined ? TYPES.folder : TYPES.file;
}

/** A path over 100 bytes is split at a slash, and its first part goes to a separate field. */
function splitPath(path: string): readonly [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= NAME_BYTES) return ["", path];
  const cut = path.indexOf("/", path.length - NAME_BYTES - 1);
  if (cut < 1 || cut > PREFIX_BYTES) throw new Error(`the path is too long for tar: ${path}`);
  return [path.slice(0, cut), path.slice(cut + 1)];
}

/** An octal number with the width of the field, including the final NUL. */
function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, "0")}\0`;
}
