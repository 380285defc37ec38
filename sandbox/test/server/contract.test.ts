import { type ControlPlane, controlPlaneOrSkip } from "flipop-testbed";
import { after, before, describe } from "mocha";
import type { AllowRule } from "../../src/kubernetes/index.js";
import { ApiClient, type Format } from "../contract/api-client.js";
import { kubernetesContract } from "../contract/contract.js";
import { ok, type Target, uniqueName } from "../contract/target.js";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const USER = "contract-user";

for (const format of ["json", "protobuf"] as const) {
  describe(`the Kubernetes contract on the real server, in ${format}`, () => {
    let target: Target;

    before(async function () {
      const plane = await controlPlaneOrSkip(this, {
        controllerManager: true,
        // It would change the taints of nodes that the cases look at.
        controllerManagerArgs: ["--controllers=*,-node-lifecycle-controller"],
        identities: [{ name: USER }],
      });
      target = realTarget(plane, format);
    });
    after(() => target?.admin.close());

    kubernetesContract(() => target);
  });
}

function realTarget(plane: ControlPlane, format: Format): Target {
  const admin = new ApiClient({ url: plane.url, ca: plane.caData }, plane.adminToken, format);
  return {
    name: "kube-apiserver",
    admin,
    compact: () => compactEtcd(`http://127.0.0.1:${plane.etcd.port}`),
    restricted: async (rules) => {
      for (const rule of rules) await grant(admin, rule);
      const client = admin.as(plane.token(USER));
      await untilGranted(client, rules);
      return { client, user: USER };
    },
  };
}

async function compactEtcd(url: string): Promise<void> {
  const etcd = new ApiClient({ url }, undefined);
  const { body } = ok(await etcd.post("/v3/kv/range", { key: "AA==" }));
  const { revision } = body.header as { revision: string };
  ok(await etcd.post("/v3/kv/compaction", { revision, physical: true }));
  await etcd.close();
}

/** One role for each rule: in its namespaces, or in the cluster. */
async function grant(admin: ApiClient, { namespaces, ...rule }: AllowRule): Promise<void> {
  const subjects = [{ kind: "User", name: USER, apiGroup: "rbac.authorization.k8s.io" }];
  const places = namespaces?.map((one) => ({ path: `/namespaces/${one}/`, prefix: "" })) ?? [
    { path: "/", prefix: "cluster" },
  ];
  for (const { path, prefix } of places) {
    const name = uniqueName("rule");
    const kind = prefix === "" ? "Role" : "ClusterRole";
    ok(await admin.post(`${RBAC}${path}${prefix}roles`, { metadata: { name }, rules: [rule] }));
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name };
    ok(await admin.post(`${RBAC}${path}${prefix}rolebindings`, { metadata: { name }, subjects, roleRef }));
  }
}

/** Roles take effect when the authorizer has seen them. */
async function untilGranted(client: ApiClient, rules: readonly AllowRule[]): Promise<void> {
  for (const { verbs, resources, apiGroups, namespaces, resourceNames } of rules) {
    const [resource = "", subresource = ""] = (resources[0] ?? "").split("/");
    const resourceAttributes = {
      verb: verbs[0],
      group: apiGroups[0],
      resource,
      subresource,
      namespace: namespaces?.[0],
      name: resourceNames?.[0],
    };
    const review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes },
    };
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    for (;;) {
      const { body } = await client.post(path, review);
      if ((body.status as { allowed: boolean }).allowed) break;
    }
  }
}
