import { ApiObject, JsonPatch } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import { MetricsScrape, OperatorFeature } from "../../src";
import { RELEASE } from "../../src/api";
import { find, makeOperator, synthOperator, titles } from "./synth";

interface Port {
  readonly protocol: string;
  readonly port: number;
}

describe("the objects of an operator", () => {
  it("of the default install are complete", () => {
    expect(titles(synthOperator())).to.deep.equal([
      "Namespace flipop",
      "ServiceAccount flipop flipop",
      "ClusterRole flipop",
      "ClusterRoleBinding flipop",
      "Role flipop flipop-lease-flipop",
      "RoleBinding flipop flipop-lease-flipop",
      "Role flipop flipop-issuers-flipop",
      "RoleBinding flipop flipop-issuers-flipop",
      "ClusterRole flipop-view",
      "ClusterRole flipop-edit",
      "Role flipop flipop-on-call",
      "ValidatingAdmissionPolicy flipop",
      "ValidatingAdmissionPolicyBinding flipop",
      "ValidatingAdmissionPolicy flipop-publications",
      "ValidatingAdmissionPolicyBinding flipop-publications",
      "ValidatingAdmissionPolicy flipop-finalizers",
      "ValidatingAdmissionPolicyBinding flipop-finalizers",
      "PodDisruptionBudget flipop flipop",
      "Service flipop flipop-metrics",
      "Deployment flipop flipop",
    ]);
  });

  it("have the namespace in the names of cluster-scoped objects unless name and namespace are the default", () => {
    const objects = synthOperator({ namespace: "infra" });
    expect(titles(objects).filter((title) => !title.includes(" infra "))).to.deep.equal([
      "Namespace infra",
      "ClusterRole flipop-infra",
      "ClusterRoleBinding flipop-infra",
      "ClusterRole flipop-infra-view",
      "ClusterRole flipop-infra-edit",
      "ValidatingAdmissionPolicy flipop-infra",
      "ValidatingAdmissionPolicyBinding flipop-infra",
      "ValidatingAdmissionPolicy flipop-infra-publications",
      "ValidatingAdmissionPolicyBinding flipop-infra-publications",
      "ValidatingAdmissionPolicy flipop-infra-finalizers",
      "ValidatingAdmissionPolicyBinding flipop-infra-finalizers",
    ]);
    expect(titles(synthOperator({ name: "canary" }))).to.include("ClusterRole canary-flipop");
  });

  it("of two operators in one cluster never share a name", () => {
    const first = titles(synthOperator({ scrape: MetricsScrape.SERVICE_MONITOR, alertRules: true, dashboard: true }));
    const props = { name: "canary", createNamespaces: false, scrape: MetricsScrape.SERVICE_MONITOR, alertRules: true };
    const second = titles(synthOperator({ ...props, dashboard: true, networkPolicy: true }));
    expect(second.filter((title) => first.includes(title))).to.deep.equal([]);
  });

  it("use the chart's namespace if the props name none", () => {
    const objects = synthOperator({}, { namespace: "edge" });
    expect(find(objects, "Deployment", "flipop").metadata.namespace).to.equal("edge");
    expect(titles(objects)).to.include("Namespace edge");
  });

  it("have no namespace if they are cluster-scoped, although the chart sets one on all objects", () => {
    const scoped = synthOperator({ namespace: "own" }, { namespace: "edge" });
    const kinds = ["Namespace", "ClusterRole", "ClusterRoleBinding", "ValidatingAdmissionPolicy"];
    const clusterWide = scoped.filter(({ kind }) => kinds.some((prefix) => kind.startsWith(prefix)));
    expect(clusterWide).to.have.length(11);
    for (const { metadata } of clusterWide) expect(metadata).not.to.have.property("namespace");
  });

  it("have the recommended labels with the name as instance", () => {
    for (const { metadata } of synthOperator({ name: "canary" })) {
      expect(metadata.labels).to.include({
        "app.kubernetes.io/name": "flipop",
        "app.kubernetes.io/instance": "canary",
        "app.kubernetes.io/component": "operator",
        "app.kubernetes.io/part-of": "flipop",
        "app.kubernetes.io/version": RELEASE,
      });
    }
  });

  it("include no Namespace with createNamespaces: false", () => {
    const objects = synthOperator({
      createNamespaces: false,
      features: [OperatorFeature.ROUTED_IP, OperatorFeature.JOBS],
    });
    expect(objects.filter(({ kind }) => kind === "Namespace")).to.deep.equal([]);
  });

  it("include the restricted namespaces of Jobs if feature jobs is enabled", () => {
    const objects = synthOperator({
      features: [OperatorFeature.ROUTED_IP, OperatorFeature.JOBS],
      jobNamespaces: ["work", "play"],
    });
    expect(titles(objects)).to.include.members(["Namespace work", "Namespace play"]);
    expect(find(objects, "Namespace", "work").metadata.labels).to.include({
      "pod-security.kubernetes.io/enforce": "restricted",
      "pod-security.kubernetes.io/audit": "restricted",
      "pod-security.kubernetes.io/warn": "restricted",
    });
    expect(titles(synthOperator({ features: [OperatorFeature.ROUTED_IP, OperatorFeature.JOBS] }))).to.include(
      "Namespace flipop-jobs",
    );
  });

  it("include no ServiceAccount if the props name one, and all references use that name", () => {
    const objects = synthOperator({ serviceAccountName: "robot" });
    expect(objects.filter(({ kind }) => kind === "ServiceAccount")).to.deep.equal([]);
    const subject = { kind: "ServiceAccount", name: "robot", namespace: "flipop" };
    expect(find(objects, "ClusterRoleBinding", "flipop")["subjects"]).to.deep.equal([subject]);
    expect(find(objects, "RoleBinding", "flipop-lease-flipop")["subjects"]).to.deep.equal([subject]);
    expect(JSON.stringify(find(objects, "ValidatingAdmissionPolicy", "flipop"))).to.include(
      "system:serviceaccount:flipop:robot",
    );
  });

  it("include no admission policy with admissionPolicy: false", () => {
    const kinds = synthOperator({ admissionPolicy: false }).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind.startsWith("Validating"))).to.deep.equal([]);
  });

  it("allow a drain to evict one pod at a time, even one that does not become ready", () => {
    expect(find(synthOperator(), "PodDisruptionBudget", "flipop")["spec"]).to.deep.equal({
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: "AlwaysAllow",
      selector: { matchLabels: { "app.kubernetes.io/name": "flipop", "app.kubernetes.io/instance": "flipop" } },
    });
  });

  it("include an optional NetworkPolicy, which allows incoming metrics and probes, and outgoing DNS and TLS", () => {
    const policy = find(synthOperator({ networkPolicy: true }), "NetworkPolicy", "flipop");
    expect(policy["spec"]).to.deep.equal({
      podSelector: { matchLabels: { "app.kubernetes.io/name": "flipop", "app.kubernetes.io/instance": "flipop" } },
      policyTypes: ["Ingress", "Egress"],
      ingress: [
        {
          ports: [
            { protocol: "TCP", port: 8080 },
            { protocol: "TCP", port: 8081 },
          ],
        },
      ],
      egress: [
        {
          ports: [
            { protocol: "UDP", port: 53 },
            { protocol: "TCP", port: 53 },
            { protocol: "TCP", port: 443 },
            { protocol: "TCP", port: 6443 },
          ],
        },
      ],
    });
  });

  it("include a NetworkPolicy that allows the ports of proxies, custom API URLs and networkPolicyPorts", () => {
    const egressWith = (env: Readonly<Record<string, string>>, networkPolicyPorts?: number[]) => {
      const objects = synthOperator({ networkPolicy: true, env, ...(networkPolicyPorts && { networkPolicyPorts }) });
      const { egress } = find(objects, "NetworkPolicy", "flipop")["spec"] as {
        readonly egress: readonly { readonly ports: readonly { readonly port: number }[] }[];
      };
      expect(egress).to.have.length(1);
      return egress[0]?.ports.slice(4).map((port) => port);
    };
    const tcp = (...ports: readonly number[]) => ports.map((port) => ({ protocol: "TCP", port }));
    expect(egressWith({ HTTPS_PROXY: "http://user:1234@proxy.example:3128/" })).to.deep.equal(tcp(3128));
    expect(egressWith({ https_proxy: "proxy.example" })).to.deep.equal(tcp(80));
    expect(egressWith({ HTTP_PROXY: "https://[2001:db8::1]" })).to.deep.equal([]);
    expect(egressWith({ HTTPS_PROXY: "http://[2001:db8::1]:3128" })).to.deep.equal(tcp(3128));
    const urls = {
      DIGITALOCEAN_API_URL: "https://do.example:8443/v2",
      CLOUDFLARE_API_URL: "http://cf.example/client/v4",
    };
    expect(egressWith(urls, [8443, 7443])).to.deep.equal(tcp(8443, 7443, 80));
    expect(egressWith({ KUBERNETES_SERVICE_PORT: "16443" })).to.deep.equal(tcp(16443));
    const expressions = { HTTPS_PROXY: "{{ .Values.proxy }}", HTTP_PROXY: "http://{{ .Values.host }}:3128" };
    expect(egressWith({ ...expressions, KUBERNETES_SERVICE_PORT: "$(PORT)" })).to.deep.equal(tcp(3128));
    const others = { HTTPS_PROXY: "", NO_PROXY: "a.example:1", KUBERNETES_SERVICE_PORT: "65536" };
    expect(egressWith(others)).to.deep.equal([]);
  });

  it("include a NetworkPolicy that allows the ports of networkPolicyDnsPorts instead of 53, each once", () => {
    const egressWith = (networkPolicyDnsPorts: number[]) => {
      const policy = find(synthOperator({ networkPolicy: true, networkPolicyDnsPorts }), "NetworkPolicy", "flipop");
      const { egress } = policy["spec"] as { readonly egress: readonly { readonly ports: readonly Port[] }[] };
      return egress.flatMap(({ ports }) => ports.map(({ protocol, port }) => `${protocol} ${port}`));
    };
    expect(egressWith([5353])).to.deep.equal(["UDP 5353", "TCP 5353", "TCP 443", "TCP 6443"]);
    const several = ["UDP 53", "UDP 443", "TCP 53", "TCP 443", "TCP 6443"];
    expect(egressWith([53, 443, 53])).to.deep.equal(several);
  });

  it("include a NetworkPolicy that lets only the pods ask each other, with feature healthchecks", () => {
    const features = [OperatorFeature.POOLS, OperatorFeature.HEALTH_CHECKS];
    const policy = find(synthOperator({ networkPolicy: true, features }), "NetworkPolicy", "flipop");
    const { ingress } = policy["spec"] as { readonly ingress: readonly object[] };
    const selector = { "app.kubernetes.io/name": "flipop", "app.kubernetes.io/instance": "flipop" };
    expect(ingress.slice(1)).to.deep.equal([
      { from: [{ podSelector: { matchLabels: selector } }], ports: [{ protocol: "TCP", port: 8082 }] },
    ]);
  });

  it("are all public, and can be patched", () => {
    const { chart, operator } = makeOperator({
      features: [OperatorFeature.ROUTED_IP, OperatorFeature.JOBS],
      networkPolicy: true,
      scrape: MetricsScrape.POD_MONITOR,
      alertRules: true,
      dashboard: true,
    });
    const { serviceMonitor, ...parts } = operator;
    expect(serviceMonitor).to.equal(undefined);
    const found = Object.values(parts).flat();
    const objects = chart.node.findAll().filter((construct) => ApiObject.isApiObject(construct));
    expect(objects).to.have.length(27);
    for (const object of objects) expect(found, `${object.kind} ${object.name}`).to.include(object);
    operator.deployment.addJsonPatch(JsonPatch.add("/spec/revisionHistoryLimit", 3));
    const [deployment] = chart.toJson().filter(({ kind }) => kind === "Deployment");
    expect(deployment.spec.revisionHistoryLimit).to.equal(3);
  });

  it("provide the names that other objects need", () => {
    const { operator } = makeOperator({ name: "canary", namespace: "edge" });
    const { name, namespace, serviceAccountName } = operator;
    expect([name, namespace, serviceAccountName]).to.deep.equal(["canary", "edge", "canary"]);
  });
});
