package initializers

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Bounds: the names stand in an annotation of each object that they are for.
const (
	maxInitializers = 32 // of a configuration, and pending for an object
	maxRules        = 64 // of an initializer
)

func validate(c *InitializerConfiguration) field.ErrorList {
	errs := apivalidation.ValidateObjectMeta(&c.ObjectMeta, false, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	path := field.NewPath("initializers")
	if len(c.Initializers) > maxInitializers {
		return append(errs, field.TooMany(path, len(c.Initializers), maxInitializers))
	}
	var names []string
	for n, i := range c.Initializers {
		at := path.Index(n)
		if err := nameError(i.Name); err != "" {
			errs = append(errs, field.Invalid(at.Child("name"), i.Name, err))
		}
		if slices.Contains(names, i.Name) {
			errs = append(errs, field.Duplicate(at.Child("name"), i.Name))
		}
		names = append(names, i.Name)
		if len(i.Rules) > maxRules {
			errs = append(errs, field.TooMany(at.Child("rules"), len(i.Rules), maxRules))
			continue
		}
		for m := range i.Rules {
			errs = append(errs, validateRule(&i.Rules[m], at.Child("rules").Index(m))...)
		}
	}
	return errs
}

// nameError is empty for a name that an initializer may have.
func nameError(name string) string {
	if wrong := validation.IsDNS1123Subdomain(name); len(wrong) > 0 {
		return strings.Join(wrong, "; ")
	}
	if strings.Count(name, ".") < 2 {
		return "should be a domain with at least three segments separated by dots"
	}
	return ""
}

func validateRule(r *admissionregistrationv1.Rule, path *field.Path) (errs field.ErrorList) {
	for name, values := range map[string][]string{"apiGroups": r.APIGroups, "apiVersions": r.APIVersions, "resources": r.Resources} {
		at := path.Child(name)
		if len(values) == 0 {
			errs = append(errs, field.Required(at, ""))
		}
		if len(values) > maxRules {
			errs = append(errs, field.TooMany(at, len(values), maxRules))
		}
		if len(values) > 1 && slices.Contains(values, "*") {
			errs = append(errs, field.Invalid(at, values, "if '*' is present, must not specify other values"))
		}
		for i, v := range values {
			if v == "" && name != "apiGroups" {
				errs = append(errs, field.Required(at.Index(i), ""))
			}
			if name == "resources" && strings.Contains(v, "/") {
				errs = append(errs, field.Invalid(at.Index(i), v, "must not contain subresources"))
			}
		}
	}
	if s := r.Scope; s != nil && *s != admissionregistrationv1.AllScopes && *s != admissionregistrationv1.ClusterScope && *s != admissionregistrationv1.NamespacedScope {
		errs = append(errs, field.NotSupported(path.Child("scope"), *s, []admissionregistrationv1.ScopeType{
			admissionregistrationv1.AllScopes, admissionregistrationv1.ClusterScope, admissionregistrationv1.NamespacedScope}))
	}
	return errs
}

// namesError is for a whole list.
func namesError(names []string) error {
	if len(names) > maxInitializers {
		return fmt.Errorf("%d initializers are too many; at most %d are taken", len(names), maxInitializers)
	}
	for i, name := range names {
		if why := nameError(name); why != "" {
			return fmt.Errorf("initializer %.300q: %s", name, why)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("initializer %q is there twice", name)
		}
	}
	return nil
}
