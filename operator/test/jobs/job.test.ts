import { ASSIGN_VARIABLES, FIREWALL_VARIABLES, JOB_VARIABLES, type JsonObject } from "cdk8s-flipop/api";
import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { assignVariables, buildJob, firewallOrders, firewallVariables, inputOf, jobName } from "../../src/jobs/job.js";
import { ASSIGN, CREATE, job, NODE, order } from "./made-jobs.js";

function podSpec(spec: JsonObject): JsonObject {
  const { template } = buildJob(order({ template: { spec } })).spec as { template: { spec: JsonObject } };
  return template.spec;
}

/** What the kubelet makes of a value: `$$` is `$`, and `$(NAME)` the variable of that name, where there is one. */
function expanded(value: string, variables: Readonly<Record<string, string>>): string {
  return value.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (found, name?: string) =>
    name === undefined ? "$" : (variables[name] ?? found),
  );
}

describe("a Job of a class", () => {
  it("has the forced fields, whatever its author says", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(
            ...[
              "parallelism",
              "completions",
              "backoffLimit",
              "ttlSecondsAfterFinished",
              "activeDeadlineSeconds",
              "suspend",
            ],
            ...["selector", "manualSelector", "managedBy", "podFailurePolicy", "completionMode"],
          ),
          fc.oneof(fc.integer(), fc.boolean(), fc.string()),
        ),
        (spec) => {
          const built = buildJob(order(spec as JsonObject)).spec;
          expect(Object.keys(built)).to.have.members([
            "parallelism",
            "completions",
            "backoffLimit",
            "ttlSecondsAfterFinished",
            "activeDeadlineSeconds",
            "template",
          ]);
          const { activeDeadlineSeconds, template: _template, ...forced } = built;
          expect(forced).to.deep.equal({
            parallelism: 1,
            completions: 1,
            backoffLimit: 0,
            ttlSecondsAfterFinished: 3600,
          });
          expect(activeDeadlineSeconds).to.be.within(1, 600);
        },
      ),
    );
  });

  it("keeps a shorter deadline", () => {
    expect(buildJob(order({ activeDeadlineSeconds: 30 })).spec["activeDeadlineSeconds"]).to.equal(30);
    for (const none of [601, 0, -1, 30.5, "30"]) {
      expect(buildJob(order({ activeDeadlineSeconds: none })).spec["activeDeadlineSeconds"], `${none}`).to.equal(600);
    }
  });

  it("is found by its labels and those of its pods, which its author can't change", () => {
    const { labels } = buildJob(order({})).metadata as { readonly labels: Record<string, string> };
    const metadata = { labels: { ...labels, "flipop.digitalocean.com/for-uid": "another", app: "mine" } };
    const { template } = buildJob(order({ template: { metadata } })).spec as { template: { metadata: JsonObject } };
    expect(template.metadata["labels"]).to.deep.equal({ ...labels, app: "mine" });
  });

  it("never restarts its pod, mounts no token unasked, and takes no account by its old name", () => {
    const pod = podSpec({ restartPolicy: "Always", serviceAccount: "admin", containers: [] });
    expect(pod).to.deep.include({ restartPolicy: "Never", automountServiceAccountToken: false });
    expect(pod).not.to.have.property("serviceAccount");
    expect(podSpec({ automountServiceAccountToken: true })["automountServiceAccountToken"]).to.equal(true);
  });

  it("gives the container the text of a variable as it is: Kubernetes expands nothing in it", () => {
    const providerID = "digitalocean://$(TOKEN)$$(TOKEN)";
    const variables = { NODE_PROVIDER_ID: providerID, FIREWALL_RULES: JSON.stringify([{ nodes: [{ providerID }] }]) };
    const built = buildJob({ ...order({ template: { spec: { containers: [{ name: "main" }] } } }), variables });
    const { containers } = (built.spec as { template: { spec: JsonObject } }).template.spec as {
      containers: readonly { readonly env: readonly { readonly name: string; readonly value: string }[] }[];
    };
    const seen = containers[0]?.env.map(({ name, value }) => [name, expanded(value, { TOKEN: "secret" })]) ?? [];
    expect(Object.fromEntries(seen)).to.deep.equal(variables);
    expect(inputOf(built as unknown as Parameters<typeof inputOf>[0])).to.deep.equal(variables);
  });

  it("keeps variables of its author whose names every JavaScript object knows", () => {
    const env = ["constructor", "toString", "__proto__"].map((name) => ({ name, value: "mine" }));
    const { containers } = podSpec({ containers: [{ name: "main", env }] }) as {
      readonly containers: readonly { readonly env: readonly JsonObject[] }[];
    };
    expect(containers[0]?.env).to.include.deep.members(env);
  });

  it("gives every container its task, and no author of a class can change that", () => {
    const env = [
      { name: "NODE_NAME", value: "mine" },
      { name: "MODE", value: "fast" },
    ];
    const { containers, initContainers } = podSpec({
      containers: [{ name: "a", env }],
      initContainers: [{ name: "b" }],
    }) as {
      containers: { env: { name: string; value: string }[]; envFrom: unknown }[];
      initContainers: { env: unknown[] }[];
    };
    expect(containers[0]?.env).to.deep.include({ name: "NODE_NAME", value: "n1" });
    expect(containers[0]?.env).to.deep.include({ name: "MODE", value: "fast" });
    expect(containers[0]?.env.filter(({ name }) => name === "NODE_NAME")).to.have.length(1);
    expect(containers[0]?.envFrom).to.deep.equal([{ secretRef: { name: "cloud" } }]);
    const envFrom = [{ configMapRef: { name: "own" } }];
    const [own] = podSpec({ containers: [{ name: "a", envFrom }] })["containers"] as { envFrom: unknown }[];
    expect(own?.envFrom).to.deep.equal([...envFrom, { secretRef: { name: "cloud" } }]);
    expect(initContainers[0]?.env).to.have.length(Object.keys(ASSIGN).length);
  });

  it("reports the last output of a container that fails, unless its author says otherwise", () => {
    const file = { name: "b", terminationMessagePolicy: "File" };
    const { containers } = podSpec({ containers: [{ name: "a" }, file] }) as { containers: JsonObject[] };
    const policies = containers.map(({ terminationMessagePolicy }) => terminationMessagePolicy);
    expect(policies).to.deep.equal(["FallbackToLogsOnError", "File"]);
  });

  it("belongs to its class, which does not wait for it", () => {
    expect(buildJob(order({})).metadata["ownerReferences"]).to.deep.equal([
      {
        apiVersion: "flipop.digitalocean.com/v1alpha1",
        kind: "ClusterRoutedIPClass",
        name: "class",
        uid: "class-uid",
        controller: true,
        blockOwnerDeletion: false,
      },
    ]);
  });

  it("is named by uid, purpose, input and attempt, so that a retry finds it", () => {
    const same = { purpose: "assign", uid: "u", variables: ASSIGN, attempt: 0 } as const;
    const reordered = Object.fromEntries(Object.entries(ASSIGN).reverse());
    expect(jobName(same)).to.equal(jobName({ ...same, variables: reordered }));
    const others = [
      { ...same, uid: "v" },
      { ...same, purpose: "firewall" as const },
      { ...same, attempt: 1 },
      { ...same, variables: CREATE },
    ];
    expect(new Set([same, ...others].map(jobName)).size).to.equal(5);
    expect(jobName(same)).to.match(/^[a-z0-9-]{1,63}$/);
    expect(inputOf(job())).to.deep.equal(ASSIGN);
  });
});

describe("the variables of a Job", () => {
  it("is the variables that JOB_VARIABLES lists, and no other", () => {
    expect(Object.keys(ASSIGN)).to.have.members(Object.keys(ASSIGN_VARIABLES));
    expect(Object.keys(firewallVariables([]))).to.have.members(Object.keys(FIREWALL_VARIABLES));
    expect([...Object.keys(ASSIGN), ...Object.keys(firewallVariables([]))]).to.have.members([...JOB_VARIABLES]);
  });

  it("is where the address has been", () => {
    const previous = { name: "n0", providerID: "cloud://0" };
    expect(assignVariables({ namespace: "default", name: "a", node: NODE, previous, region: "" })).to.include({
      PREVIOUS_NODE_NAME: "n0",
      PREVIOUS_NODE_PROVIDER_ID: "cloud://0",
    });
  });

  it("is the full set of the class's rules, each port with its nodes", () => {
    const other = { name: "n2", providerID: "cloud://2" };
    const needs = [
      { ports: [{ protocol: "TCP" as const, port: 443 }], nodes: [other] },
      {
        ports: [
          { protocol: "UDP" as const, port: 53 },
          { protocol: "TCP" as const, port: 443 },
        ],
        nodes: [NODE],
      },
      { ports: [{ protocol: "TCP" as const, port: 80 }], nodes: [] },
    ];
    expect(firewallOrders(needs)).to.deep.equal([
      { protocol: "udp", port: 53, nodes: [NODE] },
      { protocol: "tcp", port: 443, nodes: [NODE, other] },
    ]);
    expect(firewallOrders([...needs].reverse())).to.deep.equal(firewallOrders(needs));
    const third = { name: "n3", providerID: "cloud://3" };
    const twice = [
      { ports: [{ protocol: "TCP" as const, port: 53 }], nodes: [third, NODE] },
      { ports: (["TCP", "UDP"] as const).map((protocol) => ({ protocol, port: 53 })), nodes: [NODE] },
      { ports: [{ protocol: "UDP" as const, port: 53 }], nodes: [other, NODE] },
    ];
    expect(firewallOrders(twice), "one node of one machine, protocols apart").to.deep.equal([
      { protocol: "tcp", port: 53, nodes: [NODE, third] },
      { protocol: "udp", port: 53, nodes: [NODE, other] },
    ]);
  });
});
