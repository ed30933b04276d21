package command

import (
	"bytes"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/kubectl/pkg/cmd"
)

// TestLineKeepsNoSecret: a command as a step has it says what is asked for, and no value that could be
// a secret, however it is written.
func TestLineKeepsNoSecret(t *testing.T) {
	for given, want := range map[string]string{
		"create deployment nginx --image=nginx --replicas=3":                      "kubectl create deployment nginx --image=nginx --replicas=3",
		"create deployment nginx --image nginx -n demo":                           "kubectl create deployment nginx --image nginx -n demo",
		"get pods -A -o wide":                                                     "kubectl get pods -A -o wide",
		"--token=CANARY get pods":                                                 "kubectl get --token=(not kept) pods",
		"get pods --token CANARY":                                                 "kubectl get pods --token (not kept)",
		"get pods --made-up=CANARY":                                               "kubectl get pods --made-up=(not kept)",
		"create secret generic s --from-literal=k=CANARY":                         "kubectl create secret generic s --from-literal=(not kept)",
		"create secret generic s --from-literal k=CANARY":                         "kubectl create secret generic s --from-literal (not kept)",
		"set env deployment/d PASSWORD=CANARY":                                    "kubectl set env deployment/d PASSWORD=(not kept)",
		"exec pod -c c -- mysql -pCANARY":                                         "kubectl exec pod -c c -- (not kept)",
		"exec -it pod -- sh -c CANARY":                                            "kubectl exec -it pod -- (not kept)",
		"exec deploy/web CANARY":                                                  "kubectl exec deploy/web (not kept)",
		"run p --image=busybox echo CANARY":                                       "kubectl run p --image=busybox (not kept) (not kept)",
		"get pods -ndemo -owide":                                                  "kubectl get pods -ndemo -owide",
		"get pods --as=nobody":                                                    "kubectl get pods --as=nobody",
		"logs web -fc app":                                                        "kubectl logs web -fc app",
		"config use-context kind":                                                 "kubectl config use-context kind",
		"debug node/node-1 -it --image=busybox -- sh":                             "kubectl debug node/node-1 -it --image=busybox -- (not kept)",
		"exec pod -it CANARY":                                                     "",
		"config set users.x.token CANARY":                                         "kubectl config set (not kept) (not kept)",
		"patch deployment d -p CANARY":                                            "kubectl patch deployment d -p (its body is not kept)",
		`patch deployment d -p={"spec":{"replicas":5}}`:                           "kubectl patch deployment d -p={spec:{replicas:…}} (its values are not kept)",
		`patch deployment/d --patch {"spec":{"replicas":5}} --type=merge -n demo`: "kubectl patch deployment/d --patch {spec:{replicas:…}} (its values are not kept) --type=merge -n demo",
		`patch deployment/d CANARY -p {}`:                                         "kubectl patch deployment/d (not kept) -p {} (its values are not kept)",
		`patch deployment d CANARY -p {}`:                                         "kubectl patch deployment d (not kept) -p {} (its values are not kept)",
		`patch deploy d {"spec":{"x":"CANARY"}}`:                                  "kubectl patch deploy d (not kept)",
		`patch deploy {"x":"CANARY"} d`:                                           "kubectl patch deploy (not kept) (not kept)",
		"run p --image=busybox --env=A=CANARY -- sh -c CANARY":                    "kubectl run p --image=busybox --env=(not kept) -- (not kept)",
		"get pods -sCANARY":                                                       "",
		"nosuchcommand CANARY":                                                    "kubectl",
		"create deployment d --image=x -- echo CANARY":                            "",
		"annotate deployment d note=CANARY":                                       "kubectl annotate deployment d note=(not kept)",
		"create ingress web --rule=a.example/*=web:80,tls=c":                      "kubectl create ingress web --rule=a.example/*=web:80,tls=c",
		"set image deployment/d c=nginx:1.28":                                     "kubectl set image deployment/d c=nginx:1.28",
		"label pod p tier=front":                                                  "kubectl label pod p tier=front",
		"wait --for=condition=Ready pod/p":                                        "kubectl wait --for=condition=Ready pod/p",
		"create token default --duration=1h":                                      "kubectl create token default --duration=1h",
		"get pods " + strings.Repeat("x", 2*1024):                                 "",
		"apply -f https://user:CANARY@host.example/a.yaml?token=CANARY#CANARY":    "kubectl apply -f https://(not kept)@host.example/a.yaml?(not kept)",
		"apply --filename=a.yaml,https://h/b?t=CANARY,CANARY,http://h/c.yaml":     "kubectl apply --filename=a.yaml,https://h/b?(not kept),http://h/c.yaml",
		"apply -f a.yaml,https://u,CANARY:CANARY@h/a":                             "",
		"apply -k https://user:CAN/ARY@host/dir":                                  "kubectl apply -k https://(not kept)@host/dir",
		"apply -fhttps://CANARY@host/a":                                           "kubectl apply -fhttps://(not kept)@host/a",
		"kustomize git::https://u:CANARY@h/r//d?ref=v1":                           "kubectl kustomize git::https://(not kept)@h/r//d?(not kept)",
		"apply -f https://cdn.example:8443/gh/o/r@v1/a.yaml -n x -- CANARY":       "kubectl apply -f https://cdn.example:8443/gh/o/r@v1/a.yaml -n x -- (not kept)",
		"create secret docker-registry r --docker-password CANARY":                "kubectl create secret docker-registry r --docker-password (not kept)",
	} {
		flags := genericclioptions.NewConfigFlags(true).WithDeprecatedPasswordFlag()
		streams := genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &bytes.Buffer{}, ErrOut: &bytes.Buffer{}}
		root := cmd.NewKubectlCommand(cmd.KubectlOptions{ConfigFlags: flags, Arguments: []string{"kubectl"}, IOStreams: streams})
		got := line(found(root, strings.Fields(given)))
		if strings.Contains(got, "CANARY") || want != "" && got != want || len(got) > 1100 {
			t.Errorf("%s\n got %s\nwant %s", given, got, want)
		}
	}
}
