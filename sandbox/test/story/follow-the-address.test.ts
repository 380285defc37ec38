import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { GROUP_VERSION, HOLDER_LABEL_PREFIX } from "cdk8s-flipop/api";
import { expect } from "chai";
import { silentLogger } from "flipop-operator/logging";
import { describe, it } from "mocha";
import { parse } from "yaml";
import { type Emulator, startEmulator } from "../../src/kubernetes/index.js";
import { objectsOf } from "../../src/simulate/app-objects.js";
import { scenarioOf } from "../../src/simulate/scenario-of.js";
import { Story } from "../../src/story/story.js";

const FOLDER = resolve(import.meta.dirname, "../../../docs/how-to/follow-the-address");
const PLAY_MS = 120_000;
const KEY = `${HOLDER_LABEL_PREFIX}fip.ingress.web`;

function recipe(name: string): object {
  return parse(readFileSync(resolve(FOLDER, name), "utf8")) as object;
}

const POOL = {
  ...{ apiVersion: GROUP_VERSION, kind: "FloatingIPPool" },
  metadata: { name: "web", namespace: "ingress" },
  spec: { provider: "digitalocean", region: "nyc3", desiredIPs: 1, holderLabel: true },
};

/** Names of the nodes with a pod of the recipe that is not terminating. */
function companions(kubernetes: Emulator): readonly string[] {
  const pods = kubernetes.list("v1", "Pod").filter(({ metadata }) => metadata.labels?.["app"] === "companion");
  const there = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return there.map(({ spec }) => (spec as { readonly nodeName: string }).nodeName);
}

/** The fields that Cilium requires and the patterns that it checks, as its CRD has them. */
const SELECTOR = {
  type: "object",
  properties: {
    matchLabels: {
      type: "object",
      additionalProperties: {
        type: "string",
        maxLength: 63,
        pattern: "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$",
      },
    },
  },
};
const CIDRS = { type: "array", items: { type: "string", pattern: "^[0-9.]+/([0-9]|[12][0-9]|3[0-2])$" } };
const POLICY_SPEC = {
  type: "object",
  required: ["destinationCIDRs", "egressGateway", "selectors"],
  properties: {
    destinationCIDRs: CIDRS,
    excludedCIDRs: CIDRS,
    egressGateway: {
      type: "object",
      required: ["nodeSelector"],
      properties: { egressIP: { type: "string" }, interface: { type: "string" }, nodeSelector: SELECTOR },
    },
    selectors: {
      type: "array",
      items: { type: "object", properties: { namespaceSelector: SELECTOR, podSelector: SELECTOR } },
    },
  },
};

const CILIUM = {
  ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
  metadata: { name: "ciliumegressgatewaypolicies.cilium.io" },
  spec: {
    group: "cilium.io",
    scope: "Cluster",
    names: { kind: "CiliumEgressGatewayPolicy", plural: "ciliumegressgatewaypolicies" },
    versions: [
      {
        ...{ name: "v2", served: true, storage: true },
        schema: { openAPIV3Schema: { type: "object", properties: { spec: POLICY_SPEC } } },
      },
    ],
  },
};

describe("the recipes of docs/how-to/follow-the-address", function () {
  this.timeout(PLAY_MS);

  it("run the pod of the DaemonSet on the holder, before and after a move", async () => {
    const daemonSet = recipe("daemonset.yaml");
    const { scenario, failure } = scenarioOf(objectsOf([POOL, daemonSet]), { fail: "holder of ingress/web" });
    const seen: string[] = [];
    const story = await Story.prepare({
      ...{ scenario, speed: 600, port: 0, logger: silentLogger, style: { width: 120, colours: false } },
      print: () => undefined,
      before: (step) => {
        if (step === failure) seen.push([story.aHolder, ...companions(story.stage.world.kubernetes)].join(" "));
      },
    });
    const { kubernetes } = story.stage.world;
    let most = 0;
    const end = story.stage.clock.onStep(() => {
      most = Math.max(most, companions(kubernetes).length);
    });
    try {
      expect(await story.play(new AbortController().signal)).to.equal(true);
      seen.push([story.aHolder, ...companions(kubernetes)].join(" "));
    } finally {
      end();
      await story.close();
    }
    expect(seen).to.deep.equal(["node-1 node-1", "node-2 node-2"]);
    expect(most, "pods at a time").to.equal(1);
  });

  it("are a policy that Cilium's CRD accepts, and that selects nodes with the label", async () => {
    const kubernetes = await startEmulator({ tls: false });
    try {
      kubernetes.create(CILIUM);
      const policy = recipe("cilium-egress-gateway-policy.yaml");
      const headers = { authorization: `Bearer ${kubernetes.adminToken}`, "content-type": "application/json" };
      const url = `${kubernetes.url}/apis/cilium.io/v2/ciliumegressgatewaypolicies?fieldValidation=Strict`;
      const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(policy) });
      expect(answer.status, await answer.text()).to.equal(201);
      const { egressGateway } = (policy as { readonly spec: { readonly egressGateway: object } }).spec;
      expect(egressGateway).to.deep.equal({ nodeSelector: { matchLabels: { [KEY]: "true" } } });
    } finally {
      await kubernetes.close();
    }
  });
});
