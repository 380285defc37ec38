import { GROUP_VERSION, type JsonObject } from "cdk8s-flipop/api";
import { expect } from "chai";
import type { ApiObject } from "flipop-sandbox/kubernetes";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "./routed-world.js";

const JOBS = "flipop-jobs";
const IP = "192.0.2.1";
const PURPOSE = "flipop.digitalocean.com/purpose";
/** The Job controller labels its pods so. */
const JOB_UID = "batch.kubernetes.io/controller-uid";
const JOB = { template: { spec: { containers: [{ name: "update", image: "example.invalid/update" }] } } };

describe("operator in process: changes of a class or a Service, and the Jobs of a class", function () {
  this.timeout(180_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  const addClass = (spec: object) =>
    made.world.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata: { name: "public" } },
      spec: { allowedAddresses: ["0.0.0.0/0"], ...spec },
    });
  const edit = (ref: Parameters<typeof made.world.kubernetes.change>[0], spec: object) =>
    made.world.kubernetes.change(ref, (object) => ({ ...object, spec: { ...(object["spec"] as object), ...spec } }));
  const classRef = { apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", name: "public" };

  it("a change of a class changes the taint and the rules of its RoutedIPs", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { ip } = made.world.digitalocean.state.addAddress();
    made.addIssuer();
    addClass({ issuerRef: { name: "do", namespace: "default" } });
    made.addRouted("a", { className: "public", routedIP: ip });
    made.serve({ node: "n1" });
    made.world.start();
    await made.ready("a");
    expect(made.firewall()?.ports).to.deep.equal(["443"]);
    edit(classRef, { electedNodeTaint: { key: "flipop.digitalocean.com/edge" }, nodePortRange: "400-500" });
    await made.until("the other taint", () => made.taints("n1").join() === "flipop.digitalocean.com/edge");
    await made.until("a port of the range needs no rule", () => made.firewall()?.ports.length === 0);
    await made.ready("a");
  });

  it("a change of a class reaches the taint of a holder that no longer serves, which may be what keeps its pod away", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { ip } = made.world.digitalocean.state.addAddress();
    made.addIssuer();
    addClass({ issuerRef: { name: "do", namespace: "default" }, electedNodeTaint: { effect: "NoSchedule" } });
    made.addRouted("a", { className: "public", routedIP: ip });
    made.serve({ node: "n1" });
    const pending = { phase: "Pending" };
    const effects = (name: string) => {
      const spec = made.world.kubernetes.get({ apiVersion: "v1", kind: "Node", name })?.["spec"];
      return (
        ((spec ?? {}) as { readonly taints?: readonly { effect: string }[] }).taints?.map(({ effect }) => effect) ?? []
      );
    };
    made.world.start();
    await made.ready("a");
    made.serve();
    made.world.kubernetes.create({
      ...{ apiVersion: "v1", kind: "Pod", status: pending },
      metadata: { name: "next", namespace: "default", labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "example.invalid/web" }] },
    });
    await made.until("no node serves", () => made.condition("a", "Assigned") === "False/NoCandidate");
    const message = () => made.status("a").conditions?.find(({ type }) => type === "Assigned")?.message;
    await made.until("the pod is named", () => message()?.includes("pod default/next is Pending") === true);
    expect(message())
      .to.include("repair pod default/next (kubectl -n default describe pod next")
      .and.include("no toleration for taint flipop.digitalocean.com/routed-ip (electedNodeTaint), add it")
      .and.include("or set effect PreferNoSchedule in the class: the taint keeps them off n1");
    edit(classRef, { electedNodeTaint: { effect: "PreferNoSchedule" } });
    await made.until("the softer taint", () => effects("n1").join() === "PreferNoSchedule");
    await made.until("no remedy that is done", () => message()?.includes("electedNodeTaint") === false);
  });

  it("a RoutedIP follows a Service that appears later, and another one that it names then", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    const [ip, bystander] = [1, 2].map(() => made.world.digitalocean.state.addAddress().ip) as [string, string];
    made.addIssuer({ routedIPFirewallName: undefined });
    for (const name of ["other", "third"]) made.addService(name);
    made.serveAs("later", "n1");
    made.addRouted("a", { routedIP: ip, serviceRef: { serviceName: "later" } });
    made.addRouted("b", { routedIP: bystander, serviceRef: { serviceName: "third" } });
    made.world.start();
    await made.until("not found", () => made.condition("a", "Accepted") === "False/ServiceNotFound");
    made.addService("later");
    await made.until("followed", () => made.nodeOf("a") === "n1");
    made.serveAs("other", "n2");
    edit(made.refTo("a"), { serviceRef: { serviceName: "other" } });
    await made.until("the other one is followed", () => made.nodeOf("a") === "n2");
    expect(made.world.holder(bystander), "no endpoint of its own Service").to.equal(undefined);
  });

  /** Those that are not being deleted. */
  const jobs = () =>
    made.world.kubernetes.list("batch/v1", "Job").filter(({ metadata }) => !metadata.deletionTimestamp);
  const purposes = () => jobs().map(({ metadata }) => metadata.labels?.[PURPOSE]);
  const env = (job: ApiObject | undefined, name: string) => {
    const spec = job?.["spec"] as { template: { spec: { containers: { env: { name: string; value: string }[] }[] } } };
    return spec.template.spec.containers[0]?.env.find((variable) => variable.name === name)?.value;
  };
  /** As the Job controller and the kubelet would. */
  const end = (job: ApiObject | undefined, type: "Complete" | "Failed") => {
    const { name = "", namespace = "" } = job?.metadata ?? {};
    const before = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
    const conditions = [before, type].map((each) => ({ type: each, status: "True" }));
    const startTime = new Date(made.world.clock.now()).toISOString();
    const times = type === "Complete" ? { startTime, completionTime: startTime } : { startTime };
    made.world.kubernetes.change(
      { apiVersion: "batch/v1", kind: "Job", name, namespace },
      (object) => ({ ...object, status: { conditions, ...times } as JsonObject }),
      "status",
    );
  };
  /** The pod of a Job, with its last words. */
  const addPodOf = (job: ApiObject | undefined, message: string) => {
    const { name = "", namespace = "", uid = "" } = job?.metadata ?? {};
    const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name, uid, controller: true }];
    const terminated = { exitCode: 1, message };
    made.world.kubernetes.create({
      ...{
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "of-job", namespace, labels: { [JOB_UID]: uid }, ownerReferences },
      },
      spec: { containers: JOB.template.spec.containers },
      status: { phase: "Failed", containerStatuses: [{ name: "update", state: { terminated } }] },
    });
    return { apiVersion: "v1", kind: "Pod", name: "of-job", namespace };
  };
  /** A pod of a Job that runs on. */
  const start = (job: ApiObject | undefined) => {
    const { name = "", namespace = "", uid = "", labels = {} } = job?.metadata ?? {};
    const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name, uid, controller: true }];
    const ref = { apiVersion: "v1", kind: "Pod", name, namespace };
    const metadata = { name, namespace, labels: { ...labels, [JOB_UID]: uid }, ownerReferences };
    made.world.kubernetes.create({ ...ref, metadata, spec: { containers: JOB.template.spec.containers } });
    made.world.kubernetes.change(ref, (object) => ({ ...object, status: { phase: "Running" } }), "status");
  };
  const theOnly = async (purpose: string): Promise<ApiObject | undefined> => {
    await made.until(`one Job to ${purpose}`, () => purposes().join() === purpose);
    return jobs()[0];
  };

  /** Three nodes, the youngest of which is full; a RoutedIP whose class works by Jobs. @returns the first Job. */
  const startJobs = async (): Promise<ApiObject | undefined> => {
    made = await RoutedWorld.create([], { flags: { features: "routedip,jobs" } });
    const { clock, kubernetes } = made.world;
    for (const name of ["n1", "n2", "n3"]) {
      made.addNode(name);
      // Times of creation are in whole seconds.
      await clock.sleep(2000);
    }
    // A pool's address counts.
    made.world.annotate("n3", { "flipop.digitalocean.com/ipv4-reserved-ip": "192.0.2.99" });
    kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: JOBS } });
    addClass({ updateRoutedIP: JOB, updateFirewall: JOB });
    made.addRouted("a", { className: "public", routedIP: IP });
    made.world.start();
    await made.until("no candidate", () => made.condition("a", "Assigned") === "False/NoCandidate");
    made.serve({ node: "n1" }, { node: "n2" }, { node: "n3" });
    const opens = await theOnly("firewall");
    const rules: unknown = JSON.parse(env(opens, "FIREWALL_RULES") ?? "");
    const elected = made.world.kubernetes.get({ apiVersion: "v1", kind: "Node", name: "n2" });
    const node = { name: "n2", providerID: (elected?.["spec"] as { readonly providerID?: string })?.providerID };
    expect(rules).to.deep.equal([{ protocol: "tcp", port: 443, nodes: [node] }]);
    end(opens, "Complete");
    return theOnly("assign");
  };

  it("a Job of the class opens the firewall; after it succeeds, the operator deletes it and a second Job assigns the address", async () => {
    const first = await startJobs();
    expect(first?.metadata.namespace).to.equal(JOBS);
    const [owner] = first?.metadata.ownerReferences ?? [];
    const { uid } = made.world.kubernetes.get(classRef)?.metadata ?? {};
    expect(owner).to.include({ kind: "ClusterRoutedIPClass", name: "public", uid });
    expect([env(first, "ROUTED_IP"), env(first, "NODE_NAME")]).to.deep.equal([IP, "n2"]);
    expect(made.taints("n2"), "before the assignment").to.have.length(1);
    end(first, "Complete");
    await made.ready("a");
    expect(made.status("a")).to.include({ assignedNode: "n2", routedIP: IP });
    await made.until("all are cleaned up", () => jobs().length === 0);
  });

  it("the operator reports a failed Job in an Event, deletes it with its pod and starts a new one", async () => {
    const first = await startJobs();
    const pod = addPodOf(first, "quota exceeded");
    end(first, "Failed");
    await made.until("the Event", () => JSON.stringify(made.world.events("JobFailed")).includes("quota exceeded"));
    await made.until("its pod went with it", () => made.world.kubernetes.get(pod) === undefined);
    const again = await theOnly("assign");
    expect(again?.metadata.uid).not.to.equal(first?.metadata.uid);
  });

  it("a Job that moves the address gets the previous node, and no other Job runs beside it", async () => {
    end(await startJobs(), "Complete");
    await made.ready("a");
    made.serve({ node: "n1" });
    end(await theOnly("firewall"), "Complete");
    const move = await theOnly("assign");
    expect([env(move, "NODE_NAME"), env(move, "PREVIOUS_NODE_NAME")]).to.deep.equal(["n1", "n2"]);
    start(move);
    made.serve({ node: "n3" });
    await made.world.rest();
    expect(
      purposes().filter((purpose) => purpose === "assign"),
      "one at a time",
    ).to.have.length(1);
    made.serve({ node: "n1" });
    end(move, "Complete");
    await made.until("a firewall Job", () => purposes().includes("firewall"));
    await made.until("the taint follows", () => made.taints("n2").length === 0 && made.taints("n1").length === 1);
  });
});
