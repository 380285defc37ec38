import { expect } from "chai";
import { describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const MANY = 200;
/** Machines that one firewall of the provider takes. */
const PER_FIREWALL = 10;
const FIREWALLS = Math.ceil(MANY / (PER_FIREWALL - 1));
const SPARE = "spare";
const IDLE_MINUTES = 5;
/** Three quarters of a minute on an idle machine. */
const LONGEST_MS = 600_000;

describe("operator in process: many RoutedIPs on shared firewalls", function () {
  this.timeout(900_000);

  it(`a change of one of ${MANY} costs calls for that one only`, async () => {
    const nodes = Array.from({ length: MANY }, (_, index) => `n${index}`);
    const made = await RoutedWorld.create([...nodes, SPARE], { quota: MANY });
    const { digitalocean, kubernetes } = made.world;
    try {
      for (let number = 0; number < FIREWALLS; number++) {
        made.addIssuer({ routedIPFirewallName: `ingress-${number}` }, "default", `issuer-${number}`);
      }
      const issuerOf = (index: number) => `issuer-${Math.floor(index / (PER_FIREWALL - 1))}`;
      for (const [index, node] of nodes.entries()) {
        made.addService(node, {
          ports: [{ port: 443, targetPort: 443, nodePort: 443, protocol: "TCP" }],
          type: "NodePort",
        });
        made.serveAs(node, node);
        const { ip } = digitalocean.state.addAddress();
        made.addRouted(`of-${node}`, {
          ...{ issuerRef: { name: issuerOf(index) }, serviceRef: { serviceName: node }, routedIP: ip },
        });
      }
      made.world.start();
      for (const node of nodes) await made.ready(`of-${node}`, LONGEST_MS);
      await made.world.rest();
      const after = digitalocean.journal.mark;
      const writes: string[] = [];
      kubernetes.setFaults(({ method, path }) => {
        if (method !== "GET") writes.push(`${method} ${path}`);
        return undefined;
      });
      made.serveAs("n3", SPARE);
      await made.until("moved", () => made.nodeOf("of-n3") === SPARE);
      await made.world.rest();
      const { routedIP: ip } = made.status("of-n3");
      const firewall = digitalocean.state.firewalls.byName("ingress-0")?.id;
      const calls = digitalocean.journal
        .calls({ mutating: true, after })
        .map(({ method, path }) => `${method} ${path}`);
      expect(calls).to.deep.equal([
        `POST /v2/firewalls/${firewall}/droplets`,
        `POST /v2/reserved_ips/${ip}/actions`,
        `DELETE /v2/firewalls/${firewall}/droplets`,
      ]);
      const read = digitalocean.journal
        .calls({ after })
        .filter(({ method, path }) => method === "GET" && path.includes("/reserved_ips/"));
      expect(
        read.every(({ path }) => path.includes(`${ip}`)),
        digitalocean.journal.text({ after }),
      ).to.equal(true);
      // The count of an Event that came again is written minutes later, whoever it is about; so is the lease.
      const written = writes.filter((write) => !/^PATCH .*\/events\/|\/leases\//.test(write));
      const others = written.filter((write) => !/\/(of-n3|n3|spare)(\/status)?$|^POST .*\/events$/.test(write));
      expect(others, "writes to other objects").to.deep.equal([]);
      expect(written.length, written.join("\n")).to.be.at.most(20);
      const idle = digitalocean.journal.mark;
      await made.world.clock.sleep(IDLE_MINUTES * 60_000);
      const lists = digitalocean.journal.count({ after: idle, on: /^GET \/v2\/firewalls/ });
      expect(lists, "one list serves all firewalls, twice a minute at most").to.be.at.most((IDLE_MINUTES + 1) * 2);
      expect(lists, "no firewall goes unread").to.be.at.least(IDLE_MINUTES - 1);
    } finally {
      await made.close();
    }
  });
});
