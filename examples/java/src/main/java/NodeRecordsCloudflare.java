import io.github.flipop.cdk8s.AddressType;
import io.github.flipop.cdk8s.DnsRecord;
import io.github.flipop.cdk8s.DnsRecordOptions;
import io.github.flipop.cdk8s.EmptyPolicy;
import io.github.flipop.cdk8s.IpFamily;
import io.github.flipop.cdk8s.LabelQuery;
import io.github.flipop.cdk8s.NodeDNSRecordSet;
import io.github.flipop.cdk8s.NodeMatch;
import java.util.List;
import org.cdk8s.ApiObjectMetadata;
import org.cdk8s.App;
import org.cdk8s.Chart;
import org.cdk8s.ChartProps;
import org.cdk8s.Duration;

/** Cloudflare DNS for node addresses: the Java version of ../node-records-cloudflare.ts, which explains each line. */
public final class NodeRecordsCloudflare {
  private static final String ZONE = "023e105f4ecef8ad9ca31a8372d0c353";

  public static void main(String[] args) {
    App app = new App();
    Chart chart = new Chart(app, "node-records", ChartProps.builder().namespace("default").build());

    NodeDNSRecordSet.Builder.create(chart, "public")
        .metadata(ApiObjectMetadata.builder().name("nodes-public").build())
        .dnsRecord(DnsRecord.cloudflare("nodes.example.com", ZONE,
            DnsRecordOptions.builder().ttl(Duration.minutes(5)).build()))
        .addressType(AddressType.EXTERNAL_IP)
        .ipFamilies(List.of(IpFamily.IPV4))
        .gracePeriod(Duration.minutes(2))
        .build();

    NodeDNSRecordSet.Builder.create(chart, "workers")
        .metadata(ApiObjectMetadata.builder().name("nodes-workers").build())
        .nodes(NodeMatch.query(List.of(
            LabelQuery.in("pool", List.of("worker", "batch")),
            LabelQuery.doesNotExist("example.com/spot"))))
        .dnsRecord(DnsRecord.cloudflare("workers.internal.example.com", ZONE))
        .addressType(AddressType.INTERNAL_IP)
        .emptyPolicy(EmptyPolicy.DELETE)
        .build();

    app.synth();
    // The process that runs the constructs leaves threads behind, and Maven would wait for them.
    System.exit(0);
  }

  private NodeRecordsCloudflare() {}
}
