#!/bin/sh
# updateRoutedIP of a ClusterRoutedIPClass: assigns ROUTED_IP to the elected node, and creates an address if it is
# empty. Needs curl, and DIGITALOCEAN_ACCESS_TOKEN from a Secret of fromSecretsRef. An Event shows its last output.
set -eu
api="${DIGITALOCEAN_API_URL:-https://api.digitalocean.com}"
droplet="${NODE_PROVIDER_ID#digitalocean://}"

call() {
  curl --silent --show-error --fail-with-body --max-time 30 \
    -H "Authorization: Bearer $DIGITALOCEAN_ACCESS_TOKEN" -H "Content-Type: application/json" "$@"
}

held() {
  call "$api/v2/reserved_ips/$1" | tr -d ' \n' | grep -q "\"droplet\":{\"id\":$droplet,"
}

if [ -z "$ROUTED_IP" ]; then
  # Not in a pipe: a failure of curl must end the script.
  answer=$(call -X POST "$api/v2/reserved_ips" -d "{\"droplet_id\": $droplet}") || { echo "$answer"; exit 1; }
  ip=$(printf '%s' "$answer" | tr -d ' \n' | sed -n 's/.*"ip":"\([0-9.]*\)".*/\1/p')
  # This line reports the address to the operator. Without it, a person would have to.
  printf '{"routedIP": "%s"}' "$ip" > /dev/termination-log
else
  ip="$ROUTED_IP"
  held "$ip" || call -X POST "$api/v2/reserved_ips/$ip/actions" -d "{\"type\": \"assign\", \"droplet_id\": $droplet}" > /dev/null
fi
until held "$ip"; do sleep 1; done
