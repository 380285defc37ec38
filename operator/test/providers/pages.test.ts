import { expect } from "chai";
import { describe, it } from "mocha";
import { type ListPage, readAllPages } from "../../src/providers/pages.js";
import { CLOUD_LIST_MOST } from "../../src/timings.js";
import { errorOf } from "../support/http-rig.js";

/** A list as a cloud says it: the page of each number. */
function listOf(page: (number: number) => ListPage<string>) {
  const read: number[] = [];
  const list = {
    where: "digitalocean: list addresses",
    changes: "creates and deletes",
    read: (number: number) => {
      read.push(number);
      return Promise.resolve(page(number));
    },
  };
  return { list, read };
}

function itemsOf(number: number, count: number, value = "v") {
  return Array.from({ length: count }, (_, index) => ({ id: `${number}-${index}`, value }));
}

describe("the pages of a list", () => {
  it("are read until as many items as the cloud counts have come", async () => {
    const { list, read } = listOf((number) => ({ items: itemsOf(number, 2), total: 4, end: undefined }));
    expect(await readAllPages(list)).to.have.length(4);
    expect(read).to.deep.equal([1, 2]);
  });

  it("are read again from the start when they changed meanwhile, and given up after three times", async () => {
    const { list, read } = listOf((number) => ({ items: itemsOf(number, 1), total: 10 + number, end: undefined }));
    const error = await errorOf(readAllPages(list));
    expect(error).to.include({ kind: "Unavailable", outcome: "refused", reason: undefined });
    expect(read).to.deep.equal([1, 2, 1, 2, 1, 2]);
  });

  const CHANGED = /the list changed while it was read, 3 times; .*another program that creates and deletes/;
  const wrong: readonly (readonly [string, (number: number, read: number) => ListPage<string>, RegExp])[] = [
    [
      "repeat what was there, and never end",
      () => ({ items: itemsOf(1, 2), total: 2, end: false }),
      /contradicts itself: page 2 is not the last and has nothing that earlier pages lack, and 3 readings showed the same; .*no proxy answers/,
    ],
    [
      "are fewer than the cloud counts",
      () => ({ items: itemsOf(1, 2), total: 7, end: true }),
      /contradicts itself: its pages have 2 items, while the API counts 7, and 3 readings showed the same; /,
    ],
    [
      "count more items with each page",
      (number) => ({ items: itemsOf(number, 1), total: 9 + number, end: false }),
      CHANGED,
    ],
    ["lack another number each time", (_, read) => ({ items: itemsOf(1, 2), total: 7 + read, end: true }), CHANGED],
  ];
  for (const [what, page, seen] of wrong) {
    it(`that ${what} are an error that says so`, async () => {
      const { list, read } = listOf((number) => page(number, read.length));
      expect(String(await errorOf(readAllPages(list)))).to.match(seen);
    });
  }

  const { pages, items, characters } = CLOUD_LIST_MOST;
  const tooLong: readonly (readonly [string, (number: number) => ListPage<string>, number, RegExp])[] = [
    ["never end", (number) => ({ items: itemsOf(number, 1), total: undefined, end: undefined }), pages, /1,000 pages/],
    [
      "say that another follows, for ever",
      (number) => ({ items: itemsOf(number, 1), total: 90_000, end: false }),
      pages,
      /1,000 pages/,
    ],
    [
      "have too many items",
      (number) => ({ items: itemsOf(number, 40_000), total: undefined, end: undefined }),
      3,
      /120,000 items/,
    ],
    [
      "announce too many",
      (number) => ({ items: itemsOf(number, 1), total: items + 1, end: undefined }),
      1,
      /100,001 items/,
    ],
    [
      "have items that are too large",
      (number) => ({ items: itemsOf(number, 1, "x".repeat(characters / 2)), total: undefined, end: undefined }),
      2,
      /characters/,
    ],
  ];
  for (const [what, page, reads, seen] of tooLong) {
    it(`that ${what} are not followed: the error says what was seen, and that the operator did nothing`, async () => {
      const { list, read } = listOf(page);
      const error = await errorOf(readAllPages(list));
      expect(error).to.include({ kind: "Unavailable", reason: "ListTooLong", outcome: "refused" });
      expect(String(error)).to.match(seen).and.include("digitalocean: list addresses").and.include("changed nothing");
      expect(read).to.have.length(reads);
    });
  }

  it("with as many items as the bound allows are a list", async () => {
    const { list } = listOf((number) => ({ items: itemsOf(number, 1_000), total: items, end: undefined }));
    expect(await readAllPages(list)).to.have.length(items);
  });
});
