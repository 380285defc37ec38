import { ApiObject, Chart, Duration, Testing } from "cdk8s";
import { Secret } from "cdk8s-plus-28";
import { expect } from "chai";
import { Construct } from "constructs";
import { describe, it } from "mocha";
import {
  Credentials,
  FlipopOperator,
  type FlipopOperatorProps,
  FloatingIPPool,
  type FloatingIPPoolProps,
  HealthCheck,
  OperatorFeature,
  TaintEffect,
  Toleration,
} from "../../src";
import { container, find, type Manifest, podSpec, synthOperator } from "./synth";

const { POOLS, DNS, ROUTED_IP, JOBS } = OperatorFeature;

describe("a pod of the operator", () => {
  it("has no privilege at all", () => {
    const { securityContext, containers } = podSpec(synthOperator());
    expect(securityContext).to.deep.equal({
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(containers[0].securityContext).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  it("mounts a token, although its ServiceAccount disables that", () => {
    const objects = synthOperator();
    expect(podSpec(objects)["automountServiceAccountToken"]).to.equal(true);
    expect(find(objects, "ServiceAccount", "flipop")["automountServiceAccountToken"]).to.equal(false);
  });

  it("requests little, and limits memory but not CPU", () => {
    expect(container(synthOperator()).resources).to.deep.equal({
      requests: { cpu: "50m", memory: "128Mi" },
      limits: { memory: "512Mi" },
    });
  });

  it("takes cpuRequest, cpuLimit, memoryRequest and memoryLimit", () => {
    const props = { cpuRequest: "0.1", cpuLimit: "1", memoryRequest: "256Mi", memoryLimit: "1Gi" };
    expect(container(synthOperator(props)).resources).to.deep.equal({
      requests: { cpu: "0.1", memory: "256Mi" },
      limits: { cpu: "1", memory: "1Gi" },
    });
  });

  it("has probes at its health port", () => {
    const { livenessProbe, readinessProbe, ports } = container(synthOperator());
    expect(livenessProbe).to.deep.include({ httpGet: { path: "/healthz", port: "health" } });
    expect(readinessProbe).to.deep.include({ httpGet: { path: "/readyz", port: "health" } });
    expect(ports).to.deep.equal([
      { name: "metrics", containerPort: 8080, protocol: "TCP" },
      { name: "health", containerPort: 8081, protocol: "TCP" },
    ]);
  });

  it("answers other replicas at its own IP address, with feature healthchecks only", () => {
    const features = [POOLS, OperatorFeature.HEALTH_CHECKS];
    const { ports, env } = container(synthOperator({ features }));
    expect(ports).to.deep.include({ name: "witness", containerPort: 8082, protocol: "TCP" });
    expect(env.slice(1, 4)).to.deep.equal([
      { name: "FLIPOP_NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
      { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      { name: "FLIPOP_WITNESS_BIND_ADDR", value: "[$(POD_IP)]:8082" },
    ]);
    expect(JSON.stringify(container(synthOperator())))
      .not.to.include("POD_IP")
      .and.not.to.include("8082");
  });

  it("takes over fast, and prefers nodes without an address, as the resources of the app ask for it", () => {
    const specOf = (props: FlipopOperatorProps, pool: FloatingIPPoolProps, cluster?: string) => {
      const app = Testing.app();
      const chart = new Chart(app, "flipop", { namespace: "flipop" });
      new FlipopOperator(chart, "operator", { features: [POOLS, OperatorFeature.HEALTH_CHECKS], ...props });
      const other = new Chart(app, "web", { namespace: "web" });
      new FloatingIPPool(other, "pool", {
        metadata: { name: "web" },
        ips: ["45.55.96.1"],
        ...pool,
        ...(cluster && { cluster }),
      });
      return podSpec(Testing.synth(chart) as Manifest[]);
    };
    const fast = [
      "--leader-elect-lease-duration=5",
      "--leader-elect-renew-deadline=3",
      "--leader-elect-retry-period=1",
    ];
    const lease = (spec: ReturnType<typeof specOf>) =>
      spec.containers[0].args.filter((flag: string) => flag.startsWith("--leader-elect"));
    const healthCheck = HealthCheck.tcp(80);
    expect(lease(specOf({}, { healthCheck }))).to.deep.equal(fast);
    expect(lease(specOf({}, {}))).to.deep.equal([]);
    expect(lease(specOf({ fastFailover: false }, { healthCheck }))).to.deep.equal([]);
    expect(lease(specOf({ fastFailover: true }, {}))).to.deep.equal(fast);
    const own = ["--leader-elect-lease-duration=30"];
    expect(lease(specOf({ extraArgs: own }, { healthCheck }))).to.deep.equal(own);
    expect(lease(specOf({}, { healthCheck }, "other")), "a resource of another cluster").to.deep.equal([]);
    const { nodeAffinity, podAntiAffinity } = specOf({}, { holderLabel: true })["affinity"] as Record<string, unknown>;
    expect(podAntiAffinity).not.to.equal(undefined);
    const key = "flipop.digitalocean.com/holder-of-fip.web.web";
    expect(nodeAffinity).to.deep.equal({
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 50, preference: { matchExpressions: [{ key, operator: "DoesNotExist" }] } },
      ],
    });
  });

  it("is one of two, which prefer different nodes", () => {
    const objects = synthOperator();
    expect(find(objects, "Deployment", "flipop")["spec"]).to.include({ replicas: 2 });
    const selector = { "app.kubernetes.io/name": "flipop", "app.kubernetes.io/instance": "flipop" };
    expect(podSpec(objects)["affinity"]).to.deep.equal({
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: selector } },
          },
        ],
      },
    });
  });

  it("takes image, replicas, imagePullSecrets and priorityClassName", () => {
    const image = "registry.example.com/flipop@sha256:abc";
    const objects = synthOperator({ image, replicas: 3, imagePullSecrets: ["pull"], priorityClassName: "high" });
    expect(container(objects).image).to.equal(image);
    expect(find(objects, "Deployment", "flipop")["spec"]).to.include({ replicas: 3 });
    expect(podSpec(objects)).to.deep.include({ imagePullSecrets: [{ name: "pull" }], priorityClassName: "high" });
  });

  it("runs on Linux, with the given nodeSelector and tolerations", () => {
    const tolerations = [Toleration.keyValue("pool", "infra", TaintEffect.NO_SCHEDULE), Toleration.all()];
    const spec = podSpec(synthOperator({ nodeSelector: { pool: "infra" }, tolerations }));
    expect(spec.nodeSelector).to.deep.equal({ "kubernetes.io/os": "linux", pool: "infra" });
    expect(spec["tolerations"]).to.deep.equal([
      { key: "pool", operator: "Equal", value: "infra", effect: "NoSchedule" },
      { operator: "Exists" },
    ]);
  });

  it("is selected by labels that a release does not change", () => {
    const objects = synthOperator({ name: "canary" });
    const { selector } = find(objects, "Deployment", "canary")["spec"] as { selector: unknown };
    expect(selector).to.deep.equal({
      matchLabels: { "app.kubernetes.io/name": "flipop", "app.kubernetes.io/instance": "canary" },
    });
  });
});

describe("the command line of the operator", () => {
  it("is only the command run by default", () => {
    expect(container(synthOperator()).args).to.deep.equal(["run"]);
  });

  it("contains features only if they differ from the default ones, in any order", () => {
    expect(container(synthOperator({ features: [ROUTED_IP, DNS, POOLS] })).args).to.deep.equal(["run"]);
    expect(container(synthOperator({ features: [DNS, POOLS] })).args).to.deep.equal(["run", "--features=pools,dns"]);
  });

  it("contains the given namespaces", () => {
    const props = { watchNamespaces: ["a", "b"], podNamespaces: ["c"], issuerNamespaces: ["a"] };
    expect(container(synthOperator(props)).args).to.deep.equal([
      "run",
      "--watch-namespaces=a,b",
      "--pod-namespaces=c",
      "--issuer-namespaces=a",
    ]);
  });

  it("omits issuerNamespaces and jobNamespaces that equal the default", () => {
    const props = { features: [ROUTED_IP, JOBS], issuerNamespaces: ["flipop"], jobNamespaces: ["flipop-jobs"] };
    expect(container(synthOperator(props)).args).to.deep.equal(["run", "--features=routedip,jobs"]);
  });

  it("contains other jobNamespaces", () => {
    const { args } = container(synthOperator({ features: [ROUTED_IP, JOBS], jobNamespaces: ["work"] }));
    expect(args).to.deep.equal(["run", "--features=routedip,jobs", "--job-namespaces=work"]);
  });

  it("takes debug, dryRun, resync and shutdownTimeout, and gives the pod 10 seconds more", () => {
    const props = { debug: true, dryRun: true, resync: Duration.minutes(5), shutdownTimeout: Duration.seconds(45) };
    const objects = synthOperator(props);
    const flags = ["--debug=true", "--dry-run=true", "--resync=300", "--shutdown-timeout=45"];
    expect(container(objects).args).to.deep.equal(["run", ...flags]);
    expect(podSpec(objects)["terminationGracePeriodSeconds"]).to.equal(55);
    expect(podSpec(synthOperator())["terminationGracePeriodSeconds"]).to.equal(30);
  });

  it("omits durations that equal the default", () => {
    const props = { resync: Duration.minutes(1), shutdownTimeout: Duration.seconds(20), debug: false, dryRun: false };
    expect(container(synthOperator(props)).args).to.deep.equal(["run"]);
  });

  it("ends with the user's own flags", () => {
    const { args } = container(synthOperator({ debug: true, extraArgs: ["--log-format=json", "--leader-elect"] }));
    expect(args).to.deep.equal(["run", "--debug=true", "--log-format=json", "--leader-elect"]);
  });
});

describe("the environment of the operator", () => {
  const secretKeyRef = (name: string, key: string) => ({ secretKeyRef: { name, key, optional: true } });

  it("has the pod's namespace, and the tokens from the entries of Secret flipop", () => {
    expect(container(synthOperator()).env).to.deep.equal([
      { name: "FLIPOP_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      { name: "DIGITALOCEAN_ACCESS_TOKEN", valueFrom: secretKeyRef("flipop", "DIGITALOCEAN_ACCESS_TOKEN") },
      { name: "CLOUDFLARE_TOKEN", valueFrom: secretKeyRef("flipop", "CLOUDFLARE_TOKEN") },
    ]);
  });

  it("has the tokens from the given Secrets, by default from the entry with the variable's name", () => {
    const digitalOcean = Credentials.fromSecretName("do", "token");
    const cloudflare = Credentials.fromSecretName("cf");
    const { env } = container(synthOperator({ digitalOcean, cloudflare }));
    expect(env.slice(1).map(({ valueFrom }) => valueFrom)).to.deep.equal([
      secretKeyRef("do", "token"),
      secretKeyRef("cf", "CLOUDFLARE_TOKEN"),
    ]);
  });

  it("has the token of a Secret of the same chart, which comes before the Deployment", () => {
    const chart = new Chart(Testing.app(), "test", { namespace: "flipop" });
    const early = new Construct(chart, "early");
    const secret = new Secret(chart, "late", { metadata: { name: "cf" }, stringData: { token: "x" } });
    new FlipopOperator(early, "operator", { cloudflare: Credentials.fromSecret(secret, "token") });
    const objects: Manifest[] = Testing.synth(chart);
    const kinds = objects.map(({ kind }) => kind);
    expect(kinds.indexOf("Secret")).to.be.below(kinds.indexOf("Deployment"));
    expect(container(objects).env[2]).to.deep.equal({
      name: "CLOUDFLARE_TOKEN",
      valueFrom: secretKeyRef("cf", "token"),
    });
  });

  it("has the token of a plain ApiObject that is a Secret", () => {
    const chart = new Chart(Testing.app(), "test", { namespace: "flipop" });
    const secret = new ApiObject(chart, "secret", { apiVersion: "v1", kind: "Secret", metadata: { name: "do" } });
    new FlipopOperator(chart, "operator", { digitalOcean: Credentials.fromSecret(secret) });
    const valueFrom = secretKeyRef("do", "DIGITALOCEAN_ACCESS_TOKEN");
    expect(container(Testing.synth(chart)).env[1]).to.deep.include({ valueFrom });
  });

  it("ends with the user's own variables", () => {
    const { env } = container(
      synthOperator({ env: { HTTPS_PROXY: "http://egress.example:8080", FLIPOP_LOG_FORMAT: "json" } }),
    );
    expect(env.slice(3)).to.deep.equal([
      { name: "HTTPS_PROXY", value: "http://egress.example:8080" },
      { name: "FLIPOP_LOG_FORMAT", value: "json" },
    ]);
  });
});
