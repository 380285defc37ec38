"""A platform and a team in one app: the Python version of ../platform-and-team.ts, which explains each line."""

from cdk8s import ApiObject, ApiObjectMetadata, App, Chart, Duration, Size
from cdk8s_flipop import (
    ClassImplementation,
    ClusterRoutedIPClass,
    Credentials,
    DnsRecord,
    FlipopOperator,
    FloatingIPPool,
    NodeDNSRecordSet,
    NodeMatch,
    OperatorFeature,
    PodMatch,
    RoutedIP,
    RoutedIPImplementation,
    RoutedIPIssuer,
    ServiceRef,
)

app = App()

namespaces = Chart(app, "namespaces")
for name in ["mail", "web"]:
    ApiObject(namespaces, name, api_version="v1", kind="Namespace", metadata=ApiObjectMetadata(name=name))

platform = Chart(app, "flipop", namespace="flipop")
platform.add_dependency(namespaces)
operator = FlipopOperator(
    platform,
    "operator",
    features=[OperatorFeature.DNS],
    watch_namespaces=["mail"],
    pod_namespaces=["mail"],
    digital_ocean=Credentials.from_secret_name("clouds", "digitalocean"),
    cloudflare=Credentials.from_secret_name("clouds", "cloudflare"),
    token_files=True,
    memory_limit=Size.mebibytes(256),
    pod_annotations={"example.com/owner": "platform-team"},
)

issuer = RoutedIPIssuer(platform, "issuer", metadata={"name": "digitalocean"}, region="nyc3")
shared = ClusterRoutedIPClass(
    platform,
    "shared",
    metadata={"name": "shared"},
    implementation=ClassImplementation.issuer(issuer),
    allowed_namespaces=["mail"],
)
shared.allow_namespace("web")

team = Chart(app, "web", namespace="web")
team.add_dependency(platform)
pool = FloatingIPPool(
    team,
    "pool",
    metadata={"name": "web"},
    region="nyc3",
    desired_ips=4,
    pods=PodMatch.labels({"app": "proxy"}, namespace="web"),
    nodes=NodeMatch.doks_node_pool("edge"),
    grace_period=Duration.seconds(30),
    dns_record=DnsRecord.digital_ocean("www", "example.com"),
)
nodes = NodeDNSRecordSet(
    team,
    "nodes",
    metadata={"name": "nodes"},
    dns_record=DnsRecord.cloudflare("nodes.example.com", "example.com", ttl=Duration.minutes(5)),
)
address = RoutedIP(
    team,
    "address",
    metadata={"name": "game"},
    implementation=RoutedIPImplementation.cluster_class(shared),
    service=ServiceRef.from_service_name("game"),
)

operator.serve(pool, nodes, address)

deployer = ApiObject(
    team, "deployer", api_version="v1", kind="ServiceAccount", metadata=ApiObjectMetadata(name="deployer")
)
pool.grant_manage(deployer)

app.synth()

for construct in app.node.find_all():
    for entry in construct.node.metadata:
        if entry.type == "flipop:warning":
            print(f"{construct.node.path}: {entry.data}")
