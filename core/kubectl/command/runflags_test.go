package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestOlderRun: lines that upstream's `run` takes as they are, and what is said of those with flags of another time.
func TestOlderRun(t *testing.T) {
	const today = "kubectl run makes one Pod since 1.18, without "
	for line, want := range map[string]string{
		"run web --image=nginx --port=80 --expose":                                                  "",
		"run web --image=nginx -l --replicas=3":                                                     "", // the value of -l
		"run web --image=nginx -- --replicas=3":                                                     "",
		"run web --image=nginx --nosuch --replicas=3":                                               "",
		"run --image=nginx --replicas=3":                                                            "", // asked for a name
		"run --image=nginx --replicas=3 -- web":                                                     "",
		"scale deployment web --replicas=3":                                                         "",
		"create deployment run --image=nginx --replicas=3":                                          "",
		"-n x run web --image=nginx --replicas=3":                                                   today + "--replicas. Here this makes a Deployment, as until 1.17; today: kubectl create deployment web --image=nginx --replicas=3",
		"run web -r2 --image=nginx --port=80 --expose":                                              today + "--replicas. Here this makes a Deployment, as until 1.17; today: kubectl create deployment web --image=nginx --port=80 --replicas=2 && kubectl expose deployment web --port=80",
		"run web --image=nginx --port=80 --expose --service-generator=service/v1":                   today + "--service-generator. Here this makes a Deployment, as until 1.17; today: kubectl create deployment web --image=nginx --port=80 && kubectl expose deployment web --port=80 (a manifest has the name of the Service's port)",
		`run web --image=nginx --port=80 --expose --service-overrides={"spec":{"type":"NodePort"}}`: today + "--service-overrides. Here this makes a Deployment, as until 1.17; today: kubectl create deployment web --image=nginx --port=80 && kubectl expose deployment web --port=80 (a manifest has --service-overrides)",
		"run web --image=nginx --generator=run/v1":                                                  today + "--generator. Here this makes a ReplicationController, as until 1.17; today: kubectl create deployment web --image=nginx",
		"run web --image=nginx --generator run-pod/v1 -- -g x":                                      today + "--generator. Here this makes a Pod, as until 1.17; today: kubectl run web --image=nginx -- -g x",
		"run pi --image=perl --replicas=1 --restart=OnFailure --command -- perl -e 1":               today + "--replicas. Here this makes a Job, as until 1.17; today: kubectl create job pi --image=perl -- perl -e 1",
		"run hi --image=busybox --schedule=@daily -- date":                                          today + "--schedule. Here this makes a CronJob, as until 1.17; today: kubectl create cronjob hi --image=busybox --restart=Never --schedule=@daily (a manifest has the arguments)",
		"run php --image=x --requests=cpu=200m --env=A=b":                                           today + "--requests. Here this makes a Deployment, as until 1.17; today: kubectl create deployment php --image=x (a manifest has --env, --requests)",
		"run a\x1b[2Jb --image=nginx --replicas=2":                                                  today + `--replicas. Here this makes a Deployment, as until 1.17; today: kubectl create deployment $'a\x1b[2Jb' --image=nginx --replicas=2`,
	} {
		if got := older(t, line); got != want {
			t.Errorf("%q says\n%s\nwant\n%s", line, got, want)
		}
	}
}

// older is what is said of a line before upstream's `run` would begin.
func older(t *testing.T, line string) string {
	t.Helper()
	root, args := tree(t), strings.Fields(line)
	c, _, err := root.Find(args)
	if err != nil {
		t.Fatal(err)
	}
	c.Run = func(c *cobra.Command, args []string) {}
	var said bytes.Buffer
	if err := olderRun(root, args, &said); err != nil {
		t.Fatal(err)
	}
	root.SetArgs(args)
	root.PersistentPreRunE, root.PersistentPostRunE = nil, nil
	_ = root.Execute() // upstream's errors are not looked at
	return strings.TrimSuffix(said.String(), "\n")
}

// TestRetiredRunFlagsAreRetired: a flag that upstream has again is upstream's.
func TestRetiredRunFlagsAreRetired(t *testing.T) {
	c, err := find(tree(t), "run")
	if err != nil {
		t.Fatal(err)
	}
	retiredRunFlags().VisitAll(func(f *pflag.Flag) {
		if c.Flags().Lookup(f.Name) != nil || f.Shorthand != "" && c.Flags().ShorthandLookup(f.Shorthand) != nil {
			t.Errorf("upstream's run has --%s again", f.Name)
		}
	})
}
