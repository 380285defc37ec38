/** The smallest valid spec of each kind. */
const MINIMAL: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  FloatingIPPool: { provider: "digitalocean", ips: ["192.0.2.1"] },
  NodeDNSRecordSet: { dnsRecordSet: { recordName: "nodes", zone: "example.com" } },
  RoutedIP: { className: "public", serviceRef: { serviceName: "ingress" } },
  RoutedIPIssuer: { provider: "digitalocean" },
  ClusterRoutedIPClass: { issuerRef: { name: "digitalocean", namespace: "flipop" } },
};

/** The smallest valid spec of a kind. */
export function minimalSpec(kind: string): Readonly<Record<string, unknown>> {
  const spec = MINIMAL[kind];
  if (!spec) throw new Error(`no minimal spec for kind "${kind}"`);
  return spec;
}
