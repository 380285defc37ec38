import { expect } from "chai";
import { describe, it } from "mocha";
import { parse } from "yaml";
import { toPath } from "../src/client/resource-path.js";
import { tokenFile, withTokens } from "../src/identities.js";
import { kubeconfigText } from "../src/kubeconfig.js";
import { expand } from "../src/nodes/pod-env.js";
import { phaseOf } from "../src/nodes/pod-status.js";

describe("paths of the API", () => {
  it("contain the names", () => {
    expect(toPath({ apiVersion: "v1", plural: "nodes" })).to.equal("/api/v1/nodes");
    const pod = { apiVersion: "v1", plural: "pods", namespace: "a", name: "b", subresource: "status" };
    expect(toPath(pod)).to.equal("/api/v1/namespaces/a/pods/b/status");
    expect(toPath({ apiVersion: "apps/v1", plural: "deployments" })).to.equal("/apis/apps/v1/deployments");
  });

  it("contain the query, repeated for lists and without undefined values", () => {
    const query = { limit: 5, labelSelector: "a in (b,c)", watch: true, none: undefined, x: ["1", "2"] };
    expect(toPath("/p", query)).to.equal("/p?limit=5&labelSelector=a+in+%28b%2Cc%29&watch=true&x=1&x=2");
    expect(toPath("/p?a=b", { c: "d" })).to.equal("/p?a=b&c=d");
  });
});

describe("identities", () => {
  it("are the admin, the spare ones and those of the suite, each with its own token", () => {
    const identities = withTokens([{ name: "flipop", groups: ["a", "b"] }]);
    expect([...identities.keys()]).to.include.members(["admin", "test-user-0", "test-user-9", "flipop"]);
    expect(new Set([...identities.values()].map(({ token }) => token)).size).to.equal(12);
  });

  it("have the API server's format", () => {
    const text = tokenFile([{ name: "system:serviceaccount:a:b", groups: ["x", "y"], token: "t" }]);
    expect(text).to.equal('"t","system:serviceaccount:a:b","system:serviceaccount:a:b","x,y"\n');
  });
});

describe("kubeconfig files", () => {
  it("contain server, authority, user and namespace", () => {
    const text = kubeconfigText({ url: "https://127.0.0.1:1", ca: "PEM", user: "u", token: "t", namespace: "n" });
    expect(parse(text)).to.deep.include({
      clusters: [
        { name: "flipop-testbed", cluster: { server: "https://127.0.0.1:1", "certificate-authority-data": "UEVN" } },
      ],
      users: [{ name: "u", user: { token: "t" } }],
      contexts: [{ name: "flipop-testbed", context: { cluster: "flipop-testbed", user: "u", namespace: "n" } }],
      "current-context": "flipop-testbed",
    });
  });
});

describe("the kubelet's stand-in", () => {
  it("expands variables as the kubelet does", () => {
    const env = { A: "1", B: "$(A)" };
    expect(expand("$(A)-$(B)-$(NONE)-$$(A)-$A", env)).to.equal("1-$(A)-$(NONE)-$(A)-$A");
  });

  it("derives the phase of a pod from its containers", () => {
    const container = { name: "c", image: "i" };
    const at = "2026-01-01T00:00:00Z";
    const ended = (exitCode: number) => ({
      ...{ container, restartCount: 0 },
      state: { terminated: { exitCode, reason: "Error", message: "", startedAt: at, finishedAt: at } as const },
    });
    const running = { container, restartCount: 0, state: { running: { startedAt: at } } };
    const waiting = { container, restartCount: 0, state: { waiting: { reason: "ContainerCreating" } } };
    expect(phaseOf([waiting])).to.equal("Pending");
    expect(phaseOf([{ ...waiting, restartCount: 1 }])).to.equal("Running");
    expect(phaseOf([ended(0), running])).to.equal("Running");
    expect(phaseOf([ended(0), ended(0)])).to.equal("Succeeded");
    expect(phaseOf([ended(0), ended(1)])).to.equal("Failed");
  });
});
