/* An OIDC issuer that a pod of the cluster can be: its certificate, its documents, and tokens of its key. */
import { execFileSync } from "node:child_process";
import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";

/** One at an IP address. */
export function issuerAt(ip) {
  const dir = mkdtempSync(`${tmpdir()}/issuer-`);
  let key, cert;
  try {
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
        ...["-keyout", `${dir}/key`, "-out", `${dir}/cert`, "-subj", "/CN=issuer"],
        ...["-addext", `subjectAltName=IP:${ip}`],
      ],
      { stdio: "ignore" },
    );
    [key, cert] = ["key", "cert"].map((name) => readFileSync(`${dir}/${name}`, "utf8"));
  } finally {
    rmSync(dir, { recursive: true });
  }
  const url = `https://${ip}`;
  const jwk = createPublicKey(key).export({ format: "jwk" });
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return {
    url,
    key,
    cert,
    /** Both the issuer's document and its keys. */
    document: JSON.stringify({
      issuer: url,
      jwks_uri: `${url}/keys`,
      id_token_signing_alg_values_supported: ["ES256"],
      keys: [{ ...jwk, use: "sig", alg: "ES256", kid: "k" }],
    }),
    token(claims) {
      const now = Math.floor(Date.now() / 1000);
      const all = { iss: url, iat: now - 60, exp: now + 3600, ...claims };
      const text = `${part({ alg: "ES256", kid: "k" })}.${part(all)}`;
      const by = { key: createPrivateKey(key), dsaEncoding: "ieee-p1363" };
      return `${text}.${sign("sha256", Buffer.from(text), by).toString("base64url")}`;
    },
  };
}
