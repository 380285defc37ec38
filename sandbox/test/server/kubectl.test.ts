import { expect } from "chai";
import { describe, it } from "mocha";
import type { Emulator } from "../../src/kubernetes/index.js";
import { cells, failure, useKubectl } from "./kubectl.js";

const POOL = `
apiVersion: flipop.digitalocean.com/v1alpha1
kind: FloatingIPPool
metadata:
  name: edge
spec:
  provider: digitalocean
  region: nyc1
  ips: ["192.0.2.1"]
  match:
    nodeLabel: role=edge
`;

const GENERIC = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: example.invalid/web }] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: "flipop:reader" }
rules: [{ apiGroups: [""], resources: [nodes], verbs: [get] }]
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { a: b }
`;

describe("kubectl on the emulator", () => {
  const { emulator, kubectl } = useKubectl(seed);

  it("gets nodes as a table", async () => {
    const [head, first, second] = cells(await kubectl("get nodes"));
    expect(head).to.deep.equal(["NAME", "STATUS", "ROLES", "AGE", "VERSION"]);
    expect([first?.[0], first?.[1], second?.[1]]).to.deep.equal(["node-a", "Ready", "NotReady"]);
  });
  it("gets pods of all namespaces with wide columns", async () => {
    const output = await kubectl("get pods --all-namespaces --output wide");
    expect(output).to.match(/default\s+pod-a\s+0\/1\s+Running\s+0\s+\d+s\s+10\.244\.0\.1\s+node-a/);
  });
  it("applies a pool, twice", async () => {
    expect(await kubectl("apply -f -", POOL)).to.contain("floatingippool.flipop.digitalocean.com/edge created");
    expect(await kubectl("apply -f -", POOL)).to.contain("floatingippool.flipop.digitalocean.com/edge unchanged");
    expect(await kubectl("apply -f -", POOL.replace("nyc1", "nyc3"))).to.contain("edge configured");
  });
  it("applies built-in kinds, twice", async () => {
    await kubectl("apply -f -", GENERIC);
    const output = await kubectl("apply -f -", GENERIC.replace("a: b", "a: c"));
    expect(output)
      .to.contain("configmap/settings configured")
      .and.contain("clusterrole.rbac.authorization.k8s.io/flipop:reader unchanged");
    expect(output).to.contain("deployment.apps/web unchanged");
  });
  it("applies on the server: creates, changes and removes what the file contains no longer", async () => {
    const pool = POOL.replace("name: edge", "name: applied");
    expect(await kubectl("apply --server-side -f -", pool)).to.contain("/applied serverside-applied");
    await kubectl("apply --server-side -f -", `${pool}  gracePeriodSeconds: 9\n`);
    await kubectl("apply --server-side -f -", pool);
    expect(await kubectl("get fip applied -o jsonpath={.spec}")).to.contain('"gracePeriodSeconds":0');
    await kubectl("delete fip applied");
    const typo = GENERIC.replace("  selector:", "  replica: 2\n  selector:");
    const refusal = await failure(kubectl("apply --server-side -f -", typo));
    expect(refusal).to.contain(".spec.replica: field not declared in schema");
  });
  it("refuses a typing mistake before it is applied", async () => {
    const typo = await failure(kubectl("apply -f -", GENERIC.replace("  selector:", "  replica: 2\n  selector:")));
    expect(typo).to.contain('unknown field "spec.replica"');
    const refusal = await failure(kubectl("apply -f -", POOL.replace("region:", "regoin:")));
    expect(refusal).to.contain('unknown field "spec.regoin"');
  });
  it("shows what a rule refuses", async () => {
    const refusal = await failure(kubectl("apply -f -", POOL.replace("192.0.2.1", "somewhere")));
    expect(refusal).to.contain('"somewhere" is not an IP address');
  });
  it("gets pools by short name, as table, YAML and JSONPath", async () => {
    expect(cells(await kubectl("get fip"))[1]?.[0]).to.equal("edge");
    expect(await kubectl("get fip edge -o yaml"))
      .to.contain("kind: FloatingIPPool")
      .and.contain("nodeLabel: role=edge");
    expect(await kubectl("get fip edge -o jsonpath={.spec.provider}")).to.equal("digitalocean");
  });
  it("gets a category", async () => {
    expect(await kubectl("get flipop")).to.contain("edge");
  });
  it("describes a pool with its events", async () => {
    const { metadata } = emulator().list("flipop.digitalocean.com/v1alpha1", "FloatingIPPool")[0] ?? {};
    emulator().create({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: "edge.1", namespace: "default" },
      eventTime: new Date().toISOString().replace("Z", "000Z"),
      ...{ reportingController: "flipop", reportingInstance: "flipop-0", action: "Assign", reason: "Assigned" },
      ...{ type: "Normal", note: "assigned 192.0.2.1 to node-a" },
      regarding: { kind: "FloatingIPPool", namespace: "default", name: "edge", uid: metadata?.uid },
    });
    const output = await kubectl("describe fip edge");
    expect(output).to.contain("Node Label:").and.contain("assigned 192.0.2.1 to node-a");
    expect(await kubectl("get events --sort-by=.lastTimestamp")).to.contain("assigned 192.0.2.1 to node-a");
  });
  it("describes a node with its pods", async () => {
    const output = await kubectl("describe node node-a");
    expect(output)
      .to.match(/Name:\s+node-a/)
      .and.contain("pod-a")
      .and.contain("InternalIP:");
  });
  it("asks for the server's version", async () => {
    expect(await kubectl("get --raw /version/")).to.contain('"gitVersion":"v1.35.4"');
    expect(await kubectl("version")).to.match(/Server Version: v1\.35\.4/);
  });
  it("creates workloads and rights, which it sends as protobuf", async () => {
    await kubectl("create deployment two --image=example.invalid/web --replicas=2 --port=8080");
    await kubectl("create job once --image=example.invalid/job -- sleep 60");
    await kubectl("create role reader --verb=get,list --resource=pods");
    await kubectl("create rolebinding readers --role=reader --serviceaccount=default:default");
    await kubectl("create poddisruptionbudget two --selector=app=two --min-available=50%");
    const spec = { apiVersion: "apps/v1", kind: "Deployment", name: "two", namespace: "default" };
    const deployment = emulator().get(spec)?.["spec"] as { template: { spec: { containers: object[] } } };
    expect(deployment).to.include({ replicas: 2 });
    expect(deployment.template.spec.containers[0]).to.deep.include({
      image: "example.invalid/web",
      ports: [{ containerPort: 8080, protocol: "TCP" }],
    });
    expect(await kubectl("get job once -o jsonpath={.spec.template.spec.containers[0].command}")).to.equal(
      '["sleep","60"]',
    );
    expect(await kubectl("get role reader -o jsonpath={.rules[0].verbs}")).to.equal('["get","list"]');
    expect(await kubectl("get rolebinding readers -o jsonpath={.subjects[0].kind}")).to.equal("ServiceAccount");
    expect(await kubectl("get pdb two -o jsonpath={.spec.minAvailable}")).to.equal("50%");
  });
  it("scales a Deployment", async () => {
    expect(await kubectl("scale deployment two --replicas=5")).to.contain("deployment.apps/two scaled");
    expect(await kubectl("get deployment two -o jsonpath={.spec.replicas}")).to.equal("5");
    const refusal = await failure(kubectl("scale deployment two --current-replicas=2 --replicas=1"));
    expect(refusal).to.contain("Expected replicas to be 2, was 5");
  });
  it("labels and annotates pools and nodes", async () => {
    await kubectl("label fip edge team=net");
    await kubectl("annotate node node-a note=here");
    expect(await kubectl("get fip -l team=net -o name")).to.equal("floatingippool.flipop.digitalocean.com/edge\n");
    expect(await kubectl("get node node-a -o jsonpath={.metadata.annotations.note}")).to.equal("here");
  });
  it("taints a node and takes the taint off", async () => {
    await kubectl("taint node node-a maintenance=soon:NoSchedule");
    expect(await kubectl("get node node-a -o jsonpath={.spec.taints[*].key}")).to.contain("maintenance");
    await kubectl("taint node node-a maintenance:NoSchedule-");
    expect(await kubectl("get node node-a -o jsonpath={.spec.taints[*].key}")).to.not.contain("maintenance");
  });
  it("cordons and uncordons a node", async () => {
    await kubectl("cordon node-a");
    expect(cells(await kubectl("get node node-a"))[1]?.[1]).to.equal("Ready,SchedulingDisabled");
    await kubectl("uncordon node-a");
    expect(cells(await kubectl("get node node-a"))[1]?.[1]).to.equal("Ready");
  });
  it("drains a node: its pods are evicted", async () => {
    expect(await kubectl("drain node-b --force --grace-period=0")).to.contain("node/node-b drained");
    expect(emulator().get({ apiVersion: "v1", kind: "Pod", name: "pod-b", namespace: "default" })).to.equal(undefined);
  });
  it("waits for a field and for a condition", async () => {
    expect(await kubectl("wait fip edge --for=jsonpath={.spec.provider}=digitalocean --timeout=5s")).to.contain(
      "condition met",
    );
    expect(await kubectl("wait node node-a --for=condition=Ready --timeout=5s")).to.contain("condition met");
  });
  it("watches", async () => {
    const watching = kubectl("get nodes --watch --output name --request-timeout=2s");
    expect(await watching).to.contain("node/node-a");
  });
  it("edits by patch", async () => {
    await kubectl('patch fip edge --type merge --patch {"spec":{"paused":true}}');
    expect(await kubectl("get fip edge -o jsonpath={.spec.paused}")).to.equal("true");
  });
  it("patches the status", async () => {
    await kubectl('patch fip edge --subresource status --type merge --patch {"status":{"error":"none"}}');
    expect(await kubectl("get fip edge -o jsonpath={.status.error}")).to.equal("none");
  });
  it("deletes a pool and waits for its end", async () => {
    expect(await kubectl("delete fip edge --timeout=5s")).to.contain("deleted");
    expect(await failure(kubectl("get fip edge"))).to.contain("not found");
  });
  it("creates and deletes a namespace with its content", async () => {
    await kubectl("create namespace short");
    await kubectl("create configmap inside -n short --from-literal=a=b");
    await kubectl("delete namespace short --timeout=5s");
    expect(await kubectl("get configmaps -n short")).to.contain("No resources found");
  });
  it("gets everything, and events", async () => {
    expect(await kubectl("get all"))
      .to.contain("pod/pod-a")
      .and.contain("deployment.apps/web");
    expect(await kubectl("get events")).to.contain("assigned 192.0.2.1 to node-a");
    expect(await kubectl("events")).to.contain("assigned 192.0.2.1 to node-a");
  });
  it("prints its version and the commands", async () => {
    expect(await kubectl("version")).to.contain("Server Version: v1.35.4");
    expect(await kubectl("auth can-i create pods")).to.equal("yes\n");
  });
});

function seed(emulator: Emulator): void {
  for (const [name, status] of [
    ["node-a", "True"],
    ["node-b", "False"],
  ]) {
    emulator.create({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { role: "edge" } },
      status: {
        addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
        conditions: [{ type: "Ready", status, reason: "Test", message: "" }],
      },
    });
  }
  for (const letter of ["a", "b"]) {
    emulator.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `pod-${letter}`, namespace: "default" },
      spec: { nodeName: `node-${letter}`, containers: [{ name: "main", image: "example.invalid/none" }] },
      status: { phase: "Running", podIP: "10.244.0.1", podIPs: [{ ip: "10.244.0.1" }] },
    });
  }
}
