/* Pods of the tab that an API server asks: who somebody is, what they may, which images may run. */

/** A pod that takes whatever token for ann's, and the Service by whose address it is asked. */
export const asked = `
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "asked"}, "data": {"default.conf": "server { listen 8081; default_type application/json; location / { return 200 '{\\"apiVersion\\": \\"authentication.k8s.io/v1\\", \\"kind\\": \\"TokenReview\\", \\"status\\": {\\"authenticated\\": true, \\"user\\": {\\"username\\": \\"ann\\"}}}'; } }"}}
---
{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "asked"}, "spec": {"clusterIP": "10.96.0.78", "selector": {"app": "asked"}, "ports": [{"port": 8081}]}}
---
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "asked", "labels": {"app": "asked"}}, "spec": {
  "containers": [{"name": "c", "image": "nginx", "volumeMounts": [{"name": "conf", "mountPath": "/etc/nginx/conf.d"}], "readinessProbe": {"tcpSocket": {"port": 8081}}}],
  "volumes": [{"name": "conf", "configMap": {"name": "asked"}}]}}`;

/** Where the pods below are asked. */
export const ANSWERS = "10.96.0.79";

/** One pod with what may be done (8082), which images may run (8083), and an issuer. */
export const answers = ({ document, cert, key }) => {
  const says = (port, group, kind, status) =>
    `server { listen ${port}; default_type application/json; location / { return 200 '${JSON.stringify({ apiVersion: group, kind, status })}'; } }`;
  const may = { allowed: true, reason: "a pod says so" };
  const conf = [
    says(8082, "authorization.k8s.io/v1", "SubjectAccessReview", may),
    says(8083, "imagepolicy.k8s.io/v1alpha1", "ImageReview", { allowed: false, reason: "no" }),
  ].join("\n");
  const metadata = { name: "answers", labels: { app: "answers" } };
  const readyAt = (port) => ({ tcpSocket: { port } });
  return [
    { kind: "ConfigMap", data: { "default.conf": conf, document } },
    { kind: "Secret", stringData: { "tls.crt": cert, "tls.key": key } },
    {
      kind: "Service",
      spec: {
        clusterIP: ANSWERS,
        selector: metadata.labels,
        ports: [8082, 8083, 443].map((port) => ({
          name: `p${port}`,
          port,
          targetPort: port === 443 ? 8443 : port,
        })),
      },
    },
    {
      kind: "Pod",
      spec: {
        containers: [
          {
            name: "hooks",
            image: "nginx",
            volumeMounts: [{ name: "conf", mountPath: "/etc/nginx/conf.d" }],
            readinessProbe: readyAt(8083),
          },
          {
            name: "issuer",
            image: "registry.k8s.io/e2e-test-images/agnhost:2.53",
            args: ["porter"],
            env: [
              { name: "SERVE_TLS_PORT_8443", value: document },
              { name: "CERT_FILE", value: "/tls/tls.crt" },
              { name: "KEY_FILE", value: "/tls/tls.key" },
            ],
            volumeMounts: [{ name: "tls", mountPath: "/tls" }],
            readinessProbe: readyAt(8443),
          },
        ],
        volumes: [
          {
            name: "conf",
            configMap: { name: "answers", items: [{ key: "default.conf", path: "default.conf" }] },
          },
          { name: "tls", secret: { secretName: "answers" } },
        ],
      },
    },
  ]
    .map((object) => JSON.stringify({ apiVersion: "v1", metadata, ...object }))
    .join("\n---\n");
};

/** The files that have them asked, and dex, whose certificate is given. */
export const asking = ({ url, cert }, dex) => {
  const kubeconfig = (port) =>
    "{apiVersion: v1, kind: Config, current-context: c, users: [], contexts: [{name: c, context: {cluster: c}}], " +
    `clusters: [{name: c, cluster: {server: "http://${ANSWERS}:${port}"}}]}`;
  const file = (value) => JSON.stringify(value, undefined, 1);
  const authorizer = {
    timeout: "30s",
    authorizedTTL: "1s",
    unauthorizedTTL: "1s",
    subjectAccessReviewVersion: "v1",
    matchConditionSubjectAccessReviewVersion: "v1",
    failurePolicy: "Deny",
    connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "$(CONFIG_DIR)/may" },
    matchConditions: [{ expression: "request.user == 'oidc:eve'" }],
  };
  const apiVersion = "apiserver.config.k8s.io/v1";
  return {
    may: kubeconfig(8082),
    images: kubeconfig(8083),
    "kube-apiserver.flags": "--enable-admission-plugins=ImagePolicyWebhook",
    "admission.yaml": file({
      apiVersion,
      kind: "AdmissionConfiguration",
      plugins: [
        {
          name: "ImagePolicyWebhook",
          configuration: {
            imagePolicy: { kubeConfigFile: "$(CONFIG_DIR)/images", allowTTL: 1, denyTTL: 1 },
          },
        },
      ],
    }),
    "authorization.yaml": file({
      apiVersion,
      kind: "AuthorizationConfiguration",
      authorizers: [
        { type: "Node", name: "node" },
        { type: "RBAC", name: "rbac" },
        { type: "Webhook", name: "hook", webhook: authorizer },
      ],
    }),
    "authentication.yaml": file({
      apiVersion,
      kind: "AuthenticationConfiguration",
      jwt: [
        {
          issuer: {
            url,
            audiences: ["tab"],
            egressSelectorType: "cluster",
            certificateAuthority: cert,
          },
          claimMappings: { username: { expression: '"oidc:" + claims.name' } },
        },
        {
          issuer: {
            url: "https://10.97.0.50/dex",
            audiences: ["kubectl"],
            egressSelectorType: "cluster",
            certificateAuthority: dex,
          },
          claimMappings: {
            username: { claim: "email", prefix: "oidc:" },
            groups: { claim: "groups", prefix: "oidc:" },
          },
        },
      ],
    }),
  };
};
