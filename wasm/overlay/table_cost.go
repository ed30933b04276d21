package overlay

// costly is the part of the table for what works on js and costs too much there; each names the
// figure of docs/performance.md that it is for.
var costly = []Entry{
	{
		Path:    "vendor/k8s.io/client-go/util/cert/cert.go",
		SHA256:  []string{"2bda966480b691a01ad0e4931556c45bb23dce513204dc5d686b64d85f4ae784"},
		Missing: "nothing: the apiserver's loopback certificate, made at every start, takes two RSA keys, which are a fifth of the time before its chain is built (page open to /readyz)",
		Instead: "ECDSA P-256 keys, as those of core/pki",
		Edits: []Edit{
			{"\t\"crypto/rsa\"\n", "\t\"crypto/ecdsa\"\n\t\"crypto/elliptic\"\n"},
			{"caKey, err := rsa.GenerateKey(cryptorand.Reader, 2048)", "caKey, err := ecdsa.GenerateKey(elliptic.P256(), cryptorand.Reader)"},
			{"priv, err := rsa.GenerateKey(cryptorand.Reader, 2048)", "priv, err := ecdsa.GenerateKey(elliptic.P256(), cryptorand.Reader)"},
			{
				"\tif err := pem.Encode(&keyBuffer, &pem.Block{Type: keyutil.RSAPrivateKeyBlockType, Bytes: x509.MarshalPKCS1PrivateKey(priv)}); err != nil {\n",
				"\tprivDER, err := x509.MarshalECPrivateKey(priv)\n\tif err != nil {\n\t\treturn nil, nil, err\n\t}\n\tif err := pem.Encode(&keyBuffer, &pem.Block{Type: keyutil.ECPrivateKeyBlockType, Bytes: privDER}); err != nil {\n",
			},
		},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/kubelet/volumemanager/volume_manager.go",
		SHA256:  []string{"b74cda4d2f65ba294530ab8e14cdf6a7f32d0c4e7d4387b17a6ab6944984eda9"},
		Missing: "nothing: a pod waits for its volumes in steps of 300 ms, and in memory they are there at once (apply to pods Ready)",
		Instead: "steps of 50 ms",
		Edits:   []Edit{{"podAttachAndMountRetryInterval = 300 * time.Millisecond", "podAttachAndMountRetryInterval = 50 * time.Millisecond"}},
	},
}
