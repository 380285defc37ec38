import { expect } from "chai";
import { describe, it } from "mocha";
import { type Assembly, readAssembly } from "../../tools/library/assembly.js";
import { checkCompatible } from "../../tools/library/compatibility.js";

const PROPS = "cdk8s-flipop.FloatingIPPoolProps";

describe("the library, compared with its baseline", () => {
  it("breaks no code that compiled before", () => {
    expect(() => checkCompatible()).not.to.throw();
  }).timeout(60_000);

  it("fails if a prop is removed", () => {
    const broken = withoutProp(readAssembly(), "paused");
    expect(() => checkCompatible(broken)).to.throw(`${PROPS}.paused: has been removed`);
  }).timeout(60_000);
});

function withoutProp(assembly: Assembly, name: string): Assembly {
  const { [PROPS]: props, ...others } = assembly.types;
  if (!props) throw new Error(`${PROPS} is not a type of the library`);
  const properties = (props.properties ?? []).filter((property) => property.name !== name);
  return { ...assembly, types: { ...others, [PROPS]: { ...props, properties } } };
}
