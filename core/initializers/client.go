package initializers

import (
	"encoding/json"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What an initializer does with an object that it has read, before it writes it back.

// Acts tells whether an object waits for that initializer now: it is the first on the list, and none has refused.
func Acts(o metav1.Object, name string) bool {
	a := o.GetAnnotations()
	_, refused := a[ResultAnnotation]
	names := split(a[PendingAnnotation])
	return !refused && len(names) > 0 && names[0] == name
}

// Done takes the first name off the list.
func Done(o metav1.Object) {
	if names := split(o.GetAnnotations()[PendingAnnotation]); len(names) > 0 {
		setPending(o, slices.Clone(names[1:]))
	}
}

// Refuse has the object's creator answered with why, and the object removed.
func Refuse(o metav1.Object, why string) error {
	// Room for the braces, and for what JSON escapes.
	const most = maxResult / 8
	if len(why) > most {
		why = why[:most]
	}
	status, err := json.Marshal(metav1.Status{Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: why})
	if err != nil {
		return err
	}
	a := map[string]string{ResultAnnotation: string(status)}
	for k, v := range o.GetAnnotations() {
		a[k] = v
	}
	a[ResultAnnotation] = string(status)
	o.SetAnnotations(a)
	return nil
}

// Seeing is how a client asks for what is not initialized, too: what it sends goes by this.
type Seeing struct{ Next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (s Seeing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	q := r.URL.Query()
	q.Set(parameter, "true")
	r.URL.RawQuery = q.Encode()
	return s.Next.RoundTrip(r)
}
