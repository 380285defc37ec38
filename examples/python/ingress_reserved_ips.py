"""Ingress with reserved IPs and DigitalOcean DNS: the Python version of ../ingress-reserved-ips.ts, which explains it.

A workload made with cdk8s-plus goes in as it is, and so does one of any other version of cdk8s-plus.
"""

from cdk8s import ApiObject, ApiObjectMetadata, App, Chart, Duration, JsonPatch
from cdk8s_flipop import DnsRecord, FloatingIPPool, NodeMatch, PodMatch, ReclaimPolicy
from cdk8s_plus_28 import k8s

app = App()
chart = Chart(app, "ingress", namespace="ingress")

namespace = ApiObject(
    chart, "namespace", api_version="v1", kind="Namespace", metadata=ApiObjectMetadata(name="ingress")
)
namespace.add_json_patch(JsonPatch.remove("/metadata/namespace"))

labels = {"app": "proxy"}
proxy = k8s.KubeDaemonSet(
    chart,
    "proxy",
    metadata=k8s.ObjectMeta(name="proxy"),
    spec=k8s.DaemonSetSpec(
        selector=k8s.LabelSelector(match_labels=labels),
        template=k8s.PodTemplateSpec(
            metadata=k8s.ObjectMeta(labels=labels),
            spec=k8s.PodSpec(
                node_selector={"doks.digitalocean.com/node-pool": "edge"},
                containers=[
                    k8s.Container(
                        name="nginx",
                        image="nginxinc/nginx-unprivileged:1.29",
                        ports=[k8s.ContainerPort(container_port=8080, host_port=80)],
                        readiness_probe=k8s.Probe(
                            http_get=k8s.HttpGetAction(path="/", port=k8s.IntOrString.from_number(8080))
                        ),
                    )
                ],
            ),
        ),
    ),
)

FloatingIPPool(
    chart,
    "pool",
    metadata={"name": "ingress"},
    region="nyc3",
    desired_ips=3,
    pods=PodMatch.of(proxy),
    nodes=NodeMatch.doks_node_pool("edge"),
    grace_period=Duration.minutes(1),
    reclaim_policy=ReclaimPolicy.RETAIN,
    dns_record=DnsRecord.digital_ocean("www", "example.com", ttl=Duration.seconds(60)),
)

app.synth()
