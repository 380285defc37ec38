import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import type { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { CLASS, ISSUER, TwoInstallations } from "./two-installations-rig.js";

const SHARED = [CLASS, ISSUER];

describe("operators in process: two installations that watch different namespaces, and share a class", function () {
  this.timeout(240_000);
  let two: TwoInstallations;
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("keep the class and its issuer until no RoutedIP of either namespace uses them", async () => {
    await share();
    await made.ready("a");
    await deleteShared();
    await two.staysAsItIs("the two do not overwrite each other");
    expect(made.condition("a", "Ready")).to.equal("True/Observed");
    made.world.kubernetes.delete(made.refTo("a"));
    await areGone();
  });

  it("both have RoutedIPs that use them, and one of the two writes the status until it is done with them", async () => {
    await share();
    two.addTo("teamb", "b");
    await made.until("both keep both", () => SHARED.every((ref) => two.finalizersOf(ref).length === 2));
    await deleteShared();
    await two.staysAsItIs("the two do not overwrite each other");
    expect(made.firewall()?.ports).to.deep.equal(["443"]);
    made.world.kubernetes.delete(made.refTo("a"));
    await waitFor("teamb/b");
    await two.staysAsItIs("the other one has taken over");
    made.world.kubernetes.delete({ ...made.refTo("b"), namespace: "teamb" });
    await areGone();
  });

  it("do not overwrite what the one says whose RoutedIPs use a class with an issuer that the other one does not see", async () => {
    await share("teamb");
    await made.ready("a");
    await two.staysAsItIs("a is served");
    expect(two.says(CLASS)).to.contain('"reason":"Observed"');
  });

  it("do not overwrite what the one says that sees the issuer, before any RoutedIP uses the class", async () => {
    await share("teamb");
    made.world.kubernetes.delete(made.refTo("a"));
    await made.until("no installation keeps the class", () => two.finalizersOf(CLASS).length === 0);
    await made.until("it is accepted", () => two.says(CLASS).includes('"type":"Accepted","status":"True"'));
    await two.staysAsItIs("unused");
    expect(two.says(CLASS)).to.contain('"type":"Accepted","status":"True"');
  });

  /** RoutedIP `a` uses the class. @param issuersOfB where `flipop-b` reads issuers. */
  async function share(issuersOfB = "shared"): Promise<void> {
    two = await TwoInstallations.create({ issuersOfB });
    made = two.made;
    two.addTo("default", "a");
    made.serve({ node: "n1" });
  }

  async function deleteShared(): Promise<void> {
    for (const ref of SHARED) made.world.kubernetes.delete(ref);
    await made.until("both wait", () => SHARED.every((ref) => two.says(ref).includes("1 RoutedIP uses it")));
  }

  function waitFor(user: string): Promise<void> {
    return made.until(`both wait for ${user}`, () =>
      SHARED.every((ref) => two.says(ref).includes(`1 RoutedIP uses it (${user})`)),
    );
  }

  async function areGone(): Promise<void> {
    await made.until("both are gone", () => SHARED.every((ref) => made.world.kubernetes.get(ref) === undefined));
    expect(made.firewall(), "the last one deletes the firewall that was created for the issuer").to.equal(undefined);
  }
});
