/*
 * Doors of the control plane that one configuration opens together, with one restart, and what comes in
 * by each: the same as core/configuration's tests hold natively, here in the tab.
 */
import { readFileSync } from "node:fs";

/** Where the pod is asked that judges nodes; the key with which Secrets are encrypted. */
const JUDGE = "10.96.0.80";
const KEY = Buffer.alloc(32, "k").toString("base64");

/** A pod that finds room for no pod, on any node. */
export const judge = `
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "judge"}, "data": {"default.conf": "server { listen 8084; default_type application/json; location / { return 200 '{\\"Error\\": \\"a pod has no room\\"}'; } }"}}
---
{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "judge"}, "spec": {"clusterIP": "${JUDGE}", "selector": {"app": "judge"}, "ports": [{"port": 8084}]}}
---
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "judge", "labels": {"app": "judge"}}, "spec": {
  "containers": [{"name": "c", "image": "nginx", "volumeMounts": [{"name": "conf", "mountPath": "/etc/nginx/conf.d"}], "readinessProbe": {"tcpSocket": {"port": 8084}}}],
  "volumes": [{"name": "conf", "configMap": {"name": "judge"}}]}}`;

const authorizers = ["Node", "RBAC", "ABAC"].map((type) => ({ type, name: type.toLowerCase() }));
const config = (kind, rest) =>
  JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind, ...rest });

/** The files. */
export const files = {
  "basic-auth.csv": "old-word,old,8,retired\n",
  "tokens.csv": "token-of-abe,abe,9\n",
  "authentication.yaml": config("AuthenticationConfiguration", {
    anonymous: { enabled: true, conditions: [{ path: "/livez" }] },
  }),
  "authorization.yaml": config("AuthorizationConfiguration", { authorizers }),
  "abac.jsonl": `${JSON.stringify({
    apiVersion: "abac.authorization.kubernetes.io/v1beta1",
    kind: "Policy",
    spec: { user: "abe", namespace: "*", resource: "*", apiGroup: "*", readonly: true },
  })}\n`,
  "encryption.yaml": config("EncryptionConfiguration", {
    resources: [
      {
        resources: ["secrets"],
        providers: [{ aescbc: { keys: [{ name: "first", secret: KEY }] } }, { identity: {} }],
      },
    ],
  }),
  "scheduler.yaml": JSON.stringify({
    apiVersion: "kubescheduler.config.k8s.io/v1",
    kind: "KubeSchedulerConfiguration",
    extenders: [
      {
        urlPrefix: `http://${JUDGE}:8084`,
        filterVerb: "filter",
        weight: 1,
        httpTimeout: "60s",
        managedResources: [{ name: "example.com/judged", ignoredByScheduler: true }],
      },
    ],
  }),
  "kube-apiserver.flags": "--enable-admission-plugins=PodPreset,Initializers\n",
};

const overrides = (spec) => `--overrides='${JSON.stringify({ spec })}'`;

const request = `{"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": "dora"}, "spec": {
 "request": "$(base64 < dora.csr | tr -d '\\n')", "signerName": "kubernetes.io/kube-apiserver-client", "usages": ["client auth"]}}`;

const bootstrap =
  "--type=bootstrap.kubernetes.io/token --from-literal=token-id=abcdef --from-literal=token-secret=0123456789abcdef --from-literal=usage-bootstrap-authentication=true";

const preset = `{"apiVersion": "settings.k8s.io/v1alpha1", "kind": "PodPreset", "metadata": {"name": "db", "namespace": "opened"},
 "spec": {"selector": {"matchLabels": {"preset": "yes"}}, "env": [{"name": "DB", "value": "db.example.com"}]}}`;

/** One door each: what is typed, and what it says. What one makes another may use. */
export const rows = [
  [
    "a password",
    "kubectl config set-credentials old --username=old --password=old-word; kubectl --user=old auth whoami",
    /Username +old\n.*Groups +\[retired system:authenticated\]/s,
  ],
  [
    "a certificate of the signer's",
    `openssl genrsa -out dora.key 2048; openssl req -new -key dora.key -out dora.csr -subj /CN=dora
kubectl create -f - <<E
${request}
E
kubectl certificate approve dora
kubectl wait csr dora --for=jsonpath='{.status.certificate}' --timeout=60s
kubectl get csr dora -o jsonpath='{.status.certificate}' | base64 -d > dora.crt
kubectl config set-credentials dora --client-key=dora.key --client-certificate=dora.crt --embed-certs=true
kubectl --user=dora auth whoami`,
    /Username +dora\n/,
  ],
  [
    "a bootstrap token",
    `kubectl create secret generic bootstrap-token-abcdef -n kube-system ${bootstrap}
kubectl config set-credentials boot --token=abcdef.0123456789abcdef; kubectl --user=boot auth whoami`,
    /Username +system:bootstrap:abcdef\n/,
  ],
  [
    "a ServiceAccount's token",
    "kubectl config set-credentials sa --token=$(kubectl create token default -n opened); kubectl --user=sa auth whoami",
    /Username +system:serviceaccount:opened:default\n/,
  ],
  [
    "impersonation",
    "kubectl auth whoami --as=jane --as-group=friends",
    /Username +jane\n.*Groups +\[friends system:authenticated\]/s,
  ],
  [
    "nobody, for the one path where nobody is let in",
    "for p in livez version; do curl -sk -o /dev/null -w '%{http_code} ' https://127.0.0.1:6443/$p; done",
    /^200 401 $/,
  ],
  [
    "ABAC, for who may only read",
    `kubectl config set-credentials abe --token=token-of-abe; kubectl --user=abe get secrets -n opened -o name
kubectl --user=abe delete secret before -n opened`,
    /secret\/before\n.*cannot delete resource "secrets".*No policy matched/s,
  ],
  [
    "PodPreset",
    `kubectl create -f - <<'E'
${preset}
E
kubectl run preset -n opened --image=pause --labels=preset=yes --dry-run=server -o jsonpath='{.spec.containers[0].env[0].value}'`,
    /db\.example\.com$/,
  ],
  [
    "an extender that is a pod",
    `kubectl run judged -n opened --image=pause ${overrides({ containers: [{ name: "judged", image: "pause", resources: { limits: { "example.com/judged": 1 } } }] })}
kubectl wait pod/judged -n opened --for=jsonpath='{.status.conditions[0].reason}'=SchedulerError --timeout=60s
for i in $(seq 60); do kubectl get pod judged -n opened -o jsonpath='{.status.conditions[0].message}' | grep room && break; sleep 1; done
kubectl delete pod judged -n opened --now`,
    // The Service's endpoints are known again a moment after a restart; until then nobody answers there.
    /a pod has no room/,
  ],
];

/** What a chapter of the guide has to be run, in order. */
const blocks = (file) =>
  readFileSync(`web/guide/chapters/${file}.md`, "utf8")
    .split("```shell\n")
    .slice(1)
    .map((block) => block.split("```")[0]);

export const initializers = blocks("06-initializers");

/** Those of a login: an issuer in a pod, and a user whose program asks it, by a code that a person types there. */
const authentication = blocks("02-authentication");
export const issuerInAPod = authentication.find((block) => block.includes("secret tls dex"));
export const asksForACode = authentication
  .find((block) => block.includes("set-credentials ada"))
  .replace(/ --exec-arg=--(username|password)=\S+/g, "")
  .split("\n")[0];
