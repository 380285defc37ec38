import {
  Annotation,
  customResourceDefinitions,
  EXTERNAL_DNS,
  type FeatureName,
  GROUP_VERSION,
  LOAD_BALANCER_CLASS,
} from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { ENDPOINT_DEFINITION } from "../../support/kube/endpoint-definition.js";
import { GATEWAY_DEFINITION } from "../../support/kube/gateway-definition.js";
import { JOB_NAMESPACE, JOB_SPEC, JobPlatform } from "../jobs/platform.js";
import { runKubelet } from "../kubelets.js";
import type { World } from "../world.js";
import { UsedRights } from "./used-rights.js";

const MATCH = { podNamespace: "default", podLabel: "app=web" };
const OF_ISSUER = { issuerRef: { name: "do" } };
const ANY = ["0.0.0.0/0"];
const JOB_LABEL = "flipop.digitalocean.com/job";
const RECORD = {
  provider: "digitalocean",
  zone: "example.com",
  recordName: "nodes",
  deletionPolicy: "Delete",
} as const;

interface Scene {
  readonly features: readonly FeatureName[];
  readonly flags?: Readonly<Record<string, string>>;
  /** @returns what changes something, again and again */
  prepare(made: RoutedWorld): (step: number) => void;
}

function create({ kubernetes }: World, kind: string, name: string, spec: object): void {
  const metadata = { name, ...(kind === "ClusterRoutedIPClass" ? {} : { namespace: "default" }) };
  kubernetes.create({ apiVersion: GROUP_VERSION, kind, metadata, spec });
}

/** A pod comes and goes. */
function podsOf(made: RoutedWorld): (step: number) => void {
  made.addPod("n1");
  return (step) => (step % 2 === 0 ? made.removePod("n1") : made.addPod("n1"));
}

/** The Service's endpoint goes to another node and back. */
function moves(made: RoutedWorld): (step: number) => void {
  made.serve({ node: "n1" });
  return (step) => made.serve({ node: step % 2 === 0 ? "n2" : "n1" });
}

const SCENES: readonly Scene[] = [
  {
    features: ["pools"],
    prepare: (made) => {
      made.world.addPool("web", { ips: made.world.addAddresses(1), match: MATCH, dnsRecordSet: RECORD });
      return podsOf(made);
    },
  },
  {
    features: ["dns"],
    prepare: (made) => {
      create(made.world, "NodeDNSRecordSet", "nodes", {
        match: MATCH,
        addressType: "ExternalIP",
        dnsRecordSet: RECORD,
      });
      return podsOf(made);
    },
  },
  {
    features: ["routedip"],
    prepare: (made) => {
      made.addIssuer();
      create(made.world, "ClusterRoutedIPClass", "any", {
        issuerRef: { ...OF_ISSUER.issuerRef, namespace: "default" },
        allowedAddresses: ANY,
      });
      made.addRouted("a", { routedIP: made.world.addAddresses(1)[0] ?? "", className: "any" });
      return moves(made);
    },
  },
  {
    features: ["routedip", "jobs"],
    flags: { "job-namespaces": JOB_NAMESPACE },
    prepare: (made) => {
      const platform = new JobPlatform(made.world);
      platform.cannotStart = "no such Secret";
      const account = { metadata: { name: "worker", namespace: JOB_NAMESPACE, labels: { [JOB_LABEL]: "true" } } };
      made.world.kubernetes.create({ apiVersion: "v1", kind: "ServiceAccount", ...account });
      const { template } = JOB_SPEC;
      const updateRoutedIP = { template: { spec: { ...template.spec, serviceAccountName: "worker" } } };
      create(made.world, "ClusterRoutedIPClass", "rack", { updateRoutedIP, allowedAddresses: ANY });
      made.addIssuer();
      made.addRouted("a", { routedIP: "192.0.2.1", className: "rack" });
      made.addRouted("b", { routedIP: made.world.addAddresses(1)[0] ?? "", ...OF_ISSUER });
      const move = moves(made);
      return (step) => {
        if (step > 2) move(step);
        if (step !== 1) return;
        platform.cannotStart = undefined;
        platform.extend();
      };
    },
  },
  {
    features: ["pools", "healthchecks"],
    flags: { "witness-bind-addr": "127.0.0.1:0", "node-name": "n2" },
    prepare: (made) => {
      for (const name of ["n1", "n2"]) runKubelet(made.world, name);
      const healthCheck = { type: "TCP", port: 80 } as const;
      made.world.addPool("web", { ips: made.world.addAddresses(1), match: MATCH, healthCheck, dnsRecordSet: RECORD });
      return podsOf(made);
    },
  },
  {
    features: ["pools", "externaldns"],
    prepare: (made) => {
      const dnsRecordSet = { ...RECORD, provider: EXTERNAL_DNS };
      made.world.addPool("web", { ips: made.world.addAddresses(1), match: MATCH, dnsRecordSet });
      const pods = podsOf(made);
      return (step) => {
        pods(step);
        if (step === 3) made.world.edit("web", { dnsRecordSet: { ...dnsRecordSet, ttl: 300 } });
        if (step === 6) made.world.kubernetes.delete(made.world.refTo("web"));
      };
    },
  },
  {
    features: ["pools", "publish"],
    prepare: (made) => {
      made.addService("shown", { type: "LoadBalancer", loadBalancerClass: LOAD_BALANCER_CLASS });
      const metadata = { name: "edge", namespace: "default", annotations: { [Annotation.publishAddresses]: "true" } };
      const gateway = { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", metadata };
      made.world.kubernetes.create({ ...gateway, spec: { gatewayClassName: "any" } });
      const publishTo = [
        { kind: "Service", name: "shown" },
        { kind: "Gateway", name: "edge" },
      ] as const;
      made.world.addPool("web", { ips: made.world.addAddresses(1), match: MATCH, publishTo, dnsRecordSet: RECORD });
      return podsOf(made);
    },
  },
];

describe("operator in process: rights", function () {
  this.timeout(240_000);

  for (const { features, flags, prepare } of SCENES) {
    it(`are all in use, and suffice, with ${features.join(" and ")}`, async () => {
      const lease = { "leader-elect": "true", features: features.join() };
      const definitions = [...customResourceDefinitions(), GATEWAY_DEFINITION, ENDPOINT_DEFINITION];
      const made = await RoutedWorld.create(["n1", "n2"], { speed: 100, definitions, flags: { ...lease, ...flags } });
      try {
        const stir = prepare(made);
        const rights = new UsedRights(made.world, features);
        for (let replica = 0; replica < 2; replica++) made.world.start({}, { token: rights.token });
        await rights.all(stir);
        expect({ unused: rights.unused, missing: rights.missing }).to.deep.equal({ unused: [], missing: [] });
      } finally {
        await made.close();
      }
    });
  }
});
