"""Cloudflare DNS for node addresses: the Python version of ../node-records-cloudflare.ts, which explains each line.

Props become keyword arguments, in snake_case; names of record types and enums stay as they are.
"""

from cdk8s import App, Chart, Duration
from cdk8s_flipop import (
    AddressType,
    DnsRecord,
    EmptyPolicy,
    IpFamily,
    LabelQuery,
    NodeDNSRecordSet,
    NodeMatch,
)

ZONE = "023e105f4ecef8ad9ca31a8372d0c353"

app = App()
chart = Chart(app, "node-records", namespace="default")

NodeDNSRecordSet(
    chart,
    "public",
    metadata={"name": "nodes-public"},
    dns_record=DnsRecord.cloudflare("nodes.example.com", ZONE, ttl=Duration.minutes(5)),
    address_type=AddressType.EXTERNAL_IP,
    ip_families=[IpFamily.IPV4],
    grace_period=Duration.minutes(2),
)

NodeDNSRecordSet(
    chart,
    "workers",
    metadata={"name": "nodes-workers"},
    nodes=NodeMatch.query(
        [
            LabelQuery.in_("pool", ["worker", "batch"]),
            LabelQuery.does_not_exist("example.com/spot"),
        ]
    ),
    dns_record=DnsRecord.cloudflare("workers.internal.example.com", ZONE),
    address_type=AddressType.INTERNAL_IP,
    empty_policy=EmptyPolicy.DELETE,
)

app.synth()
