import { expect } from "chai";
import { skip } from "flipop-testbed";
import { it } from "mocha";
import { type AddressBench, ASKER } from "./benches.js";
import { refused } from "./refused.js";

/** What a provider of addresses reports of the machines that hold them. */
export function machineContract(name: string, start: () => Promise<AddressBench>): void {
  it("shows whether a machine is off, in one call, if the API has that", async function () {
    const bench = await start();
    const { provider, switchOff } = bench;
    if (provider.machineState === undefined || switchOff === undefined)
      return skip(this, `${name}: it does not show the state of machines`);
    const stateOf = (machine: string) => bench.drive(Promise.resolve(provider.machineState?.(ASKER, machine)));
    const [node, other, removed] = [bench.addNode(), bench.addNode(), bench.addNode()];
    bench.removeNode(removed);
    expect(await stateOf(node)).to.equal("on");
    switchOff(node);
    const before = bench.calls();
    expect(await stateOf(node)).to.equal("off");
    expect(bench.calls() - before).to.equal(1);
    expect(await stateOf(other)).to.equal("on");
    expect(await stateOf(removed), "no such machine").to.equal(undefined);
  });

  it("does not guess the state of a machine when the account refuses the token", async function () {
    const bench = await start();
    const { provider } = bench;
    if (provider.machineState === undefined) return skip(this, `${name}: it does not show the state of machines`);
    const node = bench.addNode();
    bench.revokeToken();
    await refused(bench.drive(Promise.resolve(provider.machineState(ASKER, node))), { kind: "Unauthorized" });
  });
}
