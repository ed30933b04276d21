// Package english keeps kubectl's translations from being loaded. Upstream loads them while package
// k8s.io/kubectl/pkg/cmd/options is initialised, into a zip file in memory that it deflates and
// then inflates: a third of a second before main in the tab, for a locale that maps each text to
// itself. Without them kubectl speaks the English of its source.
//
// It must be imported for its effect, and import nothing that imports a command of kubectl: Go
// initialises it as soon as package i18n is, before any package that asks for a text.
package english

import "k8s.io/kubectl/pkg/util/i18n"

func init() {
	if err := i18n.SetLoadTranslationsFunc(func() error { return nil }); err != nil {
		panic(err) // a programming error: see the package's doc
	}
}
