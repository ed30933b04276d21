package command

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/generate/versioned"

	"github.com/tabernetes/tabernetes/core/shell"
)

// retiredRunFlags are flags that `kubectl run` had in the time of the guide's editions, and which upstream's generators
// take, or ours.
func retiredRunFlags() *pflag.FlagSet {
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.String("generator", "", "")
	f.Int32P("replicas", "r", 1, "")
	f.String("schedule", "", "")
	f.String("requests", "", "")
	f.String("limits", "", "")
	f.String("serviceaccount", "", "")
	f.Int32("hostport", -1, "")
	f.String("service-generator", versioned.ServiceV2GeneratorName, "")
	f.String("service-overrides", "", "")
	return f
}

// olderRun gives `kubectl run` these flags back for a line that has one of them; a line that upstream accepts has none,
// and is upstream's as it is.
func olderRun(root *cobra.Command, args []string, stderr io.Writer) error {
	c, rest, err := root.Find(args)
	if err != nil || c.Name() != "run" || c.Parent() != root {
		return nil
	}
	if c, err = find(root, "run"); err != nil {
		return err
	}
	retired, all := retiredRunFlags(), pflag.NewFlagSet("run", pflag.ContinueOnError)
	for _, some := range []*pflag.FlagSet{c.Flags(), root.PersistentFlags(), retired} {
		all.AddFlagSet(some)
	}
	var used []string
	err = all.ParseAll(rest, func(f *pflag.Flag, _ string) error { // sets nothing
		if f == retired.Lookup(f.Name) && !slices.Contains(used, "--"+f.Name) {
			used = append(used, "--"+f.Name)
		}
		return nil
	})
	if err != nil || used == nil {
		return nil // upstream says what is wrong, if anything is
	}
	c.Flags().AddFlagSet(retired)
	run := c.Run
	c.Run = func(c *cobra.Command, args []string) {
		if len(args) > 0 && c.ArgsLenAtDash() != 0 { // else upstream asks for a name
			cmdutil.CheckErr(chooseGenerator(c))
			fmt.Fprintln(stderr, sayOlder(c, args, used))
		}
		run(c, args)
	}
	return nil
}

// chooseGenerator sets --generator as kubectl 1.17 chose it (k8s.io/kubectl/pkg/cmd/run, RunOptions.Run there), and
// refuses what could not be.
func chooseGenerator(c *cobra.Command) error {
	f := c.Flags()
	name, schedule, restart := cmdutil.GetFlagString(c, "generator"), cmdutil.GetFlagString(c, "schedule"), corev1.RestartPolicy(cmdutil.GetFlagString(c, "restart"))
	switch {
	case name != "":
	case schedule != "":
		name = "cronjob/v1beta1"
	case restart == corev1.RestartPolicyOnFailure || restart == "" && cmdutil.GetFlagBool(c, "stdin"):
		name = "job/v1"
	case restart == corev1.RestartPolicyNever:
		name = versioned.RunPodV1GeneratorName
	default:
		name = "deployment/apps.v1"
	}
	kind := runGenerators[name]
	replicas := cmdutil.GetFlagInt32(c, "replicas")
	switch {
	case kind == "":
		return cmdutil.UsageErrorf(c, "generator %q not found; there were %s", name, strings.Join(slices.Sorted(maps.Keys(runGenerators)), ", "))
	case replicas != 1 && cmdutil.GetFlagBool(c, "stdin"):
		return cmdutil.UsageErrorf(c, "-i/--stdin requires that replicas is 1, found %d", replicas)
	case replicas != 1 && restart != "" && restart != corev1.RestartPolicyAlways:
		return cmdutil.UsageErrorf(c, "--restart=%s requires that --replicas=1, found %d", restart, replicas)
	}
	if service := cmdutil.GetFlagString(c, "service-generator"); cmdutil.GetFlagBool(c, "expose") && serviceGenerators[service] == nil {
		return cmdutil.UsageErrorf(c, "service generator %q not found; there were %s", service, strings.Join(slices.Sorted(maps.Keys(serviceGenerators)), ", "))
	}
	if (kind == "Job" || kind == "CronJob") && !f.Changed("restart") {
		// The API refuses Always, which is the flag's default; its help promised Never.
		if err := f.Set("restart", string(corev1.RestartPolicyNever)); err != nil {
			return err
		}
	}
	return f.Set("generator", name)
}

// today is the command that makes each kind, and which of the flags of `run` it has.
var today = map[string]struct {
	command string
	flags   []string
}{
	"Pod":                   {"run", []string{"image", "port", "expose", "restart"}},
	"Job":                   {"create job", []string{"image"}},
	"CronJob":               {"create cronjob", []string{"image", "schedule", "restart"}},
	"Deployment":            {"create deployment", []string{"image", "replicas", "port"}},
	"ReplicationController": {"create deployment", []string{"image", "replicas", "port"}}, // nobody makes them any more
}

// ofManifest are flags for what a manifest says today.
var ofManifest = []string{"annotations", "env", "expose", "hostport", "image-pull-policy", "labels", "limits", "overrides", "privileged", "requests", "service-overrides", "serviceaccount", "stdin"}

// sayOlder says what a line makes that has flags of another time, and what makes it today.
func sayOlder(c *cobra.Command, args, used []string) string {
	f := c.Flags()
	kind := runGenerators[cmdutil.GetFlagString(c, "generator")]
	now := today[kind]
	line := append(append([]string{"kubectl"}, strings.Fields(now.command)...), args[0])
	deploys := now.command == "create deployment"
	var left []string
	f.Visit(func(flag *pflag.Flag) {
		switch {
		case slices.Contains(now.flags, flag.Name):
			line = append(line, "--"+flag.Name+"="+flag.Value.String())
		case slices.Contains(ofManifest, flag.Name) && !(flag.Name == "expose" && deploys):
			left = append(left, "--"+flag.Name)
		case flag.Name == "service-generator" && flag.Value.String() == serviceV1 && cmdutil.GetFlagBool(c, "expose"):
			left = append(left, "the name of the Service's port")
		}
	})
	switch asCommand := cmdutil.GetFlagBool(c, "command"); {
	case len(args) == 1:
	case kind == "Pod" && !asCommand || kind != "Pod" && asCommand:
		line = append(append(line, "--"), args[1:]...)
	case kind == "Pod":
		line = append(append(line, "--command", "--"), args[1:]...)
	default:
		left = append(left, "the arguments")
	}
	said := fmt.Sprintf("kubectl run makes one Pod since 1.18, without %s. Here this makes a %s, as until 1.17; today: %s", strings.Join(used, ", "), kind, Line(line...))
	if deploys && cmdutil.GetFlagBool(c, "expose") {
		said += " && " + Line("kubectl", "expose", "deployment", args[0], "--port="+cmdutil.GetFlagString(c, "port"))
	}
	if left != nil {
		said += " (a manifest has " + strings.Join(left, ", ") + ")"
	}
	return said
}

// Line is words as a shell takes them, without what a terminal would obey.
func Line(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		var ok bool
		if quoted[i], ok = shell.Quote(w); !ok {
			quoted[i] = "…" // no shell can be given it
		}
	}
	return strings.Join(quoted, " ")
}
