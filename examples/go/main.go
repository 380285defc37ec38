// Cloudflare DNS for node addresses: the Go version of ../node-records-cloudflare.ts, which explains each line.
package main

import (
	"github.com/aws/jsii-runtime-go"
	"github.com/cdk8s-team/cdk8s-core-go/cdk8s/v2"
	flipop "github.com/flipop/cdk8s-flipop-go/cdk8sflipop"
)

const zone = "023e105f4ecef8ad9ca31a8372d0c353"

func main() {
	app := cdk8s.NewApp(nil)
	chart := cdk8s.NewChart(app, jsii.String("node-records"), &cdk8s.ChartProps{Namespace: jsii.String("default")})

	flipop.NewNodeDNSRecordSet(chart, jsii.String("public"), &flipop.NodeDNSRecordSetProps{
		Metadata: &cdk8s.ApiObjectMetadata{Name: jsii.String("nodes-public")},
		DnsRecord: flipop.DnsRecord_Cloudflare(jsii.String("nodes.example.com"), jsii.String(zone), &flipop.DnsRecordOptions{
			Ttl: cdk8s.Duration_Minutes(jsii.Number(5)),
		}),
		AddressType: flipop.AddressType_EXTERNAL_IP,
		IpFamilies:  &[]flipop.IpFamily{flipop.IpFamily_IPV4},
		GracePeriod: cdk8s.Duration_Minutes(jsii.Number(2)),
	})

	flipop.NewNodeDNSRecordSet(chart, jsii.String("workers"), &flipop.NodeDNSRecordSetProps{
		Metadata: &cdk8s.ApiObjectMetadata{Name: jsii.String("nodes-workers")},
		Nodes: flipop.NodeMatch_Query(&[]flipop.LabelQuery{
			flipop.LabelQuery_In(jsii.String("pool"), jsii.Strings("worker", "batch")),
			flipop.LabelQuery_DoesNotExist(jsii.String("example.com/spot")),
		}),
		DnsRecord:   flipop.DnsRecord_Cloudflare(jsii.String("workers.internal.example.com"), jsii.String(zone), nil),
		AddressType: flipop.AddressType_INTERNAL_IP,
		EmptyPolicy: flipop.EmptyPolicy_DELETE,
	})

	app.Synth()
}
