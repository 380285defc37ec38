import type { JsonObject } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import type { Manifest } from "../../e2e/support/install.js";
import { jobClass, routedIP } from "./resources.js";
import { PLANE, RoutedRig } from "./rig.js";

const NOTHING = { script: "true" };
const IP = "192.0.2.1";

interface Pod {
  readonly metadata: { readonly name: string; readonly creationTimestamp: string };
}

describe("a Job whose pod cannot start, on a real control plane", function () {
  this.timeout(180_000);
  let plane: ControlPlane;
  let rig: RoutedRig;

  before(async function () {
    plane = await controlPlaneOrSkip(this, PLANE);
    rig = await RoutedRig.create(plane);
    await rig.addService();
    await rig.addPod(await rig.addNode());
    await rig.start();
  });

  after(() => rig?.close());

  const pods = () => `/api/v1/namespaces/${rig.names.jobs}/pods`;

  /** A class whose pods have these fields, and a RoutedIP of the same name. */
  async function begin(name: string, pod: JsonObject, fields: JsonObject = {}): Promise<void> {
    const options = { assign: NOTHING, firewall: NOTHING, perNodeIpLimit: 100, firewallPostAllow: true };
    const [made] = jobClass(name, options);
    const { updateRoutedIP, ...spec } = (made as Manifest)["spec"] as { readonly updateRoutedIP: JobSpec };
    const template = { spec: { ...updateRoutedIP.template.spec, ...pod } };
    const changed = { ...spec, ...fields, updateRoutedIP: { ...updateRoutedIP, template } };
    await rig.add([{ ...(made as Manifest), spec: changed }]);
    await rig.add(routedIP(rig.names.team, name, { clusterClass: name }, { address: IP }));
  }

  async function end(name: string): Promise<void> {
    for (const kind of ["RoutedIP", "ClusterRoutedIPClass"]) await rig.delete(kind, name);
    for (const kind of ["RoutedIP", "ClusterRoutedIPClass"]) await rig.isGone(kind, name);
  }

  /** The pod of its Job, once the Job controller has created it. */
  async function podOf(name: string): Promise<string> {
    let found: Pod | undefined;
    await rig.until("the pod is there", async () => {
      const [job] = await rig.jobs(name);
      const selector = new URLSearchParams({
        labelSelector: `batch.kubernetes.io/controller-uid=${job?.metadata.uid}`,
      });
      found = job && (await rig.client.must.list<Pod>(`${pods()}?${selector}`))[0];
      return found !== undefined;
    });
    return found?.metadata.name ?? "";
  }

  /** As the scheduler and the kubelet write it. */
  async function say(pod: string, status: object): Promise<void> {
    await rig.client.must.patch(`${pods()}/${pod}/status`, { status });
  }

  async function reports(name: string, text: string): Promise<void> {
    await rig.until(`${name} reports "${text}"`, async () => {
      return (await rig.says("RoutedIP", name, "Accepted=False/JobRefused")).includes(text);
    });
  }

  it("because a Secret is missing: the message of the kubelet is in Accepted, and it starts with the Secret", async () => {
    await begin("unsecret", {}, { fromSecretsRef: [{ name: "late" }] });
    await podOf("unsecret");
    await reports("unsecret", "CreateContainerConfigError: cannot read secret");
    await rig.client.must.create(`/api/v1/namespaces/${rig.names.jobs}/secrets`, { metadata: { name: "late" } });
    await rig.ready("unsecret");
    await end("unsecret");
  });

  it("because its image cannot be pulled, which fails it after startDeadlineSeconds", async () => {
    // The stand-in for the kubelet leaves pods with a gate alone.
    await begin("imageless", { schedulingGates: [{ name: "example.com/test" }] }, { startDeadlineSeconds: 25 });
    const pod = await podOf("imageless");
    const waiting = { reason: "ImagePullBackOff", message: 'Back-off pulling image "registry.example/typo:1"' };
    const containerStatus = { name: "job", image: "x", imageID: "", ready: false, restartCount: 0, state: { waiting } };
    await say(pod, { containerStatuses: [containerStatus] });
    await reports("imageless", "ImagePullBackOff: Back-off pulling image");
    await rig.reports("imageless", "JobFailed", "did not start within 25 s");
    await rig.reports("imageless", "JobFailed", "ImagePullBackOff");
    await end("imageless");
  });

  it("because no node has room for it: the message of the scheduler is in Accepted", async () => {
    await begin("unscheduled", { schedulingGates: [{ name: "example.com/test" }] }, { startDeadlineSeconds: 20 });
    const pod = await podOf("unscheduled");
    const message = "0/3 nodes are available: 3 Insufficient cpu.";
    const unscheduled = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
    await say(pod, { conditions: [unscheduled] });
    await reports("unscheduled", `Unschedulable: ${message}`);
    await end("unscheduled");
  });

  it("because Pod Security refuses it: the class is not ready, and no Job is created", async () => {
    await begin("insecure", { securityContext: { runAsUser: 0 } });
    const message = await rig.says("ClusterRoutedIPClass", "insecure", "Accepted=False/JobRefused");
    expect(message).to.contain('violates PodSecurity "restricted');
    await rig.says("RoutedIP", "insecure", "Accepted=False/JobRefused");
    expect(await rig.jobs("insecure")).to.deep.equal([]);
    await end("insecure");
  });

  it("because Pod Security refuses it since the class was accepted: the message of the server is in Accepted", async () => {
    const path = `/api/v1/namespaces/${rig.names.jobs}`;
    const level = (enforce: string) =>
      rig.client.must.patch(path, { metadata: { labels: { "pod-security.kubernetes.io/enforce": enforce } } });
    await level("privileged");
    await begin("tightened", { securityContext: { runAsUser: 0 } }, { startDeadlineSeconds: 20 });
    await rig.says("ClusterRoutedIPClass", "tightened", "Ready=True");
    await rig.ready("tightened");
    await level("restricted");
    await rig.add(routedIP(rig.names.team, "late", { clusterClass: "tightened" }, { address: "192.0.2.2" }));
    await reports("late", "violates PodSecurity");
    await rig.delete("RoutedIP", "late");
    await rig.isGone("RoutedIP", "late");
    await end("tightened");
  });
});

interface JobSpec extends JsonObject {
  readonly template: { readonly spec: JsonObject };
}
