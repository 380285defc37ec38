#!/bin/sh
# Creates a ready node for each droplet of the simulated account. Needs curl, jq and kubectl, and the variables
# KUBECONFIG, DIGITALOCEAN_API_URL and DIGITALOCEAN_ACCESS_TOKEN.
set -eu
file=$(mktemp)
trap 'rm -f "$file"' EXIT
curl --silent --fail -H "Authorization: Bearer $DIGITALOCEAN_ACCESS_TOKEN" "$DIGITALOCEAN_API_URL/v2/droplets" | jq '.droplets[] | {
  apiVersion: "v1", kind: "Node",
  metadata: {name: .name, labels: {"topology.kubernetes.io/region": .region.slug}},
  spec: {providerID: "digitalocean://\(.id)"},
  status: {
    conditions: [{type: "Ready", status: "True", reason: "KubeletReady"}],
    addresses: [.networks.v4[] | {type: (if .type == "public" then "ExternalIP" else "InternalIP" end), address: .ip_address}]
      | unique_by(.type)
  }
}' > "$file"
kubectl apply --server-side -f "$file"
kubectl apply --server-side --subresource=status -f "$file"
