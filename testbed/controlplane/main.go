// One executable with the parts of a Kubernetes control plane that the tests need. Its name, or else its first
// argument, selects the part. All parts share one file and the Kubernetes packages.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	_ "time/tzdata" // time zones of CronJobs, independent of the machine

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // kubectl's credential plugins
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

var parts = map[string]func(args []string) int{
	"etcd":                    runEtcd,
	"kube-apiserver":          runCommand(apiserver.NewAPIServerCommand),
	"kube-controller-manager": runCommand(controllermanager.NewControllerManagerCommand),
	"kubectl":                 runKubectl,
}

func main() {
	os.Exit(dispatch(os.Args))
}

// dispatch runs the part named by the executable's name or by the first argument.
func dispatch(args []string) int {
	name := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	if run, ok := parts[name]; ok {
		return run(args)
	}
	if len(args) > 1 {
		if run, ok := parts[args[1]]; ok {
			return run(args[1:])
		}
	}
	fmt.Fprintln(os.Stderr, "usage: controlplane etcd|kube-apiserver|kube-controller-manager|kubectl [arguments]")
	return 2
}

func runEtcd(args []string) int {
	etcdmain.Main(args)
	return 0
}

// runCommand sets os.Args for the part, because cobra and the version flag read it.
func runCommand(newCommand func() *cobra.Command) func(args []string) int {
	return func(args []string) int {
		os.Args = args
		return cli.Run(newCommand())
	}
}

func runKubectl(args []string) int {
	os.Args = args
	// The verbosity must be set before cobra parses the flags, because building the command reads plugins and .kuberc.
	_, _ = logs.GlogSetter(kubectl.GetLogVerbosity(args))
	if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
	return 0
}
