import { ApiObject, type Chart } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  Credentials,
  DnsRecord,
  FlipopOperator,
  FloatingIPPool,
  IpProvider,
  NodeMatch,
  OperatorFeature,
  PodMatch,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  RoutedIPJob,
  SecretRef,
  ServiceRef,
} from "../src";
import { newChart, refusals } from "./support/charts";

// Assembled here, so that nothing in the repo looks like a token.
const TOKENS = {
  "of DigitalOcean": `dop_v1_${"0a".repeat(32)}`,
  "of Cloudflare": `${"aB3".repeat(13)}x`,
  "of Cloudflare with a prefix": `cfat_${"aB3".repeat(12)}`,
};
const LOOKS = "the value looks like an API token (not shown here): put it into a Secret";
const REFER = `${LOOKS}, and refer to that Secret by its name`;
const USE_PROPS = `${LOOKS} and use digitalOcean or cloudflare with Credentials.fromSecretName(...)`;
const JOB = RoutedIPJob.container({ image: "registry.example/update:1" });

type Make = (chart: Chart, token: string) => unknown;

function pool(props: (token: string) => object): Make {
  return (chart, token) => new FloatingIPPool(chart, "bad", { ips: ["192.0.2.1"], ...props(token) });
}

function issuer(props: (token: string) => object): Make {
  return (chart, token) => new RoutedIPIssuer(chart, "bad", props(token));
}

function operator(props: (token: string) => object): Make {
  return (chart, token) => new FlipopOperator(chart, "bad", props(token));
}

function job(make: (token: string) => RoutedIPJob): Make {
  return (chart, token) => {
    const implementation = ClassImplementation.jobs(make(token), JOB);
    return new ClusterRoutedIPClass(chart, "bad", { metadata: { name: "class" }, implementation });
  };
}

/** Where a token was given, how, and the lines of the error. */
const CASES: readonly (readonly [where: string, make: Make, ...says: string[]])[] = [
  [
    "the name of an issuer's Secret",
    issuer((token) => ({ credentials: Credentials.fromSecretName(token) })),
    `credentials: ${REFER}`,
  ],
  [
    "the key of an issuer's Secret",
    issuer((token) => ({ credentials: Credentials.fromSecretName("do", token) })),
    `credentials: ${REFER}`,
  ],
  [
    "the key of a Secret of the app",
    (chart, token) => {
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "do" }, stringData: { other: "x" } };
      new RoutedIPIssuer(chart, "bad", {
        credentials: Credentials.fromSecret(new ApiObject(chart, "s", secret), token),
      });
    },
    `credentials: ${REFER}`,
  ],
  ["an issuer's name", issuer((token) => ({ metadata: { name: token } })), `metadata.name: ${REFER}`],
  ["an issuer's region", issuer((region) => ({ region })), `region: ${REFER}`],
  ["an issuer's firewall", issuer((firewallName) => ({ firewallName })), `firewallName: ${REFER}`],
  ["an issuer's provider", issuer((token) => ({ provider: IpProvider.of(token) })), `provider: ${REFER}`],
  [
    "the name of an issuer from outside of the app",
    (chart, token) => {
      const outside = RoutedIPIssuer.fromRoutedIPIssuerName(chart, "outside", token, "elsewhere");
      const implementation = RoutedIPImplementation.issuer(outside);
      new RoutedIP(chart, "bad", { implementation, service: ServiceRef.fromServiceName("web") });
    },
    `implementation.name: ${REFER}`,
  ],
  [
    "the name of a Service",
    (chart, token) => {
      const implementation = RoutedIPImplementation.issuer(new RoutedIPIssuer(chart, "issuer"));
      new RoutedIP(chart, "bad", { implementation, service: ServiceRef.fromServiceName(token) });
    },
    `service.serviceName: ${REFER}`,
  ],
  ["a label", pool((token) => ({ metadata: { labels: { token } } })), `metadata.labels.token: ${REFER}`],
  ["the key of a label", pool((token) => ({ metadata: { labels: { [token]: "x" } } })), `metadata.labels: ${REFER}`],
  [
    "an annotation",
    pool((token) => ({ metadata: { annotations: { note: `use ${token}` } } })),
    `metadata.annotations.note: ${REFER}`,
  ],
  ["an address", pool((token) => ({ ips: [token] })), `ips[0]: ${REFER}`],
  ["a selector", pool((token) => ({ nodes: NodeMatch.selector(`pool=${token}`) })), `nodes: ${REFER}`],
  ["the value of a label query", pool((token) => ({ pods: PodMatch.labels({ app: token }) })), `pods: ${REFER}`],
  ["a zone", pool((token) => ({ dnsRecord: DnsRecord.cloudflare("www", token) })), `dnsRecord.zone: ${REFER}`],
  ["a value of a wrong type", pool((token) => ({ provider: token })), `provider: ${REFER}`],
  [
    "a Job's variable",
    job((token) => RoutedIPJob.container({ image: "a", env: { MODE: token } })),
    `implementation.updateRoutedIP.template.spec.containers[0].env[0].value: ${REFER}`,
  ],
  [
    "the name of a Job's variable",
    job((token) => RoutedIPJob.container({ image: "a", env: { [token]: "x" } })),
    `implementation.updateRoutedIP.template.spec.containers[0].env[0].name: ${REFER}`,
  ],
  [
    "a Job's argument",
    job((token) => RoutedIPJob.container({ image: "a", args: [`--token=${token}`] })),
    `implementation.updateRoutedIP.template.spec.containers[0].args[0]: ${REFER}`,
  ],
  [
    "a Job's command",
    job((token) => RoutedIPJob.container({ image: "a", command: ["sh", "-c", `curl -H ${token}`] })),
    `implementation.updateRoutedIP.template.spec.containers[0].command[2]: ${REFER}`,
  ],
  [
    "a Job's complete spec",
    job((value) =>
      RoutedIPJob.spec({
        template: { spec: { containers: [{ name: "a", image: "a", env: [{ name: "A", value }] }] } },
      }),
    ),
    `implementation.updateRoutedIP.template.spec.containers[0].env[0].value: ${REFER}`,
  ],
  [
    "the name of a Job's Secret",
    (chart, token) =>
      new ClusterRoutedIPClass(chart, "bad", {
        metadata: { name: "class" },
        implementation: ClassImplementation.jobs(JOB, JOB),
        secrets: [SecretRef.fromSecretName(token)],
      }),
    `secrets[0].name: ${REFER}`,
  ],
  [
    "the name of an operator's Secret",
    operator((token) => ({ digitalOcean: Credentials.fromSecretName(token) })),
    `digitalOcean: ${REFER}`,
  ],
  [
    "the key of an operator's Secret",
    operator((token) => ({ cloudflare: Credentials.fromSecretName("cf", token) })),
    `cloudflare: ${REFER}`,
  ],
  ["an operator's name", operator((name) => ({ name })), `name: ${USE_PROPS}`],
  [
    "an operator's namespace",
    operator((namespace) => ({ namespace, createNamespaces: false })),
    `namespace: ${USE_PROPS}`,
  ],
  [
    "a watched namespace",
    operator((token) => ({ watchNamespaces: ["web", token] })),
    `watchNamespaces[1]: ${USE_PROPS}`,
  ],
  [
    "a namespace of Jobs",
    operator((token) => ({ features: [OperatorFeature.ROUTED_IP, OperatorFeature.JOBS], jobNamespaces: [token] })),
    `jobNamespaces[0]: ${USE_PROPS}`,
  ],
  ["a pull Secret", operator((token) => ({ imagePullSecrets: [token] })), `imagePullSecrets[0]: ${USE_PROPS}`],
  ["a ServiceAccount", operator((serviceAccountName) => ({ serviceAccountName })), `serviceAccountName: ${USE_PROPS}`],
  ["an image", operator((image) => ({ image })), `image: ${USE_PROPS}`],
  ["a node label", operator((token) => ({ nodeSelector: { pool: token } })), `nodeSelector.pool: ${USE_PROPS}`],
  ["the name of a variable", operator((token) => ({ env: { [token]: "x" } })), `env: ${USE_PROPS}`],
  ["text instead of credentials", operator((digitalOcean) => ({ digitalOcean })), `digitalOcean: ${USE_PROPS}`],
];

describe("a token where a name belongs", () => {
  for (const [where, make, ...says] of CASES) {
    it(`is refused and not shown: ${where}`, () => {
      for (const [title, token] of Object.entries(TOKENS)) {
        const chart = newChart({ namespace: "web" });
        make(chart, token);
        const lines = refusals(chart);
        expect(lines, title).to.deep.equal(says.map((line) => `[test/bad] ${line}`));
      }
    });
  }

  it("is not shown in a warning", () => {
    const chart = newChart();
    new FlipopOperator(chart, "bad", { namespace: TOKENS["of DigitalOcean"], createNamespaces: false });
    expect(refusals(chart)).to.have.length(1);
    expect(JSON.stringify(chart.node.findAll().map(({ node }) => node.metadata))).not.to.include("dop_v1");
  });
});

describe("the credentials of an operator", () => {
  const problemsOf = (name: string, key?: string): readonly string[] => {
    const chart = newChart();
    new FlipopOperator(chart, "bad", { cloudflare: Credentials.fromSecretName(name, key) });
    return refusals(chart);
  };
  const NAME = 'use lower-case letters, digits, "-" and ".", with a letter or digit at each end, such as "flipop"';

  it("need the name of a Secret", () => {
    expect(problemsOf("My_Secret")).to.deep.equal([
      `[test/bad] cloudflare.name: "My_Secret" is not the name of an object: ${NAME}`,
    ]);
    expect(problemsOf("")).to.deep.equal(["[test/bad] cloudflare.name: is empty: give a value"]);
  });

  it("need a key that a Secret can have", () => {
    const KEY = 'is not a key of a Secret: use letters, digits, "-", "_" and ".", such as "token"';
    expect(problemsOf("cf", "my token")).to.deep.equal([`[test/bad] cloudflare.key: "my token" ${KEY}`]);
    expect(problemsOf("cf", "")).to.deep.equal(["[test/bad] cloudflare.key: is empty: give a value"]);
    expect(problemsOf("cf", "CLOUDFLARE_TOKEN")).to.deep.equal([]);
  });
});
