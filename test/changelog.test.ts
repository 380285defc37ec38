import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as api from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { RELEASE } from "../projenrc/versions.js";
import { sectionOf, withCommits } from "../tools/changelog/changelog.js";
import { difference, namesOf } from "../tools/changelog/public-names.js";

const OLDER = "# Changelog\n\nHow to read it.\n\n## 0.9.0 (2026-01-01)\n\n### Breaking\n\nField `a` is now `b`.\n";
const RELEASED = { version: "1.0.0", date: "2026-02-01", commits: "#### Fixes\n\n- one" };

describe("the changelog", () => {
  it("tells users about the current version", () => {
    const text = sectionOf(readFileSync(resolve(import.meta.dirname, "../CHANGELOG.md"), "utf8"), RELEASE);
    expect(text).to.include("### Breaking changes");
  });

  it("gets a section for a new version above the older ones, which stay as they are", () => {
    const text = withCommits(OLDER, RELEASED);
    const [header, ...sections] = text.split(/^(?=## )/m);
    expect(header).to.equal("# Changelog\n\nHow to read it.\n\n");
    expect(sections.map((section) => section.split("\n")[0])).to.deep.equal([
      "## 1.0.0 (2026-02-01)",
      "## 0.9.0 (2026-01-01)",
    ]);
    expect(text.endsWith(OLDER.slice(OLDER.indexOf("## 0.9.0")))).to.equal(true);
  });

  it("keeps what people wrote when the commits are listed again", () => {
    const written = withCommits(OLDER, RELEASED).replace("(2026-02-01)\n", "(2026-02-01)\n\nWhat users must know.\n");
    const again = withCommits(written, { ...RELEASED, date: "2026-02-02", commits: "#### Fixes\n\n- one\n- two" });
    expect(again).to.equal(written.replace("- one", "- one\n- two"));
    expect(withCommits(again, { ...RELEASED, commits: "" })).to.equal(
      OLDER.replace("## 0.9.0", "## 1.0.0 (2026-02-01)\n\nWhat users must know.\n\n## 0.9.0"),
    );
  });

  it("refuses to publish a version without a text for users", () => {
    expect(() => sectionOf(OLDER, "1.0.0")).to.throw('no section "## 1.0.0 (DATE)"');
    expect(() => sectionOf(withCommits(OLDER, RELEASED), "1.0.0")).to.throw("says nothing to users about 1.0.0");
    expect(sectionOf(OLDER, "0.9.0")).to.equal("### Breaking\n\nField `a` is now `b`.");
  });
});

describe("the comparison of names", () => {
  it("names each removed and each added one", () => {
    const now = namesOf(api);
    const { Invalid, ...others } = api.REASONS;
    const before = namesOf({ ...api, REASONS: { ...others, Former: Invalid } });
    expect(difference(before, now)).to.deep.equal(["reasons", "  removed  Former", "  added    Invalid"]);
    expect(difference(now, now)).to.deep.equal([]);
  });

  it("covers fields at any depth, with their values", () => {
    const { fields } = namesOf(api);
    expect(fields).to.include.members([
      "FloatingIPPool.spec.match.nodeLabel",
      "FloatingIPPool.spec.healthCheck.type=TCP",
      "FloatingIPPool.spec.publishTo[].kind=Gateway",
    ]);
  });
});
