import type { JsonObject } from "cdk8s-flipop/api";
import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { buildJob, inputOf, jobName } from "../../src/jobs/job.js";
import { ASSIGN, CREATE, job, order } from "./made-jobs.js";

function podSpec(spec: JsonObject): JsonObject {
  const { template } = buildJob(order({ template: { spec } })).spec as { template: { spec: JsonObject } };
  return template.spec;
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

  it("tells every container what to do, and nobody can say otherwise", () => {
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
