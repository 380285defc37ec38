import { ApiObject, App, Chart } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import { FlipopOperator, FloatingIPPool, PodMatch } from "../../src";

/** How often the checks of an app render an object, which is most of their cost. */
function renderings(pools: number): number {
  const app = new App();
  new FlipopOperator(new Chart(app, "flipop"), "operator");
  const chart = new Chart(app, "web", { namespace: "web" });
  for (let index = 0; index < pools; index += 1) {
    const ips = [`45.55.${Math.floor(index / 256)}.${index % 256}`];
    new FloatingIPPool(chart, `pool-${index}`, { ips, pods: PodMatch.labels({ app: "web" }, { namespace: "web" }) });
  }
  const objects = app.node.findAll().filter((construct) => ApiObject.isApiObject(construct));
  let count = 0;
  for (const object of objects) {
    const render = object.toJson.bind(object);
    object.toJson = () => {
      count += 1;
      return render() as unknown;
    };
  }
  expect(app.node.findAll().flatMap(({ node }) => node.validate())).to.deep.equal([]);
  return count;
}

describe("the cost of the checks of an app", () => {
  it("is in proportion to the number of its resources", () => {
    const [few, many] = [renderings(20), renderings(220)];
    // Each of the 200 others is rendered once in a pass over the app.
    expect(many - few).to.equal(200);
  });
});
