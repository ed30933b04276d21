package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// prometheusAccepts is what Prometheus 2.42 asks for (scrape/scrape.go, scrapeAcceptHeader).
const prometheusAccepts = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"

// prometheusHome is a directory with the files that docs/hub.md has one make, by its own lines, and the configuration of
// docs, which is led to the cluster of these tests.
func prometheusHome(t *testing.T) (dir string) {
	t.Helper()
	page, err := os.ReadFile("../docs/hub.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^    (kubectl .* > \S+\.(?:crt|key|yml))$`).FindAllStringSubmatch(string(page), -1)
	if len(lines) != 4 {
		t.Fatalf("docs/hub.md has %d lines that make files for Prometheus, not 4", len(lines))
	}
	dir = t.TempDir()
	for _, line := range lines {
		kubectl(t, "cd "+dir+" && "+line[1])
	}
	text, err := os.ReadFile("../docs/prometheus.yml")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := clientcmd.LoadFromFile(outside.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	cluster := loaded.Clusters[loaded.Contexts[loaded.CurrentContext].Cluster]
	server, err := url.Parse(cluster.Server)
	if err != nil {
		t.Fatal(err)
	}
	config := strings.NewReplacer("127.0.0.1:7443", server.Host, "tab.tabernetes.internal", cluster.TLSServerName, "15s", "1s").Replace(string(text))
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestPrometheus scrapes what docs/prometheus.yml names, through the hub, as Prometheus does, and by Prometheus itself
// where the machine has it.
func TestPrometheus(t *testing.T) {
	dir := prometheusHome(t)
	nodes, err := clientset(t).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ns := namespace(t)
	for _, n := range nodes.Items {
		kubectl(t, fmt.Sprintf(`kubectl run -n %s measured-%[2]s --image=nginx --overrides='{"spec":{"nodeName":%[2]q,"terminationGracePeriodSeconds":1}}'`, ns, n.Name))
	}
	t.Run("what it would read", func(t *testing.T) {
		var config struct {
			Jobs []struct {
				Name    string `json:"job_name"`
				Relabel []struct {
					Target      string `json:"target_label"`
					Replacement string `json:"replacement"`
				} `json:"relabel_configs"`
			} `json:"scrape_configs"`
		}
		text, err := os.ReadFile(filepath.Join(dir, "prometheus.yml"))
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(text, &config); err != nil {
			t.Fatal(err)
		}
		access := &rest.Config{Host: "https://" + serverOf(t), TLSClientConfig: rest.TLSClientConfig{
			ServerName: clientConfig(t).ServerName,
			CAFile:     filepath.Join(dir, "ca.crt"), CertFile: filepath.Join(dir, "client.crt"), KeyFile: filepath.Join(dir, "client.key"),
		}}
		client, err := rest.HTTPClientFor(access)
		if err != nil {
			t.Fatal(err)
		}
		has := map[string]string{"kubelets": "kubelet_running_pods", "resources": "node_memory_working_set_bytes", "containers": "machine_cpu_cores", "apiserver": "apiserver_request_total"}
		for _, job := range config.Jobs {
			paths := map[string]string{"/metrics": ""}
			for _, r := range job.Relabel {
				if r.Target != "__metrics_path__" {
					continue
				}
				paths = map[string]string{}
				for _, n := range nodes.Items {
					paths[strings.ReplaceAll(r.Replacement, "$1", n.Name)] = n.Name
				}
			}
			if has[job.Name] == "" {
				t.Errorf("nobody knows what the job %q is to read", job.Name)
			}
			for path, node := range paths {
				families := scrape(t, client, access.Host+path)
				if families[has[job.Name]] == nil {
					t.Errorf("%s has no %s among its %d", path, has[job.Name], len(families))
				}
				// Each node tells of its own pods.
				if job.Name == "resources" || job.Name == "containers" {
					eventually.OK(t, path+" tells of its own pod", func() error {
						return tellsOf(scrape(t, client, access.Host+path)["container_memory_working_set_bytes"], ns, "measured-"+node)
					})
				}
			}
		}
	})
	t.Run("Prometheus itself", func(t *testing.T) {
		program, err := exec.LookPath("prometheus")
		if err != nil {
			t.Skip("there is no prometheus on this machine; Debian's package of that name has it")
		}
		address := prometheus(t, program, dir)
		for query, want := range map[string]int{
			`up{job="kubelets"} == 1`:                          len(nodes.Items),
			`up{job="resources"} == 1`:                         len(nodes.Items),
			`up{job="containers"} == 1`:                        len(nodes.Items),
			`up{job="apiserver"} == 1`:                         1,
			`count by (instance) (kubelet_running_pods)`:       len(nodes.Items),
			`rate(node_cpu_usage_seconds_total[1m])`:           len(nodes.Items),
			`count(apiserver_request_total{resource="nodes"})`: 1,
		} {
			eventually.OK(t, query, func() error { return counts(address, query, want) })
		}
	})
}

// serverOf is the address of the cluster.
func serverOf(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(clientConfig(t).Host)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// scrape reads metrics as Prometheus asks for them.
func scrape(t *testing.T, client *http.Client, address string) map[string]*dto.MetricFamily {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", prometheusAccepts)
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	families := map[string]*dto.MetricFamily{}
	decoder := expfmt.NewDecoder(res.Body, expfmt.ResponseFormat(res.Header))
	for {
		family := &dto.MetricFamily{}
		err := decoder.Decode(family)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s, %s: %v", address, res.Status, err)
		}
		families[family.GetName()] = family
	}
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", address, res.Status)
	}
	return families
}

// tellsOf wants a family to have one pod in a namespace.
func tellsOf(family *dto.MetricFamily, namespace, pod string) error {
	var pods []string
	for _, m := range family.GetMetric() {
		labels := map[string]string{}
		for _, l := range m.Label {
			labels[l.GetName()] = l.GetValue()
		}
		// /metrics/cadvisor has the pod as a whole and its sandbox besides.
		if labels["namespace"] == namespace && labels["container"] != "" {
			pods = append(pods, labels["pod"])
		}
	}
	if len(pods) != 1 || pods[0] != pod {
		return fmt.Errorf("it tells of %q", pods)
	}
	return nil
}

// prometheus starts it, and says where it answers.
func prometheus(t *testing.T, program, dir string) (address string) {
	t.Helper()
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "--config.file", filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address=127.0.0.1:0")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("what it wrote:\n%s", text)
		}
	})
	listening := regexp.MustCompile(`Listening on" address=(127\.0\.0\.1:\d+)`)
	eventually.OK(t, "Prometheus listens", func() error {
		text, err := os.ReadFile(log.Name())
		if err != nil {
			return err
		}
		m := listening.FindSubmatch(text)
		if m == nil {
			return errors.New("it does not yet")
		}
		address = string(m[1])
		return nil
	})
	return address
}

// counts wants a query to have so many results.
func counts(address, query string, want int) error {
	res, err := http.Get("http://" + address + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var answer struct {
		Data struct {
			Result []json.RawMessage `json:"result"`
		} `json:"data"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return err
	}
	if got := len(answer.Data.Result); got != want {
		return fmt.Errorf("%d results, not %d: %s", got, want, answer.Data.Result)
	}
	return nil
}
