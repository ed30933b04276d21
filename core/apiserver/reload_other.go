//go:build !js

package apiserver

import (
	"time"

	encryption "k8s.io/apiserver/pkg/server/options/encryptionconfig/controller"
)

const filesAreWatched = true

func init() {
	// Upstream watches the other two; at this one it looks once a minute.
	encryption.EncryptionConfigFileChangePollDuration = time.Second
}
