"""Mistakes in Python. Prints the error of each call or synthesis as JSON: title -> lines."""

import json
import sys

import cdk8s_plus_28 as kplus
from cdk8s import App, Chart, Testing, YamlOutputType
from cdk8s_flipop import (
    ClassImplementation,
    ClusterRoutedIPClass,
    Credentials,
    DnsRecord,
    FlipopCrds,
    FlipopOperator,
    FloatingIPPool,
    OperatorFeature,
    RoutedIP,
    RoutedIPImplementation,
    RoutedIPIssuer,
    RoutedIPJob,
    SecretRef,
    ServiceRef,
)

# Assembled here, so that nothing in the repo looks like a token.
TOKEN = "dop_v1_" + "0a" * 32
JOB = RoutedIPJob.container(image="registry.example/update:1")


def job(spec):
    jobs = ClassImplementation.jobs(RoutedIPJob.spec(spec), JOB)
    return lambda chart: ClusterRoutedIPClass(chart, "bad", metadata={"name": "class"}, implementation=jobs)


def pod(**fields):
    return job({"template": {"spec": {"containers": [{"name": "a", "image": "a"}], **fields}}})


def container(**fields):
    return pod(containers=[{"name": "a", "image": "a", **fields}])


def routed_ip(reference):
    def make(chart):
        RoutedIP(chart, "bad", implementation=reference(chart), service=ServiceRef.from_service_name("web"))

    return make


def pool(chart, name, address, **props):
    return FloatingIPPool(chart, name, metadata={"name": "web"}, ips=[address], **props)


def workload(chart):
    return kplus.Deployment(chart, "other", containers=[kplus.ContainerProps(image="a")])


def a_class(chart):
    return ClusterRoutedIPClass.from_cluster_routed_ip_class_name(chart, "other", "public")


def two_pools(chart):
    pool(chart, "first", "192.0.2.1")
    pool(Chart(chart.node.root, "second", namespace="web"), "bad", "192.0.2.2")


def pool_and_routed_ip(chart):
    pool(chart, "first", "192.0.2.1")
    issuer = RoutedIPImplementation.issuer(RoutedIPIssuer(chart, "issuer"))
    RoutedIP(chart, "bad", implementation=issuer, service=ServiceRef.from_service_name("web"), address="192.0.2.1")


def two_operators(chart):
    FlipopOperator(chart, "first", name="first")
    FlipopOperator(chart, "bad", name="second")


def two_definitions(chart):
    FlipopCrds(chart, "first")
    FlipopCrds(chart, "bad")


def two_clusters(chart):
    pool(chart, "first", "192.0.2.1", cluster="prod")
    FloatingIPPool(chart, "bad", ips=["192.0.2.2"], cluster="staging")


def limits(**entry):
    """Limits of a namespace, as a dictionary in a list."""
    return lambda chart: FlipopOperator(chart, "bad", tenant_limits={"namespaces": [{"names": ["web"], **entry}]})


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"

CASES = {
    "a misspelt prop": lambda chart: FloatingIPPool(chart, "bad", desired_ip=2),
    "a TypeScript name of a prop": lambda chart: FloatingIPPool(chart, "bad", desiredIps=2),
    "a field of YAML as a prop": lambda chart: FloatingIPPool(chart, "bad", match={"podLabel": "app=web"}),
    "a misspelt key of metadata": lambda chart: FloatingIPPool(chart, "bad", metadata={"nmae": "web"}),
    "a misspelt key of a taint": lambda chart: ClusterRoutedIPClass(
        chart,
        "bad",
        implementation=ClassImplementation.jobs(JOB, JOB),
        elected_node_taint={"efect": "NoSchedule"},
    ),
    "a misspelt option of a record": lambda chart: DnsRecord.digital_ocean("www", "example.com", tll=60),
    "a misspelt key of a container": lambda chart: RoutedIPJob.container(image="a", argz=["x"]),
    "a misspelt key of an entry of limits": limits(allowed_zone=["example.com"]),
    "a TypeScript name of a key of limits": limits(allowedZones=["example.com"]),
    "a pattern for a zone in limits": limits(allowed_zones=["*.example.com"]),
    "a number for a Duration": lambda chart: FloatingIPPool(chart, "bad", grace_period=30),
    "text for a list": lambda chart: FloatingIPPool(chart, "bad", ips="192.0.2.1"),
    "a misspelt field of an affinity": lambda chart: FlipopOperator(
        chart, "bad", affinity={"podAntiAffinity": {REQUIRED: [{"topologykey": "zone"}]}}
    ),
    "a misspelt field of a Job": job({"backofLimit": 0, "template": {"spec": {"containers": [{"name": "a", "image": "a"}]}}}),
    "a misspelt field of a template": job({"template": {"metadatas": {}, "spec": {"containers": [{"name": "a", "image": "a"}]}}}),
    "a misspelt field of a pod": pod(volume=[]),
    "a misspelt field of a container": container(comand=["update"]),
    "a misspelt field of a variable": container(env=[{"name": "MODE", "valu": "a"}]),
    "a misspelt source of variables": container(envFrom=[{"secretref": {"name": "a"}}]),
    "a misspelt mount": container(volumeMounts=[{"name": "tmp", "mountpath": "/tmp"}]),
    "a misspelt field of resources": container(resources={"limit": {"cpu": "1"}}),
    "a misspelt field of security": container(securityContext={"runAsNonroot": True}),
    "a misspelt field of a first container": pod(initContainers=[{"name": "b", "imag": "b"}]),
    "a Python name of a field": pod(service_account_name="updater"),
    "a class for an issuer": routed_ip(lambda chart: RoutedIPImplementation.issuer(a_class(chart))),
    "an issuer for a class": routed_ip(
        lambda chart: RoutedIPImplementation.cluster_class(RoutedIPIssuer(chart, "other"))
    ),
    "a pool for an issuer": routed_ip(
        lambda chart: RoutedIPImplementation.issuer(pool(chart, "other", "192.0.2.1"))
    ),
    "a Deployment for an issuer": routed_ip(lambda chart: RoutedIPImplementation.issuer(workload(chart))),
    "a Deployment for a class": routed_ip(lambda chart: RoutedIPImplementation.cluster_class(workload(chart))),
    "a class for the issuer of a class": lambda chart: ClusterRoutedIPClass(
        chart, "bad", metadata={"name": "class"}, implementation=ClassImplementation.issuer(a_class(chart))
    ),
    "a token for a Secret": lambda chart: RoutedIPIssuer(chart, "bad", credentials=Credentials.from_secret_name(TOKEN)),
    "a token for a Job's Secret": lambda chart: ClusterRoutedIPClass(
        chart,
        "bad",
        metadata={"name": "class"},
        implementation=ClassImplementation.jobs(JOB, JOB),
        secrets=[SecretRef.from_secret_name(TOKEN)],
    ),
    "a token in a Job": container(args=["--token=" + TOKEN]),
    "the name of an operator's Secret": lambda chart: FlipopOperator(
        chart, "bad", cloudflare=Credentials.from_secret_name("My_Secret")
    ),
    "an operator in kube-system": lambda chart: FlipopOperator(chart, "bad", namespace="kube-system"),
    "Jobs in default": lambda chart: FlipopOperator(
        chart, "bad", features=[OperatorFeature.ROUTED_IP, OperatorFeature.JOBS], job_namespaces=["default"]
    ),
    "two operators in a namespace": two_operators,
    "two pools with a name": two_pools,
    "an address in two resources": pool_and_routed_ip,
    "the definitions twice": two_definitions,
    "two clusters for a chart": two_clusters,
}


def error_of(make):
    chart = Chart(App(yaml_output_type=YamlOutputType.FILE_PER_CHART), "test", namespace="web")
    try:
        make(chart)
    except (TypeError, RuntimeError) as error:
        # Python and jsii check names and types before the library does. The other lines show the place as a tree.
        lines = str(error).splitlines()
        return [lines[0], *(line.strip(" ─╰│") for line in lines[1:][-1:])]
    try:
        Testing.synth(chart)
    except Exception as error:
        return [line.strip() for line in str(error).splitlines()[1:] if line.strip().startswith("[")]
    return []


json.dump({title: error_of(make) for title, make in CASES.items()}, sys.stdout)
