// Creates a Deployment and leads by a Lease, with client-go in its protobuf encoding. Arguments: a kubeconfig, a name.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		panic(err)
	}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client := kubernetes.NewForConfigOrDie(config)
	replicas := int32(2)
	labels := map[string]string{"a": "b"}
	made, err := client.AppsV1().Deployments("default").Create(context.Background(), &apps.Deployment{
		ObjectMeta: meta.ObjectMeta{Name: "le"},
		Spec: apps.DeploymentSpec{Replicas: &replicas, Selector: &meta.LabelSelector{MatchLabels: labels},
			Template: core.PodTemplateSpec{ObjectMeta: meta.ObjectMeta{Labels: labels}, Spec: core.PodSpec{Containers: []core.Container{{Name: "c", Image: "i"}}}}},
	}, meta.CreateOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println("deployment", *made.Spec.Replicas, made.Spec.Template.Spec.Containers[0].Image)
	ctx, cancel := context.WithCancel(context.Background())
	lock := &resourcelock.LeaseLock{LeaseMeta: meta.ObjectMeta{Name: "le", Namespace: "default"}, Client: client.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: os.Args[2]}}
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, ReleaseOnCancel: true, LeaseDuration: 4 * time.Second, RenewDeadline: 3 * time.Second, RetryPeriod: 500 * time.Millisecond,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				fmt.Println("leads")
				time.Sleep(5 * time.Second)
				lease, err := client.CoordinationV1().Leases("default").Get(context.Background(), "le", meta.GetOptions{})
				fmt.Println("renewed", *lease.Spec.HolderIdentity, lease.Spec.RenewTime.Sub(lease.Spec.AcquireTime.Time) > 4*time.Second, err)
				cancel()
			},
			OnStoppedLeading: func() { fmt.Println("stopped") },
		},
	})
	lease, err := client.CoordinationV1().Leases("default").Get(context.Background(), "le", meta.GetOptions{})
	fmt.Printf("released %q %v\n", *lease.Spec.HolderIdentity, err)
}
