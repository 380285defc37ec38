import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import type { Entry } from "../../tools/image/entries.js";
import { tarOf } from "../../tools/image/tar.js";

const DEEP = `${"folder/".repeat(16)}file`;
const ENTRIES: readonly Entry[] = [
  { path: "usr/bin/tool", content: Buffer.from("#!"), mode: 0o755 },
  { path: "etc/empty", content: Buffer.alloc(0) },
  { path: "etc/block", content: Buffer.alloc(512, "x") },
  { path: "lib/loader", link: "/lib/real" },
  { path: "tmp", mode: 0o1777 },
  { path: DEEP, content: Buffer.from("deep") },
];

describe("tar files of the image", () => {
  let folder: string;
  let file: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "flipop-tar-"));
    file = join(folder, "it.tar");
    writeFileSync(file, tarOf(ENTRIES, 86_400));
  });

  after(() => rmSync(folder, { recursive: true }));

  const listed = () =>
    execFileSync("tar", ["--utc", "--full-time", "-tvf", file], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map((line) => line.replaceAll(/ +/g, " "));

  it("are readable by tar: files, links, folders and modes, all owned by root and with one time", () => {
    expect(listed()).to.include.members([
      "-rwxr-xr-x root/root 2 1970-01-02 00:00:00 usr/bin/tool",
      "-rw-r--r-- root/root 0 1970-01-02 00:00:00 etc/empty",
      "-rw-r--r-- root/root 512 1970-01-02 00:00:00 etc/block",
      "lrw-r--r-- root/root 0 1970-01-02 00:00:00 lib/loader -> /lib/real",
      "drwxrwxrwt root/root 0 1970-01-02 00:00:00 tmp/",
      "drwxr-xr-x root/root 0 1970-01-02 00:00:00 usr/bin/",
      `-rw-r--r-- root/root 4 1970-01-02 00:00:00 ${DEEP}`,
    ]);
  });

  it("contain the files' contents", () => {
    expect(execFileSync("tar", ["-xOf", file, "etc/block", DEEP], { encoding: "utf8" })).to.equal(
      `${"x".repeat(512)}deep`,
    );
  });

  it("have each folder once, before its content", () => {
    const names = listed().map((line) => line.split(" ")[5] ?? "");
    expect(new Set(names).size).to.equal(names.length);
    for (const [index, name] of names.entries()) {
      const parent = name.replace(/[^/]+\/?$/, "");
      if (parent !== "") expect(names.slice(0, index), name).to.include(parent);
    }
  });

  it("do not depend on the order in which the entries are given", () => {
    expect(tarOf([...ENTRIES].reverse(), 86_400).equals(tarOf(ENTRIES, 86_400))).to.equal(true);
  });

  it("reject entries that do not fit the format, and two files with the same name", () => {
    expect(() => tarOf([{ path: "x".repeat(101), content: Buffer.alloc(0) }], 0)).to.throw(
      "the path is too long for tar",
    );
    expect(() => tarOf([{ path: "a", link: "x".repeat(101) }], 0)).to.throw("the link a points too far for tar");
    const twice = { path: "a", content: Buffer.alloc(0) };
    expect(() => tarOf([twice, twice], 0)).to.throw("two files for a of the image");
  });
});
