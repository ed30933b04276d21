package command

import "github.com/tabernetes/tabernetes/core/trace"

const cmds = "k8s.io/kubectl/pkg/cmd/"

// objectsBy are the kinds of objects' steps by the command that makes the object, and patchesBy those of patches:
// what upstream's command is doing there is its own. Commands that are not among them hand on what they have got.
var (
	objectsBy = declareBy(generated, map[string]trace.Place{
		"create":                        {Package: cmds + "create", Func: "CreateOptions.RunCreate", Text: "Create(info.Namespace, true, info.Object)"},
		"create --dry-run=client":       {Package: cmds + "create", Func: "CreateOptions.RunCreate", Text: "return o.PrintObj(info.Object)"},
		"create clusterrole":            {Package: cmds + "create", Func: "CreateClusterRoleOptions.RunCreateRole", Text: "clusterRole := &rbacv1.ClusterRole{"},
		"create clusterrolebinding":     {Package: cmds + "create", Func: "ClusterRoleBindingOptions.Run", Text: "o.createClusterRoleBinding()"},
		"create configmap":              {Package: cmds + "create", Func: "ConfigMapOptions.Run", Text: "o.createConfigMap()"},
		"create cronjob":                {Package: cmds + "create", Func: "CreateCronJobOptions.Run", Text: "o.createCronJob()"},
		"create deployment":             {Package: cmds + "create", Func: "CreateDeploymentOptions.Run", Text: "o.createDeployment()"},
		"create ingress":                {Package: cmds + "create", Func: "CreateIngressOptions.Run", Text: "o.createIngress()"},
		"create job":                    {Package: cmds + "create", Func: "CreateJobOptions.Run", Text: "o.createJob()"},
		"create namespace":              {Package: cmds + "create", Func: "NamespaceOptions.Run", Text: "o.createNamespace()"},
		"create poddisruptionbudget":    {Package: cmds + "create", Func: "PodDisruptionBudgetOpts.Run", Text: "o.createPodDisruptionBudgets()"},
		"create priorityclass":          {Package: cmds + "create", Func: "PriorityClassOptions.Run", Text: "o.createPriorityClass()"},
		"create quota":                  {Package: cmds + "create", Func: "QuotaOpts.Run", Text: "o.createQuota()"},
		"create role":                   {Package: cmds + "create", Func: "CreateRoleOptions.RunCreateRole", Text: "role := &rbacv1.Role{"},
		"create rolebinding":            {Package: cmds + "create", Func: "RoleBindingOptions.Run", Text: "o.createRoleBinding()"},
		"create secret docker-registry": {Package: cmds + "create", Func: "CreateSecretDockerRegistryOptions.Run", Text: "o.createSecretDockerRegistry()"},
		"create secret generic":         {Package: cmds + "create", Func: "CreateSecretOptions.Run", Text: "o.createSecret()"},
		"create secret tls":             {Package: cmds + "create", Func: "CreateSecretTLSOptions.Run", Text: "o.createSecretTLS()"},
		"create service clusterip":      service,
		"create service externalname":   service,
		"create service loadbalancer":   service,
		"create service nodeport":       service,
		"create serviceaccount":         {Package: cmds + "create", Func: "ServiceAccountOpts.Run", Text: "o.createServiceAccount()"},
		"create token":                  {Package: cmds + "create", Func: "TokenOptions.Run", Text: "request := &authenticationv1.TokenRequest{"},
		"run":                           {Package: cmds + "run", Func: "RunOptions.createGeneratedObject", Text: "obj, err := generator.Generate(params)"},
		"expose":                        {Package: cmds + "expose", Func: "ExposeServiceOptions.RunExpose", Text: "o.createService()"},
		"autoscale":                     {Package: cmds + "autoscale", Func: "AutoscaleOptions.handleHPA", Text: "switch typedHPA := hpa.(type) {"},
		"apply":                         {Package: cmds + "apply", Func: "ApplyOptions.applyOneObject", Text: "obj, err := helper.Create(info.Namespace, true, info.Object)"},
		"apply --dry-run=client":        {Package: cmds + "apply", Func: "ApplyOptions.applyOneObject", Text: "util.GetModifiedConfiguration(info.Object, true, unstructured.UnstructuredJSONScheme)"},
		"autoscale --dry-run=client":    {Package: cmds + "autoscale", Func: "AutoscaleOptions.handleHPA", Text: "return printer.PrintObj(hpa, o.Out)"},
		"replace":                       {Package: cmds + "replace", Func: "ReplaceOptions.Run", Text: "Replace(info.Namespace, info.Name, true, info.Object)"},
		"replace --dry-run=client":      {Package: cmds + "replace", Func: "ReplaceOptions.Run", Text: "if o.DryRunStrategy == cmdutil.DryRunClient {"},
		"drain":                         {Package: "k8s.io/kubectl/pkg/drain", Func: "Helper.EvictPod", Text: "eviction := &policyv1.Eviction{"},
		"certificate approve":           certificate,
		"certificate deny":              certificate,
	})
	patchesBy = declareBy(patched, map[string]trace.Place{
		"annotate":            {Package: cmds + "annotate", Func: "AnnotateOptions.RunAnnotate", Text: "jsonpatch.CreateMergePatch(oldData, newData)"},
		"apply":               {Package: cmds + "apply", Func: "Patcher.patchSimple", Text: "p.Helper.Patch(namespace, name, patchType, patch, nil)"},
		"apply --server-side": {Package: cmds + "apply", Func: "ApplyOptions.applyOneObject", Text: "data, err := runtime.Encode(unstructured.UnstructuredJSONScheme, info.Object)"},
		"cordon":              cordon,
		"drain":               cordon,
		"edit":                {Package: cmds + "util/editor", Func: "EditOptions.visitToPatch", Text: "Patch(info.Namespace, info.Name, patchType, patch, nil)"},
		"label":               {Package: cmds + "label", Func: "LabelOptions.RunLabel", Text: "jsonpatch.CreateMergePatch(oldData, newObj)"},
		"patch":               {Package: cmds + "patch", Func: "PatchOptions.RunPatch", Text: "helper.Patch(namespace, name, patchType, patchBytes, nil)"},
		"rollout pause":       template,
		"rollout restart":     template,
		"rollout resume":      template,
		"scale":               {Package: "k8s.io/kubectl/pkg/scale", Func: "genericScaler.ScaleSimple", Text: "patch, err := json.Marshal(&spec)"},
		"set env":             template,
		"set image":           template,
		"set resources":       template,
		"set selector":        template,
		"set serviceaccount":  template,
		"set subject":         template,
		"taint":               {Package: cmds + "taint", Func: "TaintOptions.RunTaint", Text: "strategicpatch.CreateTwoWayMergePatch(oldData, newData, obj)"},
		"uncordon":            cordon,
	})
)

// Commands that share what makes it.
var (
	service     = trace.Place{Package: cmds + "create", Func: "ServiceOptions.Run", Text: "o.createService()"}
	certificate = trace.Place{Package: cmds + "certificates", Func: "CertificateOptions.modifyCertificateCondition", Text: "UpdateApproval("}
	template    = trace.Place{Package: cmds + "set", Func: "CalculatePatch", Text: "strategicpatch.CreateTwoWayMergePatch(patch.Before, patch.After, patch.Info.Object)"}
	cordon      = trace.Place{Package: "k8s.io/kubectl/pkg/drain", Func: "CordonHelper.PatchOrReplaceWithContext", Text: "strategicpatch.CreateTwoWayMergePatch(oldData, newData, c.node)"}
)

func declareBy(kind *trace.Kind, places map[string]trace.Place) map[string]*trace.Kind {
	by := make(map[string]*trace.Kind, len(places))
	for command, place := range places {
		by["kubectl "+command] = kind.Where(command, place)
	}
	return by
}

func kindBy(by map[string]*trace.Kind, command string, otherwise *trace.Kind) *trace.Kind {
	if k := by[command]; k != nil {
		return k
	}
	return otherwise
}
