import fc from "fast-check";

/** Valid and almost valid label selectors: pieces of the grammar, some of them wrong, in any order. */
export const selectorText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.array(requirement(), { maxLength: 4 }).map((parts) => parts.join(",")) },
  { weight: 2, arbitrary: fc.array(piece(), { maxLength: 12 }).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);

/** Valid and almost valid IP addresses. */
export const addressText: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.ipV4() },
  { weight: 2, arbitrary: fc.ipV6() },
  { weight: 2, arbitrary: fc.array(addressPiece(), { minLength: 1, maxLength: 12 }).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
);

/** Valid and almost valid port ranges. */
export const portRangeText: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(fc.nat(70_000), fc.nat(70_000)).map(([from, to]) => `${from}-${to}`),
  fc.array(fc.constantFrom("0", "1", "65535", "-", " ", "x", "99999"), { maxLength: 4 }).map((parts) => parts.join("")),
);

function requirement(): fc.Arbitrary<string> {
  const list = fc.array(fc.oneof(value(), space()), { maxLength: 4 }).map((values) => `(${values.join(",")})`);
  return fc.oneof(
    fc.tuple(space(), fc.constantFrom("", "!", "! "), key(), space()).map((parts) => parts.join("")),
    fc
      .tuple(key(), space(), fc.constantFrom("=", "==", "!=", ">", "<"), space(), value())
      .map((parts) => parts.join("")),
    fc
      .tuple(key(), fc.constantFrom(" ", "\t", ""), fc.constantFrom("in", "notin", "IN"), space(), list, space())
      .map((parts) => parts.join("")),
  );
}

function key(): fc.Arbitrary<string> {
  return fc.constantFrom(
    "app",
    "in",
    "notin",
    "a.b/c",
    "A_b-c.d",
    "-a",
    "a/",
    "/a",
    "a/b/c",
    "A/b",
    "a..b/c",
    `${"p".repeat(253)}/x`,
    `${"p".repeat(254)}/x`,
    "n".repeat(63),
    "n".repeat(64),
    "ä",
  );
}

function value(): fc.Arbitrary<string> {
  return fc.constantFrom(
    "",
    "web",
    "in",
    "1",
    "007",
    "9223372036854775807",
    "9223372036854775808",
    `${"0".repeat(44)}9223372036854775807`,
    "-1",
    "a b",
    "a_",
    "v".repeat(63),
    "v".repeat(64),
    "ü",
  );
}

function space(): fc.Arbitrary<string> {
  return fc.constantFrom("", "", " ", "\t", "\n ", "\r", "\u00a0");
}

function piece(): fc.Arbitrary<string> {
  return fc.oneof(
    key(),
    value(),
    space(),
    fc.constantFrom("=", "==", "!=", "!", "(", ")", ",", ">", "<", "in", "notin", " in ", " notin "),
  );
}

function addressPiece(): fc.Arbitrary<string> {
  return fc.constantFrom(
    "1",
    "0",
    "00",
    "255",
    "256",
    ".",
    "1.2.3.4",
    ":",
    "::",
    "ffff",
    "FFFF",
    "0:0",
    "::ffff:",
    "%eth0",
    "/64",
    "12345",
    "g",
  );
}
