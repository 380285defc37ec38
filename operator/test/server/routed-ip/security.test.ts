import { readFile } from "node:fs/promises";
import { Agent } from "node:https";
import { HOLDER_LABEL_PREFIX } from "cdk8s-flipop/api";
import { expect } from "chai";
import { Client, type ControlPlane, controlPlaneOrSkip, type FakeNode } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { JOB_LABELS } from "../../../src/jobs/job.js";
import { issuer, issuerClass, jobClass, routedIP } from "./resources.js";
import { PLANE, RoutedRig } from "./rig.js";
import type { PodTemplate } from "./views.js";

/** An identity that no other test uses: it gets the built-in role "edit" in the team's namespace. */
const AUTHOR = "test-user-7";
const FORBIDDEN = 403;
const INVALID = 422;

describe("what each identity cannot do, on the real server", function () {
  this.timeout(180_000);
  let plane: ControlPlane;
  let rig: RoutedRig;
  let node: FakeNode;
  let second: FakeNode;
  let agent: Agent;
  let operator: Client;
  let author: Client;

  before(async function () {
    plane = await controlPlaneOrSkip(this, PLANE);
    rig = await RoutedRig.create(plane);
    node = await rig.addNode();
    await rig.addService();
    await rig.addPod(node);
    second = await rig.addNode();
    agent = new Agent({ keepAlive: true });
    const kubeconfig = JSON.parse(await readFile(rig.installed.kubeconfig, "utf8")) as {
      readonly users: readonly { readonly user: { readonly token: string } }[];
    };
    operator = new Client({ url: plane.url, ca: plane.caData, token: kubeconfig.users[0]?.user.token ?? "", agent });
    author = plane.client(AUTHOR);
    await rig.client.must.create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${rig.names.team}/rolebindings`, {
      metadata: { name: "author" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: AUTHOR }],
    });
    await rig.start();
  });

  after(async () => {
    await rig?.close();
    agent?.destroy();
  });

  describe("the operator", () => {
    it("reads no Secret outside of the issuers' namespaces", async () => {
      expect((await operator.list(`/api/v1/namespaces/${rig.names.team}/secrets`)).status).to.equal(200);
      for (const namespace of ["kube-system", "default", rig.names.other, rig.names.jobs, rig.installed.namespace]) {
        expect((await operator.list(`/api/v1/namespaces/${namespace}/secrets`)).status, namespace).to.equal(FORBIDDEN);
        const one = await operator.get(`/api/v1/namespaces/${namespace}/secrets/cloud`);
        expect(one.status, namespace).to.equal(FORBIDDEN);
      }
      expect((await operator.list("/api/v1/secrets")).status).to.equal(FORBIDDEN);
    });

    it("runs no Job outside of the Jobs' namespaces", async () => {
      const containers = [{ name: "a", image: "example.invalid/none" }];
      const job = { metadata: { name: "try" }, spec: { template: { spec: { containers, restartPolicy: "Never" } } } };
      const create = async (namespace: string) =>
        (await operator.create(`/apis/batch/v1/namespaces/${namespace}/jobs`, job, { dryRun: "All" })).status;
      expect(await create(rig.names.jobs)).to.equal(201);
      for (const namespace of ["kube-system", rig.names.team, rig.installed.namespace]) {
        expect(await create(namespace), namespace).to.equal(FORBIDDEN);
      }
    });

    it("writes neither Secrets, Services nor roles, and pods only where its Jobs run", async () => {
      const { team, jobs } = rig.names;
      for (const namespace of [team, jobs, rig.installed.namespace]) {
        for (const plural of ["secrets", "pods", "services", "serviceaccounts"]) {
          const path = `/api/v1/namespaces/${namespace}/${plural}`;
          // The dry run of a pod shows whether Pod Security would refuse it; the server refuses this one without a spec.
          const created = namespace === jobs && plural === "pods" ? INVALID : FORBIDDEN;
          expect((await operator.create(path, { metadata: { name: "try" } })).status, path).to.equal(created);
          expect((await operator.patch(`${path}/cloud`, { metadata: {} })).status, path).to.equal(FORBIDDEN);
          expect((await operator.delete(`${path}/cloud`)).status, path).to.equal(FORBIDDEN);
        }
        const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`;
        expect((await operator.create(roles, { metadata: { name: "try" }, rules: [] })).status).to.equal(FORBIDDEN);
      }
    });

    it("changes nothing of a node except its own annotations, taints and holder labels, and evicts no pod", async () => {
      const patch = async (body: object) => (await operator.patch(node.path, body)).status;
      // The policy is in force a moment after its binding was created.
      let attempt = 0;
      const label = () => patch({ metadata: { labels: { attempt: String(++attempt) } } });
      await rig.until("the policy is in force", async () => (await label()) === FORBIDDEN);
      expect(await patch({ spec: { unschedulable: true } })).to.equal(FORBIDDEN);
      expect(await patch({ metadata: { annotations: { "example.com/a": "b" } } })).to.equal(FORBIDDEN);
      expect(await patch({ metadata: { annotations: { "flipop.digitalocean.com/try": "b" } } })).to.equal(200);
      const holder = (value: string) => patch({ metadata: { labels: { [`${HOLDER_LABEL_PREFIX}rip.a.b`]: value } } });
      expect(await holder("true")).to.equal(200);
      expect(await holder("other")).to.equal(FORBIDDEN);
      const taint = (key: string, effect: string) => patch({ spec: { taints: [{ key, effect }] } });
      expect(await taint("example.com/a", "NoSchedule")).to.equal(FORBIDDEN);
      expect(await taint("flipop.digitalocean.com/try", "NoExecute")).to.equal(FORBIDDEN);
      expect((await operator.delete(node.path)).status).to.equal(FORBIDDEN);
    });

    it("makes and deletes no RoutedIP, issuer or class", async () => {
      const { team } = rig.names;
      const [manifest] = routedIP(team, "try", { issuer: "none" });
      expect((await operator.create(rig.pathOf("RoutedIP"), manifest)).status).to.equal(FORBIDDEN);
      for (const kind of ["RoutedIP", "RoutedIPIssuer", "ClusterRoutedIPClass"]) {
        expect((await operator.delete(rig.pathOf(kind, "try"))).status, kind).to.equal(FORBIDDEN);
      }
    });
  });

  describe("who writes RoutedIPs and issuers in a namespace", () => {
    it("writes no class, and no resource of another namespace", async () => {
      const [made] = jobClass("try");
      expect((await author.create(rig.pathOf("ClusterRoutedIPClass"), made)).status).to.equal(FORBIDDEN);
      const elsewhere = rig.pathOf("RoutedIP").replace(rig.names.team, rig.names.other);
      const [manifest] = routedIP(rig.names.other, "try", { issuer: "none" });
      expect((await author.create(elsewhere, manifest)).status).to.equal(FORBIDDEN);
    });

    it("writes no status: what it says of an address was observed", async () => {
      const [manifest] = routedIP(rig.names.team, "faked", { issuer: "none" });
      const status = { routedIP: "192.0.2.99", created: true };
      expect((await author.create(rig.pathOf("RoutedIP"), { ...manifest, status })).status).to.equal(201);
      expect((await author.patch(`${rig.pathOf("RoutedIP", "faked")}/status`, { status })).status).to.equal(FORBIDDEN);
      await rig.says("RoutedIP", "faked", "Accepted=False/IssuerNotFound");
      expect((await rig.status("faked")).routedIP).to.equal(undefined);
      await rig.delete("RoutedIP", "faked");
    });

    it("follows no Service of another namespace, and does not learn whether it exists", async () => {
      const { team, other } = rig.names;
      const ports = [{ port: 443 }];
      const body = { metadata: { name: "web" }, spec: { selector: { app: "web" }, ports } };
      await rig.client.must.create(`/api/v1/namespaces/${other}/services`, body);
      await rig.add(issuer(team, "own"));
      const messages: string[] = [];
      for (const [name, serviceName] of [["real", "web"] as const, ["unreal", "xyz"] as const]) {
        const [manifest] = routedIP(team, name, { issuer: "own" });
        const spec = { ...(manifest?.["spec"] as object), serviceRef: { serviceName, namespace: other } };
        await author.must.create(rig.pathOf("RoutedIP"), { ...manifest, spec });
        const message = await rig.says("RoutedIP", name, "Accepted=False/NamespaceNotAllowed");
        messages.push(message.replaceAll(serviceName, "S"));
        await rig.delete("RoutedIP", name);
      }
      expect(messages[0]).to.equal(messages[1]);
    });

    it("uses no issuer of another namespace, and no class that does not allow its own", async () => {
      const { team, other } = rig.names;
      const elsewhere = rig.pathOf("RoutedIPIssuer").replace(team, other);
      for (const manifest of issuer(other, "theirs")) await rig.client.must.create(elsewhere, manifest);
      await rig.add(jobClass("closed-class", { allowedNamespaces: [other] }));
      await author.must.create(rig.pathOf("RoutedIP"), routedIP(team, "borrows", { issuer: "theirs" })[0]);
      await author.must.create(rig.pathOf("RoutedIP"), routedIP(team, "enters", { clusterClass: "closed-class" })[0]);
      await rig.says("RoutedIP", "borrows", "Accepted=False/IssuerNotFound");
      await rig.says("RoutedIP", "enters", "Accepted=False/NamespaceNotAllowed");
      for (const name of ["borrows", "enters"]) await rig.delete("RoutedIP", name);
    });

    it("takes neither an address that another one has, nor one of a machine outside of the cluster", async () => {
      const { team } = rig.names;
      const outside = rig.cloud.state.addDroplet();
      const held = rig.cloud.state.addAddress({ dropletId: outside.id }).ip;
      const free = rig.cloud.state.addAddress().ip;
      const make = (name: string, address: string) =>
        author.must.create(rig.pathOf("RoutedIP"), routedIP(team, name, { issuer: "own" }, { address })[0]);
      await make("first", free);
      await rig.says("RoutedIP", "first", "Assigned=True");
      await make("second", free);
      await make("greedy", held);
      await rig.says("RoutedIP", "second", "Conflict=True/ClaimedByOther");
      await rig.says("RoutedIP", "greedy", "Conflict=True/HeldElsewhere");
      expect(rig.cloud.state.address(held).dropletId).to.equal(outside.id);
      for (const name of ["second", "greedy", "first"]) await rig.delete("RoutedIP", name);
      await rig.isGone("RoutedIP", "first");
      expect(rig.cloud.state.address(free).ip, "given, so never released").to.equal(free);
    });

    it("gets by an issuer neither the operator's credentials, another namespace's Secret, nor the platform's firewall", async () => {
      const { team, other } = rig.names;
      const add = async (name: string, namespace: string, spec: object) => {
        const path = rig.pathOf("RoutedIPIssuer").replace(team, namespace);
        const whole = { provider: "digitalocean", region: "nyc3", ...spec };
        await rig.client.must.create(path, { ...issuer(namespace, name)[0], spec: whole });
      };
      const credentialsSecretRef = { name: "cloud" };
      await add("without", team, {});
      await add("platform", team, { credentialsSecretRef, routedIPFirewallName: "k8s-public" });
      await rig.addSecret(other);
      await add("unread", other, { credentialsSecretRef });
      await rig.says("RoutedIPIssuer", "without", "Accepted=False/NamespaceNotAllowed");
      await rig.says("RoutedIPIssuer", "platform", "Accepted=False/FirewallForbidden");
      const path = rig.pathOf("RoutedIPIssuer", "unread").replace(team, other);
      await rig.until("the issuer says that its Secret is not read", async () => {
        const { body } = await rig.client.get<{ status?: { conditions?: readonly { reason: string }[] } }>(path);
        return body.status?.conditions?.some(({ reason }) => reason === "NamespaceNotAllowed") === true;
      });
    });

    it("takes no rule out of a firewall that the operator did not make", async () => {
      const { team } = rig.names;
      const ssh = { protocol: "tcp", ports: "22", peers: { addresses: ["0.0.0.0/0"] } };
      const created = await fetch(`${rig.cloud.url}/v2/firewalls`, {
        method: "POST",
        headers: { authorization: `Bearer ${rig.cloud.token}`, "content-type": "application/json" },
        body: JSON.stringify({
          name: "shared",
          inbound_rules: [{ protocol: ssh.protocol, ports: ssh.ports, sources: ssh.peers }],
        }),
      });
      expect(created.status).to.equal(202);
      // The first node still has the address of an earlier test.
      await rig.addPod(second);
      await rig.add(issuer(team, "shares", { firewallName: "shared" }));
      await author.must.create(rig.pathOf("RoutedIP"), routedIP(team, "guest", { issuer: "shares" })[0]);
      await rig.ready("guest");
      expect(rig.openPorts("shared")).to.have.members(["22", "443"]);
      await rig.delete("RoutedIP", "guest");
      await rig.isGone("RoutedIP", "guest");
      expect(rig.openPorts("shared")).to.deep.equal(["22"]);
    });
  });

  describe("the author of a class", () => {
    it("runs no Job in another namespace, such as the operator's", async () => {
      await rig.add(jobClass("strays", { jobNamespace: rig.installed.namespace }));
      await rig.says("ClusterRoutedIPClass", "strays", "Accepted=False/NamespaceNotAllowed");
    });

    it("uses no issuer that is not there", async () => {
      await rig.add(issuerClass("nowhere", { name: "none", namespace: rig.names.team }));
      await rig.says("ClusterRoutedIPClass", "nowhere", "Accepted=False/IssuerNotFound");
    });

    it("overrules no forced field, and gives the container nothing except for the election", async () => {
      const [manifest] = jobClass("forces", { assign: { script: "sleep 60" }, firewall: { script: "true" } });
      const spec = manifest?.["spec"] as { readonly updateRoutedIP: { readonly template: PodTemplate } };
      const pod = spec.updateRoutedIP.template.spec;
      const env = [{ name: "NODE_PROVIDER_ID", value: "digitalocean://1" }];
      const containers = pod.containers.map((container) => ({ ...container, env }));
      const template = { spec: { ...pod, containers, restartPolicy: "OnFailure", serviceAccount: "default" } };
      const hostile = { parallelism: 5, completions: 5, backoffLimit: 9, activeDeadlineSeconds: 9999, suspend: true };
      await rig.add([
        { ...(manifest as NonNullable<typeof manifest>), spec: { ...spec, updateRoutedIP: { ...hostile, template } } },
      ]);
      await rig.add(routedIP(rig.names.team, "forces", { clusterClass: "forces" }, { address: "192.0.2.77" }));
      // The Job of the firewall comes first.
      const updates = async () =>
        (await rig.jobs("forces")).filter(({ metadata: { labels } }) => labels[JOB_LABELS.purpose] === "assign");
      await rig.until("its Job is there", async () => (await updates()).length === 1);
      const [job] = await updates();
      const real = job?.spec as Readonly<Record<string, unknown>> & { readonly template: PodTemplate };
      const { parallelism, completions, backoffLimit, activeDeadlineSeconds, suspend } = real;
      expect([parallelism, completions, backoffLimit, activeDeadlineSeconds, suspend]).to.deep.equal([
        1,
        1,
        0,
        600,
        false,
      ]);
      const { restartPolicy, automountServiceAccountToken, serviceAccountName } = real.template.spec;
      expect([restartPolicy, automountServiceAccountToken, serviceAccountName]).to.deep.equal([
        "Never",
        false,
        undefined,
      ]);
      const passed = real.template.spec.containers[0]?.env?.filter(({ name }) => name === "NODE_PROVIDER_ID");
      const ids = await Promise.all([node, second].map((one) => rig.dropletOf(one)));
      expect(passed).to.have.length(1);
      expect(ids.map((id) => `digitalocean://${id}`)).to.include(passed?.[0]?.value);
    });

    it("keeps no user from deleting a Job or its class", async () => {
      const [job] = await rig.jobs("forces");
      const [owner] = job?.metadata.ownerReferences ?? [];
      expect(owner).to.include({ kind: "ClusterRoutedIPClass", blockOwnerDeletion: false });
    });

    it("starts no pod that Pod Security restricted refuses", async () => {
      const { jobs } = rig.names;
      const containers = [{ name: "a", image: "example.invalid/none", securityContext: { runAsUser: 0 } }];
      const pod = { metadata: { name: "try" }, spec: { containers } };
      const answer = await rig.client.create(`/api/v1/namespaces/${jobs}/pods`, pod, { dryRun: "All" });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(FORBIDDEN);
    });
  });
});
