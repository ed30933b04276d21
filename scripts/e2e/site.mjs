/*
 * The static server of the tests: scripts/serve on a free port, and in front of it, where a test
 * wants one, a proxy that breaks what it is told to break.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { createInterface } from "node:readline";

/** Starts scripts/serve over the directories; resolves with its address and `close`. */
export async function serve(...dirs) {
  const child = spawn("out/e2e/serve", ["--port", "0", ...dirs], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const url = await Promise.race([
    once(lines, "line").then(([line]) => line),
    once(child, "exit").then(([code]) => {
      throw new Error(`scripts/serve ended with code ${code} before it said its address`);
    }),
  ]);
  return {
    url,
    close: async () => {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/**
 * A proxy before `target`. `rules` maps the end of a path to what happens to it:
 *   (request, response) => void   answers in place of the target
 * `passes` is told the path of everything else that is asked for.
 */
export async function breaking(target, rules, passes = () => undefined) {
  const server = http.createServer((request, response) => {
    const path = new URL(request.url, target).pathname;
    const rule = Object.entries(rules).find(([end]) => path.endsWith(end))?.[1];
    if (rule) {
      rule(request, response, target);
      return;
    }
    passes(path);
    const forward = http.request(
      new URL(request.url, target),
      { method: request.method, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      },
    );
    forward.on("error", () => response.destroy());
    request.pipe(forward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://localhost:${server.address().port}/`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Rules for `breaking`. */
export const answers = {
  status: (code) => (_request, response) => response.writeHead(code).end("no"),
  /** The connection is cut before a single byte. */
  cut: (_request, response) => response.destroy(),
  body: (type, body) => (_request, response) =>
    response.writeHead(200, { "content-type": type }).end(body),
  /** Only the first `bytes` of the file, and a clean end: what a careless proxy does. */
  truncated: (bytes) => (request, response, target) => {
    http.get(new URL(request.url, target), (answer) => {
      response.writeHead(200, { "content-type": answer.headers["content-type"] });
      let left = bytes;
      answer.on("data", (chunk) => {
        response.write(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) {
          answer.destroy();
          response.end();
        }
      });
      answer.on("error", () => undefined);
    });
  },
  /** The first `bytes`, then the connection breaks. */
  broken: (bytes) => (request, response, target) => {
    http.get(new URL(request.url, target), (answer) => {
      response.writeHead(200, {
        "content-type": answer.headers["content-type"],
        "content-length": answer.headers["content-length"],
      });
      let left = bytes;
      answer.on("data", (chunk) => {
        response.write(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) {
          answer.destroy();
          setTimeout(() => response.destroy(), 50);
        }
      });
      answer.on("error", () => undefined);
    });
  },
};
