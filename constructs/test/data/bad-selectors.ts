import { type BadSpec, badOf } from "./bad-spec";

const pool = badOf("FloatingIPPool");

/** Pools with an invalid label selector; the message contains the position. */
export const BAD_SELECTORS: readonly BadSpec[] = [
  badSelector("a=b,", "at character 5: expected a label key, found the end"),
  badSelector(",a=b", 'at character 1: expected a label key, found ","'),
  badSelector("a=b=c", 'at character 4: expected "," or the end, found "="'),
  badSelector("a in b", 'at character 6: expected "(" and a list of values, found "b"'),
  badSelector("a in (b", 'at character 8: expected "," or ")", found the end'),
  badSelector("a b", "at character 3: expected one of"),
  badSelector("!a=b", 'at character 3: expected "," or the end, found "="'),
  badSelector("a>x", 'at character 3: "x" is not an integer'),
  badSelector("a>9223372036854775808", 'at character 3: "9223372036854775808" is not an integer'),
  badSelector("-a=b", 'at character 1: "-a" is not a label key'),
  badSelector("a/b/c", 'at character 1: "a/b/c" is not a label key'),
  badSelector(`${"p".repeat(254)}/a`, "has more than 253 characters"),
  badSelector(`${"k".repeat(64)}=b`, "is not a label key"),
  badSelector("a=-b", 'at character 3: "-b" is not a label value'),
  badSelector("a=ü", 'at character 3: "ü" is not a label value'),
];

function badSelector(selector: string, position: string): BadSpec {
  return pool(
    { match: { nodeLabel: selector } },
    {
      name: `node selector ${JSON.stringify(selector).slice(0, 60)}`,
      path: "spec.match.nodeLabel",
      says: position,
      serverSays: "is not a label selector: write requirements such as app=web, tier in (a,b), !spot",
    },
  );
}
