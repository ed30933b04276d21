package bootstrap

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/localpath"
)

// AllowNodesTheirVolumes makes the StorageClass local-path and lets real nodes make its volumes: each
// its own, which a policy sees to. A class that is there already stays.
func AllowNodesTheirVolumes(client kubernetes.Interface) error {
	if err := addRole(client, localpath.RoleName, localpath.Rules()); err != nil {
		return err
	}
	// The policy before there is a right, and a class of whose volumes it speaks.
	if err := ensurePolicy(client, localpath.Policy()); err != nil {
		return err
	}
	if err := bindToNodes(client, localpath.RoleName, localpath.RoleName); err != nil {
		return err
	}
	ctx, classes := context.Background(), client.StorageV1().StorageClasses()
	_, err := classes.Get(ctx, localpath.ClassName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = classes.Create(ctx, localpath.Class(), metav1.CreateOptions{})
	}
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make the StorageClass %s: %w", localpath.ClassName, err)
	}
	return nil
}
