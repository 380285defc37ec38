import { expect } from "chai";
import { describe, it } from "mocha";
import { AFFINITY, type Fields, POD } from "../../constructs/src/private/job/pod-fields.js";
import { FIELDS } from "../../sandbox/src/kubernetes/built-in/fields.js";

/** The fields of each message of Kubernetes, with their types. */
const MESSAGES = new Map(
  FIELDS.trim()
    .split("\n")
    .map((line) => {
      const [name = "", ...fields] = line.split(" ");
      return [name, fields.flatMap((field) => field.match(/^\d+=(\w*):(.*)$/)?.slice(1, 3) ?? [])] as const;
    }),
);

/** The name and the type of each field of a message; an embedded message has no name of its own. */
function fieldsOf(message: string): ReadonlyMap<string, string> {
  const parts = MESSAGES.get(message) ?? [];
  const pairs = parts.flatMap((name, index) =>
    index % 2 === 0 ? [[name, typeOf(parts[index + 1] ?? "")] as const] : [],
  );
  return new Map(pairs.flatMap(([name, type]) => (name === "" ? [...fieldsOf(type)] : [[name, type] as const])));
}

function typeOf(text: string): string {
  return text.replace(/^\[\]/, "").replace(/\?$/, "");
}

/** The names that Kubernetes does not have, at any depth. */
function wrongNames({ names, inside = {} }: Fields, message: string): readonly string[] {
  const real = fieldsOf(message);
  const wrong = names.split(" ").filter((name) => !real.has(name));
  const deeper = Object.entries(inside).flatMap(([name, fields]) => wrongNames(fields, real.get(name) ?? ""));
  return [...wrong.map((name) => `${message}.${name}`), ...deeper];
}

describe("the fields of pods that the library knows", () => {
  it("are those of Kubernetes", () => {
    expect(wrongNames(POD, "core.PodSpec")).to.deep.equal([]);
    expect(wrongNames(AFFINITY, "core.Affinity")).to.deep.equal([]);
  });

  it("are all of them, for a pod, a container and a volume", () => {
    const missing = (fields: Fields | undefined, message: string): readonly string[] =>
      [...fieldsOf(message).keys()].filter((name) => !fields?.names.split(" ").includes(name));
    // A template cannot have ephemeral containers.
    expect(missing(POD, "core.PodSpec")).to.deep.equal(["ephemeralContainers"]);
    expect(missing(POD.inside?.["containers"], "core.Container")).to.deep.equal([]);
    expect(missing(POD.inside?.["volumes"], "core.Volume")).to.deep.equal([]);
  });
});
