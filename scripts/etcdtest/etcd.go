//go:build !js

package etcdtest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Server is one etcd, alone in its cluster, on a free port of 127.0.0.1.
type Server struct {
	etcd    *embed.Etcd
	closing sync.Once
	tls     *TLS
	// URL is where it answers.
	URL string
}

// Options say how it runs.
type Options struct {
	// Dir is its data directory, empty or left by another.
	Dir string
	// Fsync has it put each write on disk, as it does in production.
	Fsync bool
	// TLS has it serve https, to clients with a certificate only. nil is http.
	TLS *TLS
}

// TLS names files in PEM.
type TLS struct {
	CA                    string
	Cert, Key             string // the server's
	ClientCert, ClientKey string
}

// The one member, whose names are in what is restored, too.
const (
	memberName     = "default"
	peerURL        = "http://127.0.0.1:0"
	initialCluster = memberName + "=" + peerURL
)

// Restore makes a data directory from a snapshot, as `etcdutl snapshot restore` does.
func Restore(file, dir string) error {
	return snapshot.NewV3(zap.NewNop()).Restore(snapshot.RestoreConfig{
		SnapshotPath:   file,
		Name:           memberName,
		OutputDataDir:  dir,
		PeerURLs:       []string{peerURL},
		InitialCluster: initialCluster,
	})
}

const startPatience = time.Minute

// Start returns once it answers.
func Start(opts Options) (*Server, error) {
	cfg := embed.NewConfig()
	cfg.Name = memberName
	cfg.Dir = opts.Dir
	cfg.UnsafeNoFsync = !opts.Fsync
	// It calls the end of each listener an error.
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	peer, err := url.Parse(peerURL)
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	client := url.URL{Scheme: "http", Host: address}
	if opts.TLS != nil {
		client.Scheme = "https"
		info := &cfg.ClientTLSInfo
		info.TrustedCAFile, info.CertFile, info.KeyFile = opts.TLS.CA, opts.TLS.Cert, opts.TLS.Key
		info.ClientCertFile, info.ClientKeyFile = opts.TLS.ClientCert, opts.TLS.ClientKey // it dials itself
		info.ClientCertAuth = true
	}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	cfg.InitialCluster = initialCluster
	e, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, fmt.Errorf("start etcd: %w", err)
	}
	select {
	case <-e.Server.ReadyNotify():
	case err := <-e.Err():
		e.Close()
		return nil, fmt.Errorf("start etcd: %w", err)
	case <-time.After(startPatience):
		e.Close()
		return nil, errors.New("start etcd: it is not ready in time")
	}
	return &Server{etcd: e, tls: opts.TLS, URL: client.String()}, nil
}

// freeAddress is one that nobody listened on a moment ago: etcd also dials itself,
// at the address that it was told to listen on, so that must be a real one.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// Client returns a client that the caller closes.
func (s *Server) Client() (*kubernetes.Client, error) {
	config := clientv3.Config{Endpoints: []string{s.URL}, DialTimeout: 10 * time.Second}
	if s.tls == nil {
		config.DialOptions = []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	} else {
		ca, err := os.ReadFile(s.tls.CA)
		if err != nil {
			return nil, err
		}
		own, err := tls.LoadX509KeyPair(s.tls.ClientCert, s.tls.ClientKey)
		if err != nil {
			return nil, err
		}
		config.TLS = &tls.Config{RootCAs: x509.NewCertPool(), Certificates: []tls.Certificate{own}}
		config.TLS.RootCAs.AppendCertsFromPEM(ca)
	}
	return kubernetes.New(config)
}

// Close ends it; its directory stays. A second Close does nothing.
func (s *Server) Close() { s.closing.Do(s.etcd.Close) }
