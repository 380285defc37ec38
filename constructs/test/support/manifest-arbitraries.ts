import fc from "fast-check";

/** A manifest of one object. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

const NAMES = ["web", "ingress-2", "1st", "a.b", "class", "it-is-a-rather-long-name-of-an-object-in-the-cluster"];
const NAMESPACES = ["ingress", "games", "kube", "2b"];
const ADDRESSES = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8::1", "2001:db8::2"];
const SELECTORS = [
  "app=web",
  "app=web,tier=a",
  "app in (a, b),!spot",
  "doks.digitalocean.com/node-pool=work",
  "",
  "gen>3",
  "app==web",
  "empty=",
];
const TEXTS = ["nyc3", "", 'a "quoted" text', "it's", "x".repeat(60), "line\nbreak", "ünïcode", "$" + "{x}", "\\"];

/** Random manifests of the five kinds and of some others; most of them are valid. */
export const manifests: fc.Arbitrary<readonly Manifest[]> = fc.uniqueArray(
  fc.oneof(
    namespaced("FloatingIPPool", pool()),
    namespaced("NodeDNSRecordSet", nodeRecords()),
    namespaced("RoutedIP", routedIp()),
    namespaced("RoutedIPIssuer", issuer()),
    named("flipop.digitalocean.com/v1alpha1", "ClusterRoutedIPClass", clusterClass()),
    service(),
  ),
  { maxLength: 6, selector: ({ kind, metadata }) => `${kind} ${metadata.namespace} ${metadata.name}` },
);

type Fields = Readonly<Record<string, unknown>>;

function some<T extends object>(fields: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;
}

/** Some required fields, and any of the others. */
function spec(
  required: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  more: Readonly<Record<string, fc.Arbitrary<unknown>>>,
) {
  return fc.record({ ...required, ...more }, { requiredKeys: Object.keys(required) });
}

function namespaced(kind: string, body: fc.Arbitrary<Fields>): fc.Arbitrary<Manifest> {
  const inNamespace = fc.option(fc.constantFrom(...NAMESPACES), { nil: undefined });
  return fc.tuple(named("flipop.digitalocean.com/v1alpha1", kind, body), inNamespace).map(([object, namespace]) => ({
    ...object,
    metadata: { ...object.metadata, ...(namespace === undefined ? {} : { namespace }) },
  }));
}

function named(apiVersion: string, kind: string, body: fc.Arbitrary<Fields>): fc.Arbitrary<Manifest> {
  const extra = some({
    labels: fc.dictionary(fc.constantFrom("app", "example.com/team"), fc.constantFrom("a", "")),
    annotations: fc.dictionary(fc.constantFrom("note", "example.com/why"), fc.constantFrom(...TEXTS)),
  });
  return fc
    .tuple(fc.constantFrom(...NAMES), extra, body)
    .map(([name, more, given]) => ({ apiVersion, kind, metadata: { name, ...more }, spec: given }));
}

function service(): fc.Arbitrary<Manifest> {
  const body = fc.record({
    ports: fc.array(fc.record({ port: fc.nat(70), protocol: fc.constantFrom("TCP", "UDP") }), { maxLength: 3 }),
    selector: fc.dictionary(fc.constantFrom("app", "a/b"), fc.constantFrom("x", "y")),
  });
  return named("v1", "Service", body).map((object) => ({
    ...object,
    metadata: { ...object.metadata, namespace: "games" },
  }));
}

function seconds(): fc.Arbitrary<number> {
  return fc.constantFrom(0, 1, 30, 60, 90, 3600, 86_400, 0.5, 0.001);
}

function match(): fc.Arbitrary<Fields> {
  const toleration = some({
    key: fc.constantFrom("a", "node.kubernetes.io/unschedulable", ""),
    operator: fc.constantFrom("Exists", "Equal", "Any"),
    value: fc.constantFrom("b", ""),
    effect: fc.constantFrom("NoSchedule", "NoExecute", "None"),
  });
  return some({
    podNamespace: fc.constantFrom("ingress", ""),
    podLabel: fc.constantFrom(...SELECTORS),
    nodeLabel: fc.constantFrom(...SELECTORS),
    tolerations: fc.array(toleration, { maxLength: 3 }),
  });
}

function recordSet(): fc.Arbitrary<Fields> {
  return spec(
    {
      recordName: fc.constantFrom("@", "www", "www.example.com", "*.a", "not a name"),
      zone: fc.constant("example.com"),
    },
    {
      ttl: fc.constantFrom(0, 30, 60, 300, 86_400),
      provider: fc.constantFrom("digitalocean", "cloudflare", "elsewhere", ""),
      deletionPolicy: fc.constantFrom("Retain", "Delete"),
    },
  );
}

function pool(): fc.Arbitrary<Fields> {
  return spec(
    { provider: fc.constantFrom("digitalocean", "digitalocean", "elsewhere") },
    {
      region: fc.constantFrom("nyc3", ...TEXTS),
      desiredIPs: fc.nat(4),
      ips: fc.array(fc.constantFrom(...ADDRESSES), { maxLength: 3 }),
      ipFamily: fc.constantFrom("IPv4", "IPv6", "IPv5"),
      assignmentCoolOffSeconds: seconds(),
      dnsRecordSet: recordSet(),
      match: match(),
      gracePeriodSeconds: seconds(),
      nodePreference: fc.constantFrom("Stable", "Name"),
      reclaimPolicy: fc.constantFrom("Retain", "Delete"),
      holderLabel: fc.boolean(),
      untilAssigned: fc.boolean(),
      publishTo: fc.constant([
        { kind: "Service", name: "web" },
        { kind: "Gateway", name: "edge" },
      ]),
      paused: fc.boolean(),
    },
  );
}

function nodeRecords(): fc.Arbitrary<Fields> {
  return spec(
    { dnsRecordSet: recordSet() },
    {
      provider: fc.constantFrom("digitalocean", "cloudflare"),
      match: match(),
      addressType: fc.constantFrom("ExternalIP", "InternalIP", "flipop.digitalocean.com/ipv6-reserved-ip", ""),
      ipFamilies: fc.uniqueArray(fc.constantFrom("IPv4", "IPv6"), { maxLength: 2 }),
      gracePeriodSeconds: seconds(),
      emptyPolicy: fc.constantFrom("Keep", "Delete"),
      paused: fc.boolean(),
    },
  );
}

function routedIp(): fc.Arbitrary<Fields> {
  return spec(
    {
      serviceRef: spec({ serviceName: fc.constantFrom(...NAMES) }, { namespace: fc.constantFrom(...NAMESPACES) }),
    },
    {
      className: fc.constantFrom(...NAMES),
      issuerRef: fc.record({ name: fc.constantFrom(...NAMES) }),
      routedIP: fc.constantFrom(...ADDRESSES),
      dnsRecordSet: recordSet(),
      gracePeriodSeconds: seconds(),
      holderLabel: fc.boolean(),
      untilAssigned: fc.boolean(),
      publishTo: fc.constant([{ kind: "Service", name: "web" }]),
      paused: fc.boolean(),
    },
  );
}

function issuer(): fc.Arbitrary<Fields> {
  return spec(
    { provider: fc.constantFrom("digitalocean", "elsewhere") },
    {
      region: fc.constantFrom("nyc3", ""),
      credentialsSecretRef: spec({ name: fc.constantFrom(...NAMES) }, { key: fc.constantFrom("token", "a b") }),
      routedIPReclaimPolicy: fc.constantFrom("Retain", "Delete"),
      routedIPFirewallName: fc.constantFrom("edge", "game servers"),
    },
  );
}

function clusterClass(): fc.Arbitrary<Fields> {
  const job = fc.constantFrom(
    { template: { spec: { containers: [{ name: "update", image: "registry.example/update:1" }] } } },
    {
      activeDeadlineSeconds: 60,
      template: {
        metadata: { labels: { "a/b": "c", d: "e" } },
        spec: {
          restartPolicy: "Never",
          containers: [
            {
              name: "update",
              image: "registry.example/update:1",
              env: [{ name: "MODE", value: "assign" }],
              args: ["a"],
            },
            { name: "other", image: "registry.example/other:1" },
          ],
        },
      },
    },
    { ttlSecondsAfterFinished: 60, template: {} },
  );
  return some({
    issuerRef: spec({ name: fc.constantFrom(...NAMES) }, { namespace: fc.constantFrom(...NAMESPACES) }),
    className: fc.constantFrom(...NAMES),
    updateRoutedIP: job,
    updateFirewall: job,
    firewallPostAllow: fc.boolean(),
    nodePortRange: fc.constantFrom("30000-32767", "1-2", "x", "030-31"),
    perNodeIPLimit: fc.integer({ min: 1, max: 3 }),
    fromSecretsRef: fc.array(fc.record({ name: fc.constantFrom(...NAMES) }), { maxLength: 2 }),
    jobNamespace: fc.constantFrom("jobs", ""),
    electedNodeTaint: some({
      key: fc.constantFrom("flipop.digitalocean.com/edge", "other"),
      value: fc.constantFrom("", "a"),
      effect: fc.constantFrom("NoSchedule", "NoExecute", "PreferNoSchedule"),
    }),
    allowedNamespaces: fc.uniqueArray(fc.constantFrom(...NAMESPACES), { maxLength: 3 }),
  });
}

/** Random sets of objects, for checks that have no counterexample to shrink. */
export function sampleManifests(count: number): readonly (readonly Manifest[])[] {
  return fc.sample(manifests, count);
}
