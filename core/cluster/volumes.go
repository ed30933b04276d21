package cluster

import (
	"context"
	"fmt"
	"path"
	"path/filepath"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/kubernetes"
	typedrbacv1 "k8s.io/client-go/kubernetes/typed/rbac/v1"
	storageutil "k8s.io/kubernetes/pkg/apis/storage/util"

	"github.com/tabernetes/tabernetes/core/confine"
	"github.com/tabernetes/tabernetes/core/localpath"
	"github.com/tabernetes/tabernetes/core/localpath/provisioner"
	"github.com/tabernetes/tabernetes/core/pki"
)

// volumesPath is where an in-tab node has its volumes of local-path, as real ones do.
const volumesPath = "/var/lib/tabernetes/volumes"

// volumeMaker is who makes them.
var volumeMaker = &user.DefaultInfo{
	Name: "system:serviceaccount:kube-system:local-path-provisioner", Groups: []string{user.AllAuthenticated},
}

// provisionerBinding lets volumeMaker do its work; where it is, the StorageClass has been made once.
const provisionerBinding = "tabernetes:local-path-provisioner"

// expanderRole lets it write sizes as well, which upstream's role for provisioners does not.
const expanderRole = "tabernetes:local-path-expander"

// provisionVolumes gives claims of the StorageClass local-path directories of in-tab nodes, until ctx is done.
func (c *Cluster) provisionVolumes(ctx context.Context) error {
	if err := c.allowVolumes(ctx); err != nil {
		return fmt.Errorf("prepare volumes: %w", err)
	}
	client, err := kubernetes.NewForConfig(c.insider(volumeMaker).RESTConfig(pki.Pair{}))
	if err != nil {
		return fmt.Errorf("provision volumes: %w", err)
	}
	return provisioner.Run(ctx, provisioner.Options{Client: client, Places: c.volumesOf, Anew: true})
}

// volumesOf is where a node's volumes are. A node that was removed has its place still: what is left of
// it in the API goes as the claims do.
func (c *Cluster) volumesOf(name string) (provisioner.Place, bool) {
	if !confine.InTab(name) {
		return provisioner.Place{}, false
	}
	return provisioner.Place{Dir: c.path("nodes", name, filepath.FromSlash(path.Clean(volumesPath))), Path: volumesPath}, true
}

// allowVolumes lets volumeMaker do its work, and the first time makes the StorageClass, as the default one
// unless there is another: what its owner makes of that later stays.
func (c *Cluster) allowVolumes(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(c.insider(pki.Admin).RESTConfig(pki.Pair{}))
	if err != nil {
		return err
	}
	if err := allowExpansion(ctx, client.RbacV1()); err != nil {
		return err
	}
	bindings := client.RbacV1().ClusterRoleBindings()
	if _, err := bindings.Get(ctx, provisionerBinding, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return err
	}
	class := localpath.Class()
	others, err := client.StorageV1().StorageClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	asDefault := true
	for _, other := range others.Items {
		asDefault = asDefault && !storageutil.IsDefaultAnnotation(other.ObjectMeta)
	}
	if asDefault {
		class.Annotations = map[string]string{storageutil.IsDefaultStorageClassAnnotation: "true"}
	}
	if _, err := client.StorageV1().StorageClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	// The last of it: a start that was cut off is made good by the next one.
	_, err = bindings.Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: provisionerBinding},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "system:persistent-volume-provisioner"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: volumeMaker.Name}},
	}, metav1.CreateOptions{})
	return err
}

// allowExpansion makes expanderRole; a cluster that was kept by an older version gets it, too.
func allowExpansion(ctx context.Context, client typedrbacv1.RbacV1Interface) error {
	meta := metav1.ObjectMeta{Name: expanderRole}
	if _, err := client.ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
		{Verbs: []string{"patch"}, APIGroups: []string{""}, Resources: []string{"persistentvolumes", "persistentvolumeclaims/status"}},
	}}, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	_, err := client.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: expanderRole},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: volumeMaker.Name}},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
