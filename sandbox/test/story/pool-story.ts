/** A story's first step: three nodes, and pool `default/web` with the address 192.0.2.10. */
export function poolStory(
  more: { readonly spec?: string; readonly objects?: string; readonly steps?: string } = {},
): string {
  const { spec = "ips: [192.0.2.10]", objects = "", steps = "" } = more;
  return `
title: t
nodes: [{ name: edge, count: 3 }]
cloud: { addresses: [192.0.2.10] }
acts:
  - title: a
    steps:
      - apply:
          - apiVersion: flipop.digitalocean.com/v1alpha1
            kind: FloatingIPPool
            metadata: { name: web, namespace: default }
            spec: { provider: digitalocean, region: nyc3, ${spec} }
${objects}
      - settle
${steps}
`;
}
