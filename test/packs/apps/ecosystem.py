"""What other libraries give to flipop and take from it: rules, subjects, Jobs, quantities, and values of a resolver."""

import cdk8s_plus_28 as kplus
import jsii
from cdk8s import App, Chart, IResolver, Size
from cdk8s_flipop import (
    ClassImplementation,
    ClusterRoutedIPClass,
    FlipopOperator,
    FloatingIPPool,
    NodeMatch,
    OperatorFeature,
    RoutedIPJob,
)


@jsii.implements(IResolver)
class Outputs:
    """Replaces a text such as ${output.ip} by the value of the output."""

    values = {"${output.ip}": "8.8.8.8", "${output.pool}": "edge"}

    def resolve(self, context):
        if isinstance(context.value, str) and context.value in self.values:
            context.replace_value(self.values[context.value])


app = App(resolvers=[Outputs()])
operator = FlipopOperator(
    Chart(app, "flipop"),
    "operator",
    features=[OperatorFeature.DNS],
    watch_namespaces=["dns"],
    cpu_request=kplus.Cpu.millis(100),
    memory_limit=Size.gibibytes(1),
    pod_annotations={"example.com/team": "edge"},
    affinity={"nodeAffinity": {}},
    token_files=True,
)

web = Chart(app, "web", namespace="web")
pool = FloatingIPPool(
    web,
    "pool",
    metadata={"name": "web"},
    ips=["${output.ip}"],
    nodes=NodeMatch.labels({"pool": "${output.pool}"}),
)
pool.add_ips("8.8.4.4")
operator.serve(pool)

role = kplus.Role(web, "role")
role.allow_read(pool, FloatingIPPool.from_floating_ip_pool_name(web, "other", "mail"))
pool.grant_manage(kplus.ServiceAccount(web, "deployer", metadata={"name": "deployer"}))

update = kplus.Job(web, "update", containers=[kplus.ContainerProps(image="registry.example/update:1")])
rack = ClusterRoutedIPClass(
    web,
    "rack",
    metadata={"name": "rack"},
    implementation=ClassImplementation.jobs(RoutedIPJob.of(update), RoutedIPJob.of(update)),
)
rack.allow_namespace("web", "mail")
operator.serve(rack)
app.synth()
