import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../routed-world.js";

describe("operator in process: the port of a node that an address leaves for pods with another port", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  for (const isRefused of [false, true]) {
    it(`stays open until the address has left${isRefused ? ", also if a try to move it fails" : ""}`, async () => {
      made = await RoutedWorld.create(["n1", "n2"]);
      const ip = await made.readyOnFirst();
      const { digitalocean, kubernetes } = made.world;
      const [n1, n2] = [made.world.droplet("n1").id, made.world.droplet("n2").id];
      if (isRefused) digitalocean.state.failActions({ dropletId: n2, times: 1 });
      const closed: string[] = [];
      const end = digitalocean.journal.subscribe(({ method, path }) => {
        const { nodes = [], ports = [] } = made.firewall() ?? {};
        const isOpen = nodes.includes("n1") && ports.includes("443");
        if (digitalocean.state.address(ip).dropletId === n1 && !isOpen) closed.push(`${method} ${path}`);
      });
      made.addPod("n2", 8443);
      // As where the Service selects other pods: those on n1 still answer.
      kubernetes.change({ apiVersion: "v1", kind: "Pod", namespace: "default", name: "web-n1" }, (object) => ({
        ...object,
        metadata: { ...(object.metadata as object), labels: { app: "former" } },
      }));
      const slice = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", namespace: "default", name: "web-1" };
      const conditions = { ready: true, serving: true, terminating: false };
      const endpoints = [{ addresses: ["10.244.0.2"], nodeName: "n2", conditions }];
      kubernetes.change(slice, (object) => ({ ...object, endpoints }));
      await made.until("moved", () => made.nodeOf("a") === "n2");
      await made.until("no more than needed is open", () => {
        const { nodes = [], ports = [] } = made.firewall() ?? {};
        return nodes.join() === "n2" && ports.join() === "8443";
      });
      end();
      expect(closed).to.deep.equal([]);
    });
  }
});
