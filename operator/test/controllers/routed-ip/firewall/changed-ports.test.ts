import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../routed-world.js";

describe("operator in process: the ports at which clients reach a RoutedIP", function () {
  this.timeout(60_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  const service = { apiVersion: "v1", kind: "Service", name: "web", namespace: "default" };
  const withNodePort = (nodePort: number) => ({
    ...{ type: "NodePort", selector: { app: "web" } },
    ports: [{ name: "https", port: 443, targetPort: 8443, nodePort, protocol: "TCP" }],
  });
  const notes = () => made.world.events("PortsChanged").map((event) => `${event["note"] ?? event["message"]}`);

  it("have an Event once they change, not at first, and none again after a restart", async () => {
    made = await RoutedWorld.create(["n1"]);
    made.world.kubernetes.change(service, (object) => ({ ...object, spec: { ...withNodePort(31_443) } }));
    made.addIssuer();
    made.addRouted("a");
    made.serveAs("web", "n1");
    const first = made.world.start();
    await made.ready("a", 15_000);
    expect(notes(), "the first ports").to.deep.equal([]);
    made.world.kubernetes.delete(service);
    await made.until(
      "the Service is missing",
      () => made.condition("a", "Accepted").endsWith("ServiceNotFound"),
      15_000,
    );
    made.addService("web", withNodePort(30_426));
    const changed = ["clients reach the Service of the RoutedIP at 30426/TCP now, formerly at 31443/TCP"];
    await made.until("the change is reported", () => notes().length > 0, 15_000);
    await first.stop();
    made.world.start();
    await made.world.rest();
    await made.ready("a");
    expect(notes()).to.deep.equal(changed);
  });

  it("of the former Service do not count as those of the Service that the spec names now", async () => {
    made = await RoutedWorld.create(["n1"]);
    made.world.kubernetes.change(service, (object) => ({ ...object, spec: { ...withNodePort(31_443) } }));
    made.addService("other", withNodePort(30_426));
    for (const name of ["web", "other"]) made.serveAs(name, "n1");
    made.addIssuer();
    made.addRouted("a");
    made.world.start();
    await made.ready("a", 15_000);
    made.world.kubernetes.change(made.refTo("a"), (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), serviceRef: { serviceName: "other" } },
    }));
    await made.until("the change is reported", () => notes().length > 0, 15_000);
    expect(notes()).to.deep.equal([
      "clients reach the Service of the RoutedIP at 30426/TCP now, formerly at 31443/TCP",
    ]);
  });
});
