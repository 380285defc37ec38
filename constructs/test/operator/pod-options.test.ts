import { Size } from "cdk8s";
import * as kplus28 from "cdk8s-plus-28";
import * as kplus34 from "cdk8s-plus-34";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { Credentials, type FlipopOperatorProps, RoutedIPIssuer } from "../../src";
import { IMAGE } from "../../src/api";
import { newChart, refusals } from "../support/charts";
import { untyped } from "../support/untyped";
import { container, find, podSpec, problemsOf, synthOperator } from "./synth";

describe("CPU and memory of the operator", () => {
  const resources = (props: FlipopOperatorProps): unknown => container(synthOperator(props)).resources;

  it("may be Cpu and Size, in any unit", () => {
    for (const { Cpu } of [kplus28, kplus34]) {
      const props = {
        cpuRequest: Cpu.millis(100),
        cpuLimit: Cpu.units(1),
        memoryRequest: Size.kibibytes(1536),
        memoryLimit: Size.gibibytes(1),
      };
      expect(resources(props)).to.deep.equal({
        requests: { cpu: "100m", memory: "1536Ki" },
        limits: { cpu: "1", memory: "1Gi" },
      });
    }
  });

  it("are written in the largest unit without a fraction", () => {
    for (const size of [Size.mebibytes(2048), Size.kibibytes(2 * 1024 ** 2)]) {
      expect(resources({ memoryLimit: size })).to.have.nested.property("limits.memory", "2Gi");
    }
    expect(resources({ memoryLimit: Size.gibibytes(0.5) })).to.have.nested.property("limits.memory", "512Mi");
  });

  it("are compared and checked, whatever their type", () => {
    expect(problemsOf({ memoryRequest: Size.gibibytes(1), memoryLimit: "512Mi" })).to.deep.equal([
      '[test/operator] memoryRequest: "1Gi" exceeds memoryLimit "512Mi": lower it, or raise the limit',
    ]);
    expect(problemsOf({ cpuRequest: untyped(1) })).to.deep.equal([
      '[test/operator] cpuRequest: 1 is not a string or a Cpu: write "1"',
    ]);
    expect(problemsOf({ memoryRequest: untyped({}) })).to.deep.equal([
      '[test/operator] memoryRequest: an object is not a string or a Size: write "128Mi" or Size.mebibytes(128)',
    ]);
  });
});

describe("the operator's pods", () => {
  it("may have annotations and another affinity", () => {
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } };
    const objects = synthOperator({ podAnnotations: { "vault.hashicorp.com/agent-inject": "true" }, affinity });
    expect(podSpec(objects)["affinity"]).to.deep.equal(affinity);
    const { template } = find(objects, "Deployment", "flipop")["spec"] as {
      template: { metadata: { annotations: unknown } };
    };
    expect(template.metadata.annotations).to.deep.equal({ "vault.hashicorp.com/agent-inject": "true" });
  });

  it("refuse wrong annotations and misspelt affinities", () => {
    expect(problemsOf({ podAnnotations: { "a b": "c" } })[0]).to.match(
      /^\[test\/operator\] podAnnotations: "a b" is not/,
    );
    expect(problemsOf({ affinity: { nodeAfinity: {} } })).to.deep.equal([
      "[test/operator] affinity.nodeAfinity: there is no such field: use nodeAffinity, podAffinity, podAntiAffinity",
    ]);
    expect(problemsOf({ affinity: { nodeAffinity: "edge" } })).to.deep.equal([
      '[test/operator] affinity.nodeAffinity: "edge" is not a plain object: write { key: value }',
    ]);
    const term = { weight: 1, podAffinityTerm: { topologykey: "kubernetes.io/hostname" } };
    const affinity = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term] } };
    expect(problemsOf({ affinity })).to.deep.equal([
      '[test/operator] affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologykey: "kubernetes.io/hostname" is given, but there is no such field: use topologyKey',
    ]);
  });
});

describe("token files", () => {
  it("come from mounted Secrets, which the pods also start without", () => {
    const objects = synthOperator({ tokenFiles: true, digitalOcean: Credentials.fromSecretName("do", "token") });
    const { env, ["volumeMounts"]: volumeMounts } = container(objects);
    const path = "/var/run/secrets/flipop.digitalocean.com";
    expect(env.slice(1)).to.deep.equal([
      { name: "DIGITALOCEAN_ACCESS_TOKEN_FILE", value: `${path}/digitalocean/token` },
      { name: "CLOUDFLARE_TOKEN_FILE", value: `${path}/cloudflare/token` },
    ]);
    expect(volumeMounts).to.deep.equal([
      { name: "digitalocean-token", mountPath: `${path}/digitalocean`, readOnly: true },
      { name: "cloudflare-token", mountPath: `${path}/cloudflare`, readOnly: true },
    ]);
    expect(podSpec(objects)["volumes"]).to.deep.equal([
      {
        name: "digitalocean-token",
        secret: { secretName: "do", optional: true, items: [{ key: "token", path: "token" }] },
      },
      {
        name: "cloudflare-token",
        secret: { secretName: "flipop", optional: true, items: [{ key: "CLOUDFLARE_TOKEN", path: "token" }] },
      },
    ]);
  });

  it("may be mounted by something else", () => {
    const objects = synthOperator({ digitalOcean: Credentials.fromFile("/vault/secrets/do") });
    expect(container(objects).env).to.deep.include({
      name: "DIGITALOCEAN_ACCESS_TOKEN_FILE",
      value: "/vault/secrets/do",
    });
    expect(podSpec(objects)).not.to.have.property("volumes");
  });

  it("need an absolute path, and are not for issuers", () => {
    expect(problemsOf({ cloudflare: Credentials.fromFile("token") })).to.deep.equal([
      '[test/operator] cloudflare: "token" is not an absolute path: give one such as /vault/secrets/token',
    ]);
    const chart = newChart();
    new RoutedIPIssuer(chart, "issuer", { credentials: Credentials.fromFile("/vault/secrets/do") });
    expect(refusals(chart)).to.deep.equal([
      "[test/issuer] credentials: a file is only for the operator's own tokens: give Credentials.fromSecretName(...)",
    ]);
  });
});

describe("an operator without prop image", () => {
  afterEach(() => {
    delete process.env["FLIPOP_IMAGE"];
  });

  it("takes the image of variable FLIPOP_IMAGE of the app", () => {
    process.env["FLIPOP_IMAGE"] = "registry.example.com/flipop:9.9.9";
    expect(container(synthOperator()).image).to.equal("registry.example.com/flipop:9.9.9");
    expect(container(synthOperator({ image: "example.com/own:1" })).image).to.equal("example.com/own:1");
    process.env["FLIPOP_IMAGE"] = "";
    expect(container(synthOperator()).image).to.equal(IMAGE);
  });

  it("refuses a variable that is not an image", () => {
    process.env["FLIPOP_IMAGE"] = "bad image";
    expect(problemsOf({})).to.deep.equal([
      '[test/operator] image: "bad image" is not an image: write it as registry/name:tag, or remove the variable FLIPOP_IMAGE',
    ]);
    expect(problemsOf({ image: "example.com/own:1" })).to.deep.equal([]);
  });
});
