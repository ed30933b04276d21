/* A false Internet for the browser: nothing of a test leaves this machine. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";

/** kubernetes.io's examples, by the folder in which core/cluster has its own of the same names. */
const EXAMPLES = "core/cluster/testdata/tutorials/examples";
const AT = "/kubernetes/website/main/content/en/examples/";

/**
 * A server with TLS by a certificate of its own, in the place of the hosts that `args` of `launch` name. Contexts
 * need `ignoreHTTPSErrors`. `answer(request, response)` answers, or returns false for kubernetes.io's examples.
 */
export async function internet(answer = () => false) {
  const dir = mkdtempSync(join(tmpdir(), "internet-"));
  const files = ["-keyout", `${dir}/key`, "-out", `${dir}/cert`, "-subj", "/CN=lesson.example"];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", ...files],
    { stdio: "ignore" },
  );
  const key = readFileSync(`${dir}/key`);
  const cert = readFileSync(`${dir}/cert`);
  rmSync(dir, { recursive: true });
  const server = https.createServer({ key, cert }, (request, response) => {
    if (answer(request, response) === false) example(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const to = `127.0.0.1:${server.address().port}`;
  return {
    args: [`--host-resolver-rules=MAP *.example ${to}, MAP raw.githubusercontent.com ${to}`],
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function example({ url }, response) {
  response.setHeader("Access-Control-Allow-Origin", "*");
  const file = url.startsWith(AT) && join(EXAMPLES, normalize(url.slice(AT.length)));
  if (!file || !file.startsWith(EXAMPLES) || !existsSync(file)) response.writeHead(404).end();
  else response.end(readFileSync(file));
}
