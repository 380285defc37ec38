terraform {
  required_providers {
    digitalocean = { source = "digitalocean/digitalocean" }
  }
}

# Only Terraform creates and destroys these addresses. The operator assigns them, so Terraform must not: leave out
# droplet_id, and add no digitalocean_reserved_ip_assignment.
resource "digitalocean_reserved_ip" "ingress" {
  count  = 2
  region = "nyc3"

  lifecycle {
    # A customer's firewall may contain the address.
    prevent_destroy = true
    # The operator moves the address from droplet to droplet.
    ignore_changes = [droplet_id]
  }
}

output "ingress_ips" {
  value = digitalocean_reserved_ip.ingress[*].ip_address
}
