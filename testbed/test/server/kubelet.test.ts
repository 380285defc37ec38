import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import {
  type Client,
  type ControlPlane,
  controlPlaneOrSkip,
  eventually,
  Kubelet,
  type KubeObject,
} from "../../src/index.js";
import { isAlive } from "../support/processes.js";

interface ContainerStatus {
  readonly restartCount: number;
  readonly state: {
    readonly waiting?: { readonly reason: string };
    readonly running?: object;
    readonly terminated?: { readonly exitCode: number; readonly reason: string; readonly message?: string };
  };
}

interface PodObject extends KubeObject {
  readonly status: { readonly phase: string; readonly containerStatuses?: readonly ContainerStatus[] };
}

interface JobObject extends KubeObject {
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

interface JobOptions {
  readonly container?: object;
  readonly job?: object;
  readonly pod?: object;
}

describe("the stand-in for the kubelet", () => {
  let plane: ControlPlane;
  let client: Client;
  let namespace: string;
  let kubelet: Kubelet;
  let jobs = 0;

  before(async function () {
    plane = await controlPlaneOrSkip(this, { controllerManager: true });
    client = plane.client();
    namespace = await client.tempNamespace("kubelet");
    kubelet = await Kubelet.start(plane, {
      namespace,
      retryMs: 100,
      entrypoints: { "tool:1": ["/bin/echo", "entry"] },
    });
  });

  after(() => kubelet?.stop());

  it("runs a Job's command to its end, with variables and a termination message", async () => {
    await client.must.create(`/api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name: "s" },
      stringData: { TOKEN: "t0p", OTHER: "o" },
    });
    const script = 'printf "%s" "$A/$B/$X_OTHER/$POD/$1" > /dev/termination-log';
    const env = [
      { name: "A", value: "a" },
      { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "TOKEN" } } },
      { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    ];
    const envFrom = [{ prefix: "X_", secretRef: { name: "s" } }];
    const name = await createJob(script, { container: { env, envFrom, args: ["sh", "$(A)-arg"] } });
    await untilCondition(name, "Complete");
    const pod = await podOf(name);
    expect(pod.status.phase).to.equal("Succeeded");
    expect(terminated(pod)).to.include({ exitCode: 0, reason: "Completed", message: `a/t0p/o/${namespace}/a-arg` });
  });

  it("reports failure with the exit code, and the log if there is no message", async () => {
    const container = { terminationMessagePolicy: "FallbackToLogsOnError" };
    const name = await createJob("echo broken; exit 7", { container });
    await untilCondition(name, "Failed");
    expect(terminated(await podOf(name))).to.include({ exitCode: 7, reason: "Error", message: "broken" });
  });

  it("starts the entrypoint of an image, and shows its output", async () => {
    const name = await createJob("", { container: { image: "tool:1", command: undefined, args: ["words"] } });
    await untilCondition(name, "Complete");
    expect(await kubelet.logs((await podOf(name)).metadata.uid, "main")).to.equal("entry words\n");
  });

  it("fails a container that cannot be started", async () => {
    const name = await createJob("", { container: { command: undefined, args: undefined } });
    await untilCondition(name, "Failed");
    expect(terminated(await podOf(name))).to.include({ exitCode: 128, reason: "StartError" });
  });

  it("waits for a Secret that is missing", async () => {
    const name = await createJob("exit 0", { container: { envFrom: [{ secretRef: { name: "late" } }] } });
    const waiting = async () => (await findPod(name))?.status.containerStatuses?.[0]?.state.waiting?.reason;
    await eventually(async () => (await waiting()) === "CreateContainerConfigError", { what: "the pod to wait" });
    await client.must.create(`/api/v1/namespaces/${namespace}/secrets`, { metadata: { name: "late" } });
    await untilCondition(name, "Complete");
  });

  it("restarts a container when the pod says so", async () => {
    const script = "[ -e second ] && exit 0; touch second; exit 1";
    const name = await createJob(script, { pod: { restartPolicy: "OnFailure" } });
    await untilCondition(name, "Complete");
    expect((await podOf(name)).status.containerStatuses?.[0]?.restartCount).to.equal(1);
  });

  it("ends the process when the Job is deleted, with SIGTERM first", async () => {
    const name = await createJob('trap "exit 0" TERM; echo $$$$; while :; do sleep 0.1; done');
    const { pid, pod } = await runningProcess(name);
    await client.must.delete(`/apis/batch/v1/namespaces/${namespace}/jobs/${name}`, {
      propagationPolicy: "Background",
    });
    await eventually(async () => (await findPod(name)) === undefined, { what: "the pod to go" });
    expect(isAlive(pid)).to.equal(false);
    expect(pod.status.phase).to.equal("Running");
  });

  it("kills a process that ignores SIGTERM after the grace period", async () => {
    const script = 'trap "" TERM; echo $$$$; while :; do sleep 0.1; done';
    const name = await createJob(script, { pod: { terminationGracePeriodSeconds: 1 } });
    const { pid } = await runningProcess(name);
    await client.must.delete(`/apis/batch/v1/namespaces/${namespace}/jobs/${name}`, {
      propagationPolicy: "Background",
    });
    await eventually(() => !isAlive(pid), { what: "the process to end", timeoutMs: 10_000 });
    await eventually(async () => (await findPod(name)) === undefined, { what: "the pod to go" });
  });

  it("ends the process of a pod after a forced deletion", async () => {
    const name = await createJob("echo $$$$; sleep 300", { job: { backoffLimit: 0 } });
    const { pid, pod } = await runningProcess(name);
    await client.must.patch(podUrl(pod), { metadata: { finalizers: null } });
    await client.must.delete(podUrl(pod), { gracePeriodSeconds: 0 });
    await eventually(() => !isAlive(pid), { what: "the process to end" });
  });

  it("ends the process of a Job that has run out of time", async () => {
    const name = await createJob("echo $$$$; sleep 300", { job: { activeDeadlineSeconds: 2 } });
    const { pid } = await runningProcess(name);
    await untilCondition(name, "Failed");
    await eventually(() => !isAlive(pid), { what: "the process to end" });
  });

  it("continues after a restart of the API server", async () => {
    const running = await createJob('trap "exit 0" TERM; echo $$$$; while [ ! -e go ]; do sleep 0.1; done; exit 0');
    const { pid, pod } = await runningProcess(running);
    await plane.apiserver.restart();
    expect(isAlive(pid)).to.equal(true);
    const name = await createJob("exit 0");
    await untilCondition(name, "Complete");
    await client.must.delete(podUrl(pod));
    await eventually(() => !isAlive(pid), { what: "the process to end" });
  });

  it("ignores pods with a scheduling gate and pods without a Job", async () => {
    const gated = await createJob("exit 0", { pod: { schedulingGates: [{ name: "example.com/wait" }] } });
    const spec = { containers: [{ name: "c", image: "tool:1" }] };
    await client.must.create(`/api/v1/namespaces/${namespace}/pods`, { metadata: { name: "free" }, spec });
    await untilCondition(await createJob("exit 0"), "Complete");
    expect((await podOf(gated)).spec).not.to.have.property("nodeName");
    expect((await client.must.get(`/api/v1/namespaces/${namespace}/pods/free`)).spec).not.to.have.property("nodeName");
  });

  it("ends the processes with itself, and its successor reports them lost", async () => {
    const name = await createJob("echo $$$$; sleep 300");
    const { pid } = await runningProcess(name);
    await kubelet.stop();
    await eventually(() => !isAlive(pid), { what: "the process to end" });
    kubelet = await Kubelet.start(plane, { namespace });
    await untilCondition(name, "Failed");
    expect(terminated(await podOf(name))).to.include({ exitCode: 137, reason: "ContainerStatusUnknown" });
  });

  /** In the script, `$$` means `$`, as in every command of a pod. */
  async function createJob(script: string, { container, job, pod }: JobOptions = {}): Promise<string> {
    jobs += 1;
    const name = `job-${jobs}`;
    const main = { name: "main", image: "none:1", command: ["/bin/sh", "-c", script], ...container };
    const template = {
      spec: { restartPolicy: "Never", terminationGracePeriodSeconds: 20, containers: [main], ...pod },
    };
    const body = { metadata: { name }, spec: { backoffLimit: 0, template, ...job } };
    await client.must.create(`/apis/batch/v1/namespaces/${namespace}/jobs`, body);
    return name;
  }

  async function untilCondition(job: string, type: "Complete" | "Failed"): Promise<void> {
    const path = `/apis/batch/v1/namespaces/${namespace}/jobs/${job}`;
    const reached = async () => {
      const { conditions = [] } = (await client.must.get<JobObject>(path)).status;
      return conditions.some((condition) => condition.type === type && condition.status === "True");
    };
    await eventually(reached, { what: `${job} to be ${type}` });
  }

  async function findPod(job: string): Promise<PodObject | undefined> {
    const labelSelector = `batch.kubernetes.io/job-name=${job}`;
    const pods = await client.must.list<PodObject>(`/api/v1/namespaces/${namespace}/pods`, { labelSelector });
    return pods[0];
  }

  function podOf(job: string): Promise<PodObject> {
    return eventually(() => findPod(job), { what: `a pod of ${job}` });
  }

  /** The pod when it runs, and the process id that its script has printed. */
  async function runningProcess(job: string): Promise<{ pid: number; pod: PodObject }> {
    const running = async () => {
      const pod = await podOf(job);
      return pod.status.phase === "Running" && pod;
    };
    const pod = await eventually(running, { what: `${job} to run` });
    const printed = async () => Number(await kubelet.logs(pod.metadata.uid, "main")) || undefined;
    return { pod, pid: await eventually(printed, { what: `the process id of ${job}` }) };
  }

  function podUrl({ metadata }: PodObject): string {
    return `/api/v1/namespaces/${namespace}/pods/${metadata.name}`;
  }
});

function terminated(pod: PodObject) {
  return pod.status.containerStatuses?.[0]?.state.terminated;
}
