import io.github.flipop.cdk8s.ClassImplementation;
import io.github.flipop.cdk8s.ClusterRoutedIPClass;
import io.github.flipop.cdk8s.Credentials;
import io.github.flipop.cdk8s.DnsRecord;
import io.github.flipop.cdk8s.DnsRecordOptions;
import io.github.flipop.cdk8s.FlipopOperator;
import io.github.flipop.cdk8s.FloatingIPPool;
import io.github.flipop.cdk8s.NodeDNSRecordSet;
import io.github.flipop.cdk8s.NodeMatch;
import io.github.flipop.cdk8s.OperatorFeature;
import io.github.flipop.cdk8s.PodMatch;
import io.github.flipop.cdk8s.PodMatchOptions;
import io.github.flipop.cdk8s.RoutedIP;
import io.github.flipop.cdk8s.RoutedIPImplementation;
import io.github.flipop.cdk8s.RoutedIPIssuer;
import io.github.flipop.cdk8s.ServiceRef;
import java.util.List;
import java.util.Map;
import org.cdk8s.ApiObject;
import org.cdk8s.ApiObjectMetadata;
import org.cdk8s.App;
import org.cdk8s.Chart;
import org.cdk8s.ChartProps;
import org.cdk8s.Duration;
import org.cdk8s.Size;
import software.constructs.IConstruct;
import software.constructs.MetadataEntry;

/** A platform and a team in one app: the Java version of ../platform-and-team.ts, which explains each line. */
public final class PlatformAndTeam {
  public static void main(String[] args) {
    App app = new App();

    Chart namespaces = new Chart(app, "namespaces");
    for (String name : List.of("mail", "web")) {
      ApiObject.Builder.create(namespaces, name).apiVersion("v1").kind("Namespace").metadata(named(name)).build();
    }

    Chart platform = new Chart(app, "flipop", ChartProps.builder().namespace("flipop").build());
    platform.addDependency(namespaces);
    FlipopOperator operator = FlipopOperator.Builder.create(platform, "operator")
        .features(List.of(OperatorFeature.DNS))
        .watchNamespaces(List.of("mail"))
        .podNamespaces(List.of("mail"))
        .digitalOcean(Credentials.fromSecretName("clouds", "digitalocean"))
        .cloudflare(Credentials.fromSecretName("clouds", "cloudflare"))
        .tokenFiles(true)
        .memoryLimit(Size.mebibytes(256))
        .podAnnotations(Map.of("example.com/owner", "platform-team"))
        .build();

    RoutedIPIssuer issuer = RoutedIPIssuer.Builder.create(platform, "issuer")
        .metadata(named("digitalocean"))
        .region("nyc3")
        .build();
    ClusterRoutedIPClass shared = ClusterRoutedIPClass.Builder.create(platform, "shared")
        .metadata(named("shared"))
        .implementation(ClassImplementation.issuer(issuer))
        .allowedNamespaces(List.of("mail"))
        .build();
    shared.allowNamespace("web");

    Chart team = new Chart(app, "web", ChartProps.builder().namespace("web").build());
    team.addDependency(platform);
    FloatingIPPool pool = FloatingIPPool.Builder.create(team, "pool")
        .metadata(named("web"))
        .region("nyc3")
        .desiredIps(4)
        .pods(PodMatch.labels(Map.of("app", "proxy"), PodMatchOptions.builder().namespace("web").build()))
        .nodes(NodeMatch.doksNodePool("edge"))
        .gracePeriod(Duration.seconds(30))
        .dnsRecord(DnsRecord.digitalOcean("www", "example.com"))
        .build();
    NodeDNSRecordSet nodes = NodeDNSRecordSet.Builder.create(team, "nodes")
        .metadata(named("nodes"))
        .dnsRecord(DnsRecord.cloudflare("nodes.example.com", "example.com",
            DnsRecordOptions.builder().ttl(Duration.minutes(5)).build()))
        .build();
    RoutedIP address = RoutedIP.Builder.create(team, "address")
        .metadata(named("game"))
        .implementation(RoutedIPImplementation.clusterClass(shared))
        .service(ServiceRef.fromServiceName("game"))
        .build();

    operator.serve(pool, nodes, address);

    ApiObject deployer = ApiObject.Builder.create(team, "deployer")
        .apiVersion("v1")
        .kind("ServiceAccount")
        .metadata(named("deployer"))
        .build();
    pool.grantManage(deployer);

    app.synth();

    for (IConstruct construct : app.getNode().findAll()) {
      for (MetadataEntry entry : construct.getNode().getMetadata()) {
        if (entry.getType().equals("flipop:warning")) {
          System.out.println(construct.getNode().getPath() + ": " + entry.getData());
        }
      }
    }
    // The process that runs the constructs leaves threads behind, and Maven would wait for them.
    System.exit(0);
  }

  private static ApiObjectMetadata named(String name) {
    return ApiObjectMetadata.builder().name(name).build();
  }

  private PlatformAndTeam() {}
}
