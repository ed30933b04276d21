/** Manifests to begin with. Each is a whole that applies as it stands. */
export interface Example {
  name: string;
  /** What it shows. */
  about: string;
  text: string;
}

export const EXAMPLES: readonly Example[] = [
  {
    name: "Deployment",
    about: "Three replicas of a web server",
    text: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels:
    app: web
spec:
  replicas: 3
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: nginx
        image: nginx
        ports:
        - containerPort: 80
        readinessProbe:
          httpGet:
            path: /
            port: 80
`,
  },
  {
    name: "Deployment with Service",
    about: "Two documents: pods, and the address that leads to them",
    text: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  replicas: 2
  selector:
    matchLabels:
      app: shop
  template:
    metadata:
      labels:
        app: shop
    spec:
      containers:
      - name: nginx
        image: nginx
---
apiVersion: v1
kind: Service
metadata:
  name: shop
spec:
  selector:
    app: shop
  ports:
  - port: 80
`,
  },
  {
    name: "Pod with init container",
    about: "One container prepares a volume, the other serves it",
    text: `apiVersion: v1
kind: Pod
metadata:
  name: prepared
spec:
  initContainers:
  - name: write
    image: busybox
    command: ["sh", "-c", "echo prepared > /work/index.html"]
    volumeMounts:
    - name: work
      mountPath: /work
  containers:
  - name: nginx
    image: nginx
    volumeMounts:
    - name: work
      mountPath: /usr/share/nginx/html
  volumes:
  - name: work
    emptyDir: {}
`,
  },
  {
    name: "ConfigMap and Secret",
    about: "Settings as environment variables and as files",
    text: `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  COLOUR: blue
---
apiVersion: v1
kind: Secret
metadata:
  name: password
stringData:
  password: open sesame
---
apiVersion: v1
kind: Pod
metadata:
  name: reads-settings
spec:
  restartPolicy: Never
  containers:
  - name: show
    image: busybox
    command: ["sh", "-c", "echo $COLOUR; cat /secret/password"]
    envFrom:
    - configMapRef:
        name: settings
    volumeMounts:
    - name: secret
      mountPath: /secret
  volumes:
  - name: secret
    secret:
      secretName: password
`,
  },
  {
    name: "Job",
    about: "Runs to its end, five times",
    text: `apiVersion: batch/v1
kind: Job
metadata:
  name: count
spec:
  completions: 5
  parallelism: 2
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: count
        image: busybox
        command: ["sh", "-c", "echo done"]
`,
  },
  {
    name: "CronJob",
    about: "Every minute",
    text: `apiVersion: batch/v1
kind: CronJob
metadata:
  name: tick
spec:
  schedule: "* * * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
          - name: tick
            image: busybox
            command: ["date"]
`,
  },
  {
    name: "Role and binding",
    about: "A service account that may read pods, and nothing else",
    text: `apiVersion: v1
kind: ServiceAccount
metadata:
  name: reader
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: read-pods
rules:
- apiGroups: [""]
  resources: ["pods"]
  verbs: ["get", "list", "watch"]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: read-pods
subjects:
- kind: ServiceAccount
  name: reader
  namespace: default
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: read-pods
`,
  },
  {
    name: "CustomResourceDefinition",
    about: "A kind of your own with a rule in CEL, and one object of it",
    text: `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ships.example.com
spec:
  group: example.com
  scope: Namespaced
  names:
    kind: Ship
    plural: ships
    singular: ship
    shortNames: ["sh"]
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - name: Masts
      type: integer
      jsonPath: .spec.masts
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: ["masts"]
            properties:
              masts:
                type: integer
                description: How many masts she has.
                minimum: 1
            x-kubernetes-validations:
            - rule: self.masts <= 5
              message: no ship has more than five masts
---
apiVersion: example.com/v1
kind: Ship
metadata:
  name: pinta
spec:
  masts: 3
`,
  },
];
