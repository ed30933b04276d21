package configuration_test

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// authorizers is an AuthorizationConfiguration that asks these in order.
func authorizers(types ...string) []byte {
	s := "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n"
	for _, t := range types {
		s += fmt.Sprintf("- {type: %s, name: %s}\n", t, strings.ToLower(t))
	}
	return []byte(s)
}

// withToken is a client that has nothing but a bearer token.
func withToken(t *testing.T, token string) kubernetes.Interface {
	t.Helper()
	c := rest.AnonymousClientConfig(running.AdminConfig())
	c.BearerToken = token
	client, err := kubernetes.NewForConfig(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func admin(t *testing.T) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(running.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestRestartInPlace: a file that upstream reads at its start only is in force after it; a watch that went on over it
// misses nothing.
func TestRestartInPlace(t *testing.T) {
	configure(t, nil)
	client := admin(t)
	maps_ := client.CoreV1().ConfigMaps("default")
	list, err := maps_.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := maps_.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	did := configure(t, configuration.Files{configuration.Tokens: []byte("s3cret,reader,7,\"system:masters\"\n")})
	if !slices.Equal(did.Restarted, []string{"kube-apiserver"}) || !slices.Equal(did.Changed, []string{configuration.Tokens}) {
		t.Errorf("%+v", did)
	}
	for range w.ResultChan() { // it was told that this watch is over
	}
	review, err := withToken(t, "s3cret").CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(review.Items) < 4 {
		t.Errorf("%v, %v", review, err)
	}
	if _, err := maps_.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion}); err != nil {
		t.Errorf("the watch does not go on from revision %s: %v", list.ResourceVersion, err)
	}
	configure(t, nil)
	if _, err := withToken(t, "s3cret").CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("the token is good although its file is gone")
	}
}

// TestReload: upstream reads AuthorizationConfiguration again, and the server is the same.
func TestReload(t *testing.T) {
	tokens := []byte("s3cret,reader,7\n")
	configure(t, configuration.Files{configuration.Tokens: tokens, configuration.Authorization: authorizers("Node", "RBAC")})
	reader := withToken(t, "s3cret").CoreV1().Namespaces()
	if _, err := reader.List(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("RBAC lets in whom nobody let in")
	}
	did := configure(t, configuration.Files{configuration.Tokens: tokens, configuration.Authorization: authorizers("Node", "RBAC", "AlwaysAllow")})
	if !slices.Equal(did.Reloaded, []string{configuration.Authorization}) || len(did.Restarted) > 0 {
		t.Errorf("%+v", did)
	}
	if _, err := reader.List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
}

// TestRefused: what upstream would refuse leaves everything as it is.
func TestRefused(t *testing.T) {
	before := configuration.Files{configuration.Tokens: []byte("s3cret,reader,7,\"system:masters\"\n")}
	configure(t, before)
	head := "apiVersion: apiserver.config.k8s.io/v1\nkind: "
	for name, c := range map[string]struct {
		files configuration.Files
		want  string
	}{
		"no YAML":                       {configuration.Files{configuration.Authorization: []byte("{")}, "Authorization"},
		"no authorizer":                 {configuration.Files{configuration.Authorization: []byte(head + "AuthorizationConfiguration\n")}, "at least one authorization mode"},
		"two authorizers of one name":   {configuration.Files{configuration.Authorization: []byte(head + "AuthorizationConfiguration\nauthorizers:\n- {type: Node, name: a}\n- {type: RBAC, name: a}\n")}, `authorizers[1].name: Duplicate value: "a"`},
		"an authorizer twice":           {configuration.Files{configuration.Authorization: []byte(head + "AuthorizationConfiguration\nauthorizers:\n- {type: RBAC, name: a}\n- {type: RBAC, name: b}\n")}, `authorizers[1].type: Duplicate value: "RBAC"`},
		"an issuer twice":               {configuration.Files{configuration.Authentication: []byte(head + "AuthenticationConfiguration\njwt:\n" + strings.Repeat("- {issuer: {url: https://i.example, audiences: [a]}, claimMappings: {username: {claim: sub, prefix: \"\"}}}\n", 2))}, `jwt[1].issuer.url: Duplicate value`},
		"resources that mask others":    {configuration.Files{configuration.Encryption: []byte(head + "EncryptionConfiguration\nresources: [{resources: [secrets, '*.'], providers: [{identity: {}}]}]\n")}, "overlapping resources"},
		"a webhook without a file":      {configuration.Files{configuration.Authorization: []byte(head + "AuthorizationConfiguration\nauthorizers:\n- {type: Webhook, name: w}\n")}, "webhook"},
		"an unknown field":              {configuration.Files{configuration.Authentication: []byte(head + "AuthenticationConfiguration\njwts: []\n")}, `unknown field "jwts"`},
		"a CEL expression":              {configuration.Files{configuration.Authentication: []byte(head + "AuthenticationConfiguration\njwt:\n- issuer: {url: https://i.example, audiences: [a]}\n  claimMappings: {username: {expression: 'claims.'}}\n")}, "claimMappings"},
		"a line of tokens":              {configuration.Files{configuration.Tokens: []byte("only,two\n")}, "token"},
		"an audit level":                {configuration.Files{configuration.Audit: []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: All}]\n")}, "level"},
		"a key":                         {configuration.Files{configuration.Encryption: []byte(head + "EncryptionConfiguration\nresources: [{resources: [secrets], providers: [{aescbc: {keys: [{name: k, secret: c2hvcnQ=}]}}]}]\n")}, "secret"},
		"a policy of ABAC":              {configuration.Files{configuration.Authorization: authorizers("ABAC"), configuration.ABAC: []byte("{\"kind\": \"Policy\"")}, "ABAC"},
		"ABAC without policies":         {configuration.Files{configuration.Authorization: authorizers("ABAC")}, "ABAC"},
		"a plugin":                      {configuration.Files{configuration.APIServerFlags: []byte("--enable-admission-plugins=NoSuch\n")}, `"NoSuch" is unknown`},
		"a flag":                        {configuration.Files{configuration.APIServerFlags: []byte("--no-such=1\n")}, "no-such"},
		"a flag of the cluster's":       {configuration.Files{configuration.APIServerFlags: []byte("# mine\n--tls_cert_file=/x\n")}, "line 2: --tls-cert-file cannot be set"},
		"a flag of a file":              {configuration.Files{configuration.APIServerFlags: []byte("--token-auth-file=/x\n")}, configuration.Tokens},
		"a flag for a start":            {configuration.Files{configuration.APIServerFlags: []byte("--etcd-prefix=/other\n")}, "only when a cluster starts"},
		"no flag":                       {configuration.Files{configuration.SchedulerFlags: []byte("v=2\n")}, "no flag"},
		"a scheduler's plugin":          {configuration.Files{configuration.Scheduler: []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{plugins: {score: {enabled: [{name: NoSuch}]}}}]\n")}, "NoSuch"},
		"a predicate of no time":        {configuration.Files{configuration.Scheduler: []byte("kind: Policy\napiVersion: v1\npredicates: [{name: NoSuch}]\n")}, `no predicate "NoSuch"; there were`},
		"the flag of a policy":          {configuration.Files{configuration.SchedulerFlags: []byte("--policy-config-file=/x\n")}, configuration.Scheduler},
		"a name that leads out":         {configuration.Files{"../../etc/passwd": []byte("x")}, "no name"},
		"more than anybody would write": {configuration.Files{"big": make([]byte, 2<<20)}, "bytes"},
		"a user with two passwords":     {configuration.Files{configuration.BasicAuth: []byte("a,u,1\nb,u,2\n")}, "line 2"},
		"a line without a password":     {configuration.Files{configuration.BasicAuth: []byte(",u,1\n")}, "line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := running.Configure(t.Context(), c.files)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v does not say %s", err, c.want)
			}
			if now := running.Configuration(); !maps.EqualFunc(now, before, slices.Equal) {
				t.Errorf("in force is %v", slices.Sorted(maps.Keys(now)))
			}
		})
	}
	if _, err := withToken(t, "s3cret").CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
}

// TestRestore: who has locked everybody out goes back, without a request.
func TestRestore(t *testing.T) {
	tokens := []byte("s3cret,reader,7,readers\n")
	configure(t, configuration.Files{configuration.Tokens: tokens, configuration.Authorization: authorizers("AlwaysAllow")})
	reader := withToken(t, "s3cret").CoreV1().Namespaces()
	if _, err := reader.List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	configure(t, configuration.Files{configuration.Tokens: tokens, configuration.Authorization: authorizers("AlwaysDeny")})
	if _, err := reader.List(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("nobody is denied")
	}
	if _, err := running.RestoreConfiguration(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	kept, err := configuration.Load(dataDir + "/configuration.json")
	if err != nil || !maps.EqualFunc(kept.Now, running.Configuration(), slices.Equal) {
		t.Errorf("kept is %v, %v", kept.Now, err)
	}
}

// TestNobodyMayWrite: an admission plugin that denies everything denies it to the server as well, which then does not
// stop; going back does not wait for it.
func TestNobodyMayWrite(t *testing.T) {
	configure(t, configuration.Files{configuration.APIServerFlags: []byte("--enable-admission-plugins=AlwaysDeny\n")})
	namespaces := admin(t).CoreV1().Namespaces()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "nobody-may-write"}}
	if _, err := namespaces.Create(t.Context(), namespace, metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("%v", err)
	}
	// Until the server's lease has failed, it stops as any other.
	eventually.True(t, "the server cannot write its lease", func() bool {
		ctx := t.Context()
		list, err := admin(t).CoordinationV1().Leases("kube-system").List(ctx, metav1.ListOptions{LabelSelector: "apiserver.kubernetes.io/identity=kube-apiserver"})
		return err == nil && len(list.Items) == 0
	})
	if _, err := running.RestoreConfiguration(t.Context()); err != nil {
		t.Fatal(err)
	}
	// What a connection of before has under way breaks with the server that was left behind.
	eventually.True(t, "the owner may write again", func() bool {
		ctx := t.Context()
		_, err := namespaces.Create(ctx, namespace, metav1.CreateOptions{})
		return err == nil || apierrors.IsAlreadyExists(err)
	})
	if err := namespaces.Delete(t.Context(), namespace.Name, metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

// TestRestarts prints what restarts leave behind, ten of them in the long lane, and holds that it is not more than what upstream cannot stop.
func TestRestarts(t *testing.T) {
	flip := func(i int) configuration.Files {
		return configuration.Files{configuration.Tokens: fmt.Appendf(nil, "token-%d,reader,7,readers\n", i)}
	}
	configure(t, flip(0))
	configure(t, flip(1))
	heap, routines := settled()
	t.Logf("after the first: heap %d KiB, %d goroutines", heap>>10, routines)
	restarts, maxLeft := 4, 10<<20
	if os.Getenv("TABERNETES_LONG") != "" {
		restarts, maxLeft = 10, 1<<20
	}
	for i := range restarts {
		configure(t, flip(i+2))
	}
	var after uint64
	var left int
	// What timers of the last one or two that are gone hold (a server has 30 MB) goes a minute or two later: only the
	// long lane waits for it.
	eventually.True(t, "what the servers held is free again", func() bool {
		after, left = settled()
		return int64(after)-int64(heap) < int64(restarts*maxLeft)
	})
	t.Logf("after %d more: heap %d KiB, %d goroutines: %d KiB and %.1f goroutines each", restarts, after>>10, left,
		(int64(after)-int64(heap))/int64(restarts)>>10, float64(left-routines)/float64(restarts))
	configure(t, nil)
}

// settled are the heap after collections and the goroutines.
func settled() (heap uint64, routines int) {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, runtime.NumGoroutine()
}

// TestFilesOfTheOwner: what is laid out and kept is nobody else's to read.
func TestFilesOfTheOwner(t *testing.T) {
	configure(t, configuration.Files{configuration.Tokens: []byte("s3cret,reader,7\n")})
	for _, path := range []string{"configuration", "configuration/" + configuration.Tokens, "configuration.json"} {
		info, err := os.Stat(dataDir + "/" + path)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}
