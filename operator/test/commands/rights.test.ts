import { Chart, Testing } from "cdk8s";
import { FlipopOperator } from "cdk8s-flipop";
import { API_GROUP, GROUP_VERSION, LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { type AllowRule, type Emulator, type FaultRequest, startEmulator } from "flipop-sandbox/kubernetes";
import { after, before, describe, it } from "mocha";
import { microTime } from "../../src/clock.js";
import { Flipop } from "./flipop.js";

const READ = ["get", "list", "watch"];
/** What Kubernetes' own ClusterRole "view" allows of that which the commands read. */
const BUILT_IN_VIEW: readonly AllowRule[] = [
  { apiGroups: [""], resources: ["pods", "pods/log", "services"], verbs: READ },
  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: READ },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: READ },
  { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: READ },
];

function rulesOf(role: "viewClusterRole" | "onCallRole"): readonly AllowRule[] {
  const operator = new FlipopOperator(new Chart(Testing.app(), "flipop"), "operator");
  return (operator[role].toJson() as { readonly rules: readonly AllowRule[] }).rules;
}

/** Each right in one line, such as `list nodes`, with the name of the object that it is limited to. */
function linesOf({ verbs, resources, resourceNames = [""] }: AllowRule): readonly string[] {
  return resources.flatMap((resource) =>
    verbs.flatMap((verb) => resourceNames.map((name) => `${verb} ${resource} ${name}`.trim())),
  );
}

describe("the rights of people for the commands", () => {
  let kubernetes: Emulator;
  let cloud: DigitalOceanSimulator;

  before(async () => {
    kubernetes = await startEmulator();
    cloud = await startDigitalOceanSimulator();
    for (const name of ["flipop", "ingress"])
      kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } };
    kubernetes.create({ ...node, spec: { providerID: `digitalocean://${cloud.state.addDroplet().id}` } });
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: LEASE_NAME, namespace: "flipop" },
    };
    kubernetes.create({
      ...lease,
      spec: { holderIdentity: "a", renewTime: microTime(Date.now()), leaseDurationSeconds: 15 },
    });
    kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", metadata: { name: "web", namespace: "ingress" } },
      spec: {
        provider: "digitalocean",
        region: "nyc3",
        desiredIPs: 1,
        match: { podNamespace: "ingress", podLabel: "app=web" },
      },
    });
    kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "RoutedIP", metadata: { name: "game", namespace: "ingress" } },
      spec: { serviceRef: { serviceName: "game" }, issuerRef: { name: "do" } },
    });
  });

  after(async () => {
    kubernetes.setFaults(undefined);
    await kubernetes.close();
    await cloud.close();
  });

  /** Runs the commands with these rules; resolves with the rights that they used, and the output of those that lacked one. */
  async function rightsUsed(rules: readonly AllowRule[], commands: readonly (readonly string[])[]) {
    const token = kubernetes.addIdentity("person", rules);
    const used = new Set<string>();
    kubernetes.setFaults(({ target, query, headers }: FaultRequest) => {
      if (target === undefined || headers["authorization"] !== `Bearer ${token}`) return undefined;
      const { verb, plural, subresource } = target;
      const name = target.name ?? /^metadata\.name=(.*)$/.exec(query.get("fieldSelector") ?? "")?.[1] ?? "";
      used.add(
        `${verb} ${subresource === undefined ? plural : `${plural}/${subresource}`} ${plural === "leases" ? name : ""}`.trim(),
      );
      return undefined;
    });
    const env = { DIGITALOCEAN_ACCESS_TOKEN: cloud.token, DIGITALOCEAN_API_URL: cloud.url };
    const flipop = new Flipop(kubernetes.kubeconfig(token), env);
    const refused: string[] = [];
    for (const command of commands) {
      const { out, err } = await flipop.run(...command);
      if (/cannot (list|get|watch|patch)/.test(out + err)) refused.push(`${command.join(" ")}: ${out}${err}`);
    }
    flipop.close();
    return { used: [...used].sort(), refused };
  }

  it("are in ClusterRole view, with flipop-view in it, for those that only read; and flipop-view has no other", async () => {
    const own = rulesOf("viewClusterRole");
    const { used, refused } = await rightsUsed(
      [...BUILT_IN_VIEW, ...own],
      [
        ["status"],
        ["explain", "pool/web", "-n", "ingress"],
        ["explain", "routedip/game", "-n", "ingress"],
        ["explain", "node/node-1"],
        ["doctor"],
        ["migrate", "check"],
        ["migrate", "back"],
        ["migrate", "addresses"],
        ["migrate", "names"],
        ["orphans"],
        ["bundle", "folder"],
      ],
    );
    expect(refused).to.deep.equal([]);
    // People also get and watch the five kinds with kubectl.
    const beside = own.filter(({ apiGroups }) => !apiGroups.includes(API_GROUP)).flatMap(linesOf);
    expect(beside.filter((right) => !used.includes(right))).to.deep.equal([]);
  });

  it("are in Role flipop-on-call for stop and resume, and that has no other", async () => {
    const own = rulesOf("onCallRole");
    const { used, refused } = await rightsUsed(own, [["stop", "a test"], ["resume"]]);
    expect({ used, refused }).to.deep.equal({ used: own.flatMap(linesOf).sort(), refused: [] });
  });

  it("are in flipop-view and in patch of the pool for adopt", async () => {
    const patch = { apiGroups: [API_GROUP], resources: ["floatingippools"], verbs: ["patch"] };
    const { refused } = await rightsUsed(
      [...rulesOf("viewClusterRole"), patch],
      [["adopt", "203.0.113.7", "pool/web", "-n", "ingress"]],
    );
    expect(refused).to.deep.equal([]);
  });

  it("are in flipop-view alone for status, and doctor says which check it could not make", async () => {
    const own = rulesOf("viewClusterRole");
    expect((await rightsUsed(own, [["status"]])).refused).to.deep.equal([]);
    expect((await rightsUsed(own, [["doctor"]])).refused.join()).to.match(/network policy +unknown .* cannot list/);
  });
});
