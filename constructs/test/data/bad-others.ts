import { type BadSpec, badOf } from "./bad-spec";

const nodeDns = badOf("NodeDNSRecordSet");
const routed = badOf("RoutedIP");
const issuer = badOf("RoutedIPIssuer");
const klass = badOf("ClusterRoutedIPClass");

/** Fields that turn the minimal class into one with Jobs. */
const JOB = { template: { spec: { containers: [{ name: "a", image: "b" }], restartPolicy: "Never" } } };
const NO_ISSUER = { issuerRef: undefined };

const badRangeOfAddresses = badEntry(
  "allowedAddresses",
  "Created",
  (entry) => `"${entry}" is neither Created nor an address range: give a range in CIDR notation such as 203.0.113.0/24`,
);
const badName = badEntry(
  "allowedNames",
  "www.example.com",
  (entry) => `"${entry}" is not a pattern of DNS names: give a full name in lower case`,
);
const badZone = badEntry(
  "allowedZones",
  "example.com",
  (entry) =>
    `"${entry}" is a pattern: give the name of each zone, such as example.com, and patterns in allowedNames; a name must pass both lists`,
);
const badPort = badEntry(
  "allowedPorts",
  "80",
  (entry) => `"${entry}" is not a port or a range of ports: give PORT or FROM-TO, 1 to 65535`,
);

/** Invalid resources of the other kinds, each with one mistake. */
export const BAD_OTHERS: readonly BadSpec[] = [
  nodeDns(
    { dnsRecordSet: undefined },
    {
      name: "no record set",
      path: "spec.dnsRecordSet",
      says: "is required: add it",
      serverSays: "spec.dnsRecordSet: Required value",
    },
  ),
  nodeDns(
    { addressType: "Hostname" },
    {
      name: "an unknown address type",
      path: "spec.addressType",
      says: '"Hostname" is not supported',
      serverSays: 'Unsupported value: "Hostname"',
    },
  ),
  nodeDns(
    { emptyPolicy: "Retain" },
    {
      name: "an unknown empty policy",
      path: "spec.emptyPolicy",
      says: '"Retain" is not supported: use "Keep" or "Delete"',
      serverSays: 'supported values: "Keep", "Delete"',
    },
  ),
  nodeDns(
    { ipFamilies: ["IPv4", "IPv4"] },
    {
      name: "a family twice",
      path: "spec.ipFamilies[1]",
      says: '"IPv4" is listed twice: remove one',
      serverSays: "Duplicate value",
    },
  ),
  nodeDns(
    { ipFamilies: ["IPv5"] },
    {
      name: "an unknown family",
      path: "spec.ipFamilies[0]",
      says: '"IPv5" is not supported',
      serverSays: 'Unsupported value: "IPv5"',
    },
  ),
  nodeDns(
    { addressType: "flipop.digitalocean.com/ipv4-reserved-ip", ipFamilies: ["IPv6"] },
    {
      name: "a family that the address type does not have",
      path: "spec",
      says: "addressType flipop.digitalocean.com/ipv4-reserved-ip has one family, but ipFamilies names another: remove ipFamilies",
    },
  ),
  nodeDns(
    { match: { podLabel: "app in (" } },
    { name: "a bad pod selector", path: "spec.match.podLabel", says: "is not a label selector" },
  ),
  routed(
    { issuerRef: { name: "digitalocean" } },
    {
      name: "className and issuerRef",
      path: "spec",
      says: "className and issuerRef are both set: keep the one that should manage this address",
    },
  ),
  routed(
    { className: undefined },
    {
      name: "neither className nor issuerRef",
      path: "spec",
      says: "neither className nor issuerRef is set: set one of them",
    },
  ),
  routed(
    { routedIP: "1.2.3" },
    { name: "an invalid address", path: "spec.routedIP", says: '"1.2.3" is not an IP address' },
  ),
  routed(
    { serviceRef: undefined },
    {
      name: "no Service",
      path: "spec.serviceRef",
      says: "is required: add it",
      serverSays: "spec.serviceRef: Required value",
    },
  ),
  routed(
    { serviceRef: { serviceName: "" } },
    {
      name: "a Service without name",
      path: "spec.serviceRef.serviceName",
      says: "is empty: give a value",
      serverSays: "should be at least 1 chars long",
    },
  ),
  routed(
    { serviceRef: { serviceName: "a.b" } },
    {
      name: "a Service name with a dot",
      path: "spec.serviceRef.serviceName",
      says: '"a.b" is not a DNS label: use at most 63 lower-case letters',
      serverSays: "should match",
    },
  ),
  routed(
    { className: "Public" },
    {
      name: "a class name in upper case",
      path: "spec.className",
      says: '"Public" is not the name of an object: use lower-case letters',
      serverSays: "should match",
    },
  ),
  issuer(
    { credentialsSecretRef: { key: "token" } },
    {
      name: "credentials without a Secret",
      path: "spec.credentialsSecretRef.name",
      says: "is required: add it",
      serverSays: "spec.credentialsSecretRef.name: Required value",
    },
  ),
  issuer(
    { credentialsSecretRef: { name: "do", key: "a/b" } },
    {
      name: "an invalid Secret key",
      path: "spec.credentialsSecretRef.key",
      says: '"a/b" is not a key of a Secret: use letters, digits, "-", "_" and "."',
      serverSays: "should match",
    },
  ),
  issuer(
    { routedIPReclaimPolicy: "delete" },
    {
      name: "a reclaim policy in lower case",
      path: "spec.routedIPReclaimPolicy",
      says: '"delete" is not supported: use "Retain" or "Delete"',
      serverSays: 'supported values: "Retain", "Delete"',
    },
  ),
  issuer(
    { routedIPFirewallName: "" },
    {
      name: "an empty firewall name",
      path: "spec.routedIPFirewallName",
      says: "is empty: give a value",
      serverSays: "should be at least 1 chars long",
    },
  ),
  ...["", "30000", "30000-", "0-100", "2-1", "1-65536", "a-b", "3000-32767 "].map(badRange),
  klass(
    { updateRoutedIP: JOB, updateFirewall: JOB },
    {
      name: "issuer and Jobs",
      path: "spec",
      says: "issuerRef and Jobs are both set: keep only issuerRef, or only updateRoutedIP and updateFirewall",
    },
  ),
  klass(NO_ISSUER, {
    name: "no implementation",
    path: "spec",
    says: "the class has no implementation: set issuerRef, or updateRoutedIP and, for a firewall, updateFirewall",
  }),
  klass(
    { ...NO_ISSUER, updateFirewall: JOB },
    {
      name: "only a firewall Job",
      path: "spec",
      says: "updateFirewall is set without updateRoutedIP: set both, or only updateRoutedIP",
    },
  ),
  klass(
    { fromSecretsRef: [{ name: "cloud" }] },
    {
      name: "issuer and Secrets for Jobs",
      path: "spec",
      says: "fromSecretsRef has no effect with issuerRef, because only Jobs use it: remove it; the token of an issuer is in its credentialsSecretRef",
    },
  ),
  ...["", "0", "65536", "443-80", "80/tcp", "80/SCTP", "-80", "80-", "http"].map(badPort),
  ...["", "created", "203.0.113.7", "203.0.113.0/33", "203.0.113.0/08", "::/129", "::ffff:192.0.2.0/120"].map(
    badRangeOfAddresses,
  ),
  badEntry(
    "allowedNames",
    "www.example.com",
    (entry) => `"${entry}" has **: write one *, which stands for any text`,
  )("**.example.com"),
  ...["", "*.Example.com", "www..example.com", "{name}.example.com", "*.example.com."].map(badName),
  badZone("*.example.com"),
  klass(
    { maxPorts: 257 },
    {
      name: "more ports than a status holds",
      path: "spec.maxPorts",
      says: "257 is too large: at most 256",
      serverSays: "should be less than or equal to 256",
    },
  ),
  klass(
    { perNodeIPLimit: 0 },
    {
      name: "a limit of 0",
      path: "spec.perNodeIPLimit",
      says: "0 is too small: at least 1",
      serverSays: "should be greater than or equal to 1",
    },
  ),
  klass(
    { electedNodeTaint: { effect: "NoExecute" } },
    {
      name: "a taint that evicts",
      path: "spec.electedNodeTaint.effect",
      says: '"NoExecute" is not supported',
      serverSays: 'Unsupported value: "NoExecute"',
    },
  ),
  klass(
    { electedNodeTaint: { key: "example.com/elected" } },
    {
      name: "a taint key outside flipop's prefix",
      path: "spec.electedNodeTaint.key",
      says: '"example.com/elected" is not a taint key of flipop: use flipop.digitalocean.com/ and a name',
      serverSays: "should match",
    },
  ),
  klass(
    { allowedNamespaces: ["a", "a"] },
    {
      name: "a namespace twice",
      path: "spec.allowedNamespaces[1]",
      says: '"a" is listed twice: remove one',
      serverSays: "Duplicate value",
    },
  ),
  klass(
    { issuerRef: { name: "digitalocean" } },
    {
      name: "an issuer without namespace",
      path: "spec.issuerRef.namespace",
      says: "is required: add it",
      serverSays: "spec.issuerRef.namespace: Required value",
    },
  ),
];

function badRange(range: string): BadSpec {
  return klass(
    { nodePortRange: range },
    {
      name: `nodePortRange ${JSON.stringify(range)}`,
      path: "spec.nodePortRange",
      says: `"${range}" is not a port range: give FROM-TO with 1 <= FROM <= TO <= 65535, such as 30000-32767`,
    },
  );
}

/** An entry of a list of the class, behind a good one. */
function badEntry(field: string, good: string, says: (entry: string) => string) {
  return (entry: string): BadSpec =>
    klass(
      { [field]: [good, entry] },
      { name: `${field} with ${JSON.stringify(entry)}`, path: `spec.${field}[1]`, says: says(entry) },
    );
}
