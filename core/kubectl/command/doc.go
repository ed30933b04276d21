// Package command is upstream's kubectl (k8s.io/kubectl/pkg/cmd) as a program.Program.
//
// Upstream's kubectl is written as the only command of its process; here several run at once in
// the process of the apiserver itself. So what upstream keeps per process is given to each
// command: its end (end.go), its verbosity (verbosity.go), its warnings, its working directory
// and its files (paths.go, stdin.go, kubeconfig.go), and the programs that log in for it
// (credentials.go, credentialplugin.go), those that extend it (kubectlplugins.go) and who sits at its
// terminal (identity.go). docs/upgrading.md has the whole table: what upstream takes for granted, what is done
// here, which test fails when it moves.
//
// It may import k8s.io/{kubectl,cli-runtime,client-go}, core/program, core/kubectl/english,
// core/kubectl/prompt, core/shell to quote words and, in the place of the machine's diff, core/shell/diff; it must never import
// k8s.io/kubernetes, nor set klog's verbosity.
package command
