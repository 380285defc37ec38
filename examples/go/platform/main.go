// A platform and a team in one app: the Go version of ../../platform-and-team.ts, which explains each line.
package main

import (
	"fmt"

	"github.com/aws/jsii-runtime-go"
	"github.com/cdk8s-team/cdk8s-core-go/cdk8s/v2"
	flipop "github.com/flipop/cdk8s-flipop-go/cdk8sflipop"
)

func main() {
	app := cdk8s.NewApp(nil)

	namespaces := cdk8s.NewChart(app, jsii.String("namespaces"), nil)
	for _, name := range []string{"mail", "web"} {
		cdk8s.NewApiObject(namespaces, jsii.String(name), &cdk8s.ApiObjectProps{
			ApiVersion: jsii.String("v1"),
			Kind:       jsii.String("Namespace"),
			Metadata:   named(name),
		})
	}

	platform := cdk8s.NewChart(app, jsii.String("flipop"), &cdk8s.ChartProps{Namespace: jsii.String("flipop")})
	platform.AddDependency(namespaces)
	operator := flipop.NewFlipopOperator(platform, jsii.String("operator"), &flipop.FlipopOperatorProps{
		Features:        &[]flipop.OperatorFeature{flipop.OperatorFeature_DNS},
		WatchNamespaces: jsii.Strings("mail"),
		PodNamespaces:   jsii.Strings("mail"),
		DigitalOcean:    flipop.Credentials_FromSecretName(jsii.String("clouds"), jsii.String("digitalocean")),
		Cloudflare:      flipop.Credentials_FromSecretName(jsii.String("clouds"), jsii.String("cloudflare")),
		TokenFiles:      jsii.Bool(true),
		MemoryLimit:     cdk8s.Size_Mebibytes(jsii.Number(256)),
		PodAnnotations:  &map[string]*string{"example.com/owner": jsii.String("platform-team")},
	})

	issuer := flipop.NewRoutedIPIssuer(platform, jsii.String("issuer"), &flipop.RoutedIPIssuerProps{
		Metadata: named("digitalocean"),
		Region:   jsii.String("nyc3"),
	})
	shared := flipop.NewClusterRoutedIPClass(platform, jsii.String("shared"), &flipop.ClusterRoutedIPClassProps{
		Metadata:          named("shared"),
		Implementation:    flipop.ClassImplementation_Issuer(issuer),
		AllowedNamespaces: jsii.Strings("mail"),
	})
	shared.AllowNamespace(jsii.String("web"))

	team := cdk8s.NewChart(app, jsii.String("web"), &cdk8s.ChartProps{Namespace: jsii.String("web")})
	team.AddDependency(platform)
	pool := flipop.NewFloatingIPPool(team, jsii.String("pool"), &flipop.FloatingIPPoolProps{
		Metadata:    named("web"),
		Region:      jsii.String("nyc3"),
		DesiredIps:  jsii.Number(4),
		Pods: flipop.PodMatch_Labels(&map[string]*string{"app": jsii.String("proxy")},
			&flipop.PodMatchOptions{Namespace: jsii.String("web")}),
		Nodes:       flipop.NodeMatch_DoksNodePool(jsii.String("edge")),
		GracePeriod: cdk8s.Duration_Seconds(jsii.Number(30)),
		DnsRecord:   flipop.DnsRecord_DigitalOcean(jsii.String("www"), jsii.String("example.com"), nil),
	})
	nodes := flipop.NewNodeDNSRecordSet(team, jsii.String("nodes"), &flipop.NodeDNSRecordSetProps{
		Metadata: named("nodes"),
		DnsRecord: flipop.DnsRecord_Cloudflare(jsii.String("nodes.example.com"), jsii.String("example.com"),
			&flipop.DnsRecordOptions{Ttl: cdk8s.Duration_Minutes(jsii.Number(5))}),
	})
	address := flipop.NewRoutedIP(team, jsii.String("address"), &flipop.RoutedIPProps{
		Metadata:       named("game"),
		Implementation: flipop.RoutedIPImplementation_ClusterClass(shared),
		Service:        flipop.ServiceRef_FromServiceName(jsii.String("game"), nil),
	})

	operator.Serve(pool, nodes, address)

	deployer := cdk8s.NewApiObject(team, jsii.String("deployer"), &cdk8s.ApiObjectProps{
		ApiVersion: jsii.String("v1"),
		Kind:       jsii.String("ServiceAccount"),
		Metadata:   named("deployer"),
	})
	pool.GrantManage(deployer)

	app.Synth()

	for _, construct := range *app.Node().FindAll("") {
		for _, entry := range *construct.Node().Metadata() {
			if *entry.Type == "flipop:warning" {
				fmt.Printf("%s: %v\n", *construct.Node().Path(), entry.Data)
			}
		}
	}
}

func named(name string) *cdk8s.ApiObjectMetadata {
	return &cdk8s.ApiObjectMetadata{Name: jsii.String(name)}
}
