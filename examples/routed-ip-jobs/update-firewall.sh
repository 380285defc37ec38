#!/bin/sh
# updateFirewall of a ClusterRoutedIPClass: sets the rules of one firewall to the complete set in FIREWALL_RULES:
# [{"protocol": "tcp", "port": 443, "nodes": [{"name": "...", "providerID": "digitalocean://1"}]}, ...]
# Only this class uses the firewall, so the script replaces all rules. Needs curl, and DIGITALOCEAN_ACCESS_TOKEN from a
# Secret.
set -eu
api="${DIGITALOCEAN_API_URL:-https://api.digitalocean.com}"
name="${FIREWALL_NAME:-routed-ip-jobs}"

call() {
  curl --silent --show-error --fail-with-body --max-time 30 \
    -H "Authorization: Bearer $DIGITALOCEAN_ACCESS_TOKEN" -H "Content-Type: application/json" "$@"
}

anywhere='["0.0.0.0/0", "::/0"]'
inbound=$(printf '%s' "$FIREWALL_RULES" | tr '{' '\n' |
  sed -n "s|.*\"protocol\":\"\([a-z]*\)\",\"port\":\([0-9]*\).*|{\"protocol\": \"\1\", \"ports\": \"\2\", \"sources\": {\"addresses\": $anywhere}}|p" | paste -sd, -)
droplets=$(printf '%s' "$FIREWALL_RULES" | tr '"' '\n' | sed -n 's|^digitalocean://||p' | sort -u | paste -sd, -)
outbound="{\"protocol\": \"tcp\", \"ports\": \"1-65535\", \"destinations\": {\"addresses\": $anywhere}}, {\"protocol\": \"udp\", \"ports\": \"1-65535\", \"destinations\": {\"addresses\": $anywhere}}"
body="{\"name\": \"$name\", \"inbound_rules\": [$inbound], \"outbound_rules\": [$outbound], \"droplet_ids\": [$droplets]}"

# Not in a pipe: a failure of curl must end the script, or it would create a second firewall.
all=$(call "$api/v2/firewalls?per_page=200") || { echo "$all"; exit 1; }
id=$(printf '%s' "$all" | tr -d ' \n' | tr '{' '\n' | sed -n "s/^\"id\":\"\([^\"]*\)\",\"name\":\"$name\".*/\1/p")
if [ -z "$id" ]; then
  call -X POST "$api/v2/firewalls" -d "$body" > /dev/null
else
  call -X PUT "$api/v2/firewalls/$id" -d "$body" > /dev/null
fi
