package cluster

import (
	"context"
	"log"
	"path/filepath"

	"github.com/tabernetes/tabernetes/core/apiserver/atrest"
	"github.com/tabernetes/tabernetes/core/checkpoint"
	"github.com/tabernetes/tabernetes/core/configuration"
)

// unseal reads what the configuration in force encrypts; nil if that is nothing.
func (c *Cluster) unseal() checkpoint.Unseal {
	if !c.configurationInForce().Has(configuration.Encryption) {
		return nil
	}
	keys, err := atrest.Load(context.Background(), filepath.Join(c.configurationDir(), configuration.Encryption), c.configurationInForce().EtcdPrefix())
	if err != nil {
		log.Printf("tabernetes: what is encrypted is put back as it was: %v", err)
		return nil
	}
	return keys.Unseal
}
