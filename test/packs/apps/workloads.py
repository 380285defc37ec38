"""Pools for workloads, Services and Secrets of two versions of cdk8s-plus, and for plain objects."""

import cdk8s_plus_28 as kplus28
import cdk8s_plus_37 as kplus37
from cdk8s import ApiObject, ApiObjectMetadata, App, Chart, JsonPatch
from cdk8s_flipop import (
    Credentials,
    FloatingIPPool,
    PodMatch,
    RoutedIP,
    RoutedIPImplementation,
    RoutedIPIssuer,
    ServiceRef,
)

app = App()


def resources(chart, workload, service, secret):
    """Resources that refer to all three, whatever made them."""
    FloatingIPPool(
        chart,
        "pool",
        metadata={"name": "pool"},
        ips=["192.0.2.10"],
        pods=PodMatch.of(workload),
        # The charts have the same addresses, as for several clusters.
        cluster=chart.node.id,
    )
    issuer = RoutedIPIssuer(
        chart, "issuer", metadata={"name": "issuer"}, credentials=Credentials.from_secret(secret, "token")
    )
    RoutedIP(
        chart,
        "address",
        metadata={"name": "address"},
        address="192.0.2.20",
        implementation=RoutedIPImplementation.issuer(issuer),
        service=ServiceRef.from_service(service),
    )


for name, kplus in {"plus-28": kplus28, "plus-37": kplus37}.items():
    chart = Chart(app, name, namespace=name)
    workload = kplus.Deployment(
        chart,
        "workload",
        select=False,
        pod_metadata=ApiObjectMetadata(labels={"app": "web"}),
        containers=[kplus.ContainerProps(image="nginx:1.29", port_number=80)],
    )
    workload.select(kplus.LabelSelector.of(labels={"app": "web"}))
    service = kplus.Service(
        chart, "service", metadata=ApiObjectMetadata(name="web"), ports=[kplus.ServicePort(port=80)]
    )
    secret = kplus.Secret(
        chart, "secret", metadata=ApiObjectMetadata(name="digitalocean"), string_data={"token": "t"}
    )
    resources(chart, workload, service, secret)

chart = Chart(app, "plain", namespace="plain")
workload = ApiObject(chart, "workload", api_version="apps/v1", kind="Deployment")
workload.add_json_patch(JsonPatch.add("/spec", {"selector": {"matchLabels": {"app": "web"}}}))
service = ApiObject(
    chart, "service", api_version="v1", kind="Service", metadata=ApiObjectMetadata(name="web")
)
secret = ApiObject(
    chart, "secret", api_version="v1", kind="Secret", metadata=ApiObjectMetadata(name="digitalocean")
)
secret.add_json_patch(JsonPatch.add("/data", {"token": "dA=="}))
resources(chart, workload, service, secret)

app.synth()
