/* Forms that post, and WebSockets, of a page in the browser view. */
import assert from "node:assert/strict";
import { screenshot, sh } from "./browser.mjs";
import { go, serve, shown } from "./pane.mjs";

/** Forms that post, and WebSockets. */
export async function postsAndSockets(page) {
  await sh(page, "kubectl create deployment podinfo --image=ghcr.io/stefanprodan/podinfo:6.1.0");
  await sh(page, "kubectl expose deployment podinfo --port=9898");
  await sh(page, "kubectl create deployment echo --image=registry.k8s.io/echoserver:1.10");
  await sh(page, "kubectl expose deployment echo --port=8080");
  const form = (id, more) =>
    `<form id="${id}" method="post" action="/echo?${id}" ${more}><input name="a" value="x & y"><button name="b" value="z">Send ${id}</button></form>`;
  await serve(
    page,
    "forms",
    {
      "index.html": `<!doctype html><title>forms</title>${form("plain", "")}${form("parts", 'enctype="multipart/form-data"')}`,
    },
    "server { listen 80; location /echo { proxy_pass http://echo:8080; } location / { root /usr/share/nginx/html; } }",
  );
  await sh(page, "kubectl rollout status deployment/echo deployment/podinfo --timeout=120s");

  await go(page, "forms");
  await shown(page).getByRole("button", { name: "Send plain" }).click();
  await shown(page).getByText("a=x+%26+y&b=z").waitFor();
  const answer = await shown(page).locator("body").innerText();
  assert.match(answer, /method=POST[^]*content-type=application\/x-www-form-urlencoded/);
  // Endpoints come and go: what a form has sent is not sent twice.
  await sh(page, "kubectl run another --image=nginx --labels=app=forms --port=80");
  await sh(page, "kubectl wait --for=condition=Ready pod/another --timeout=120s");
  await sh(page, "kubectl delete pod another");
  const posts = "kubectl logs forms | grep -c 'POST /echo?plain'";
  assert.equal((await sh(page, posts)).trim(), "1");
  await page.getByRole("button", { name: "Back" }).click();
  await shown(page).getByRole("button", { name: "Send parts" }).click();
  await shown(page).getByText('form-data; name="a"').waitFor();
  await screenshot(page, "pane-form-desktop");

  await go(page, "podinfo");
  await shown(page).getByText("greetings from podinfo v6.1.0").waitFor();
  await shown(page).getByRole("button", { name: "Ping" }).click();
  await shown(page).getByRole("button", { name: "Ping 1" }).waitFor();
  await screenshot(page, "pane-podinfo-desktop");
  const got = await shown(page)
    .locator("body")
    .evaluate(async () => {
      const got = {};
      const socket = new WebSocket("/ws/echo");
      // What does not come is said, and does not hold up all that follows.
      const next = (of, type) =>
        new Promise((resolve, reject) => {
          of.addEventListener(type, resolve, { once: true });
          setTimeout(() => reject(new Error(`no ${type}, after ${JSON.stringify(got)}`)), 60_000);
        });
      got.url = socket.url.replace(/\/\/.*:/, "//…:");
      await next(socket, "open");
      const heard = async () => {
        for (;;) {
          const { data } = await next(socket, "message");
          if (JSON.parse(data).msg !== undefined) return JSON.parse(data).msg;
        }
      };
      socket.send("hello");
      got.text = await heard();
      socket.send(new TextEncoder().encode("as bytes"));
      got.bytes = await heard();
      socket.send(new Blob(["as a blob"]));
      got.blob = await heard();
      got.buffered = socket.bufferedAmount;
      socket.close(1000, "done");
      const { code, wasClean } = await next(socket, "close");
      got.closed = [code, wasClean];

      // What the other end does not take, is none, or is elsewhere.
      const large = new WebSocket("/ws/echo");
      await next(large, "open");
      large.send("x".repeat(65 << 10));
      got.large = (await next(large, "close")).code;
      for (const [name, url] of Object.entries({
        none: "/version",
        elsewhere: "ws://evil.example/ws",
        server: "wss://10.96.0.1:443/",
      })) {
        got[name] = (await next(new WebSocket(url), "close")).code;
      }
      const many = Array.from({ length: 17 }, () => new WebSocket("/ws/echo"));
      got.last = (await next(many[16], "close")).code;
      await Promise.all(many.slice(0, 16).map((one) => one.readyState || next(one, "open")));
      // More than is taken: it is closed, and the others are not. The document lets nobody hear of what has come, so
      // that the echo of what it sends goes nowhere, and soon the other end takes no more.
      const flooded = next(many[0], "close");
      const { postMessage } = window.MessagePort.prototype;
      window.MessagePort.prototype.postMessage = function (message, ...more) {
        if (message.type !== "heard") postMessage.call(this, message, ...more);
      };
      while (many[0].readyState === WebSocket.OPEN) {
        // Twice as much as may wait, and no more before that has gone: the page has to come to it.
        while (many[0].bufferedAmount < 8 << 20) many[0].send("x".repeat(60 << 10));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      window.MessagePort.prototype.postMessage = postMessage;
      got.flood = (await flooded).code;
      many[1].send("still there");
      got.other = await new Promise((resolve) =>
        many[1].addEventListener("message", ({ data }) => {
          if (JSON.parse(data).msg) resolve(JSON.parse(data).msg);
        }),
      );
      return got;
    });
  assert.deepEqual(got, {
    url: "ws://…:9898/ws/echo",
    text: "hello",
    bytes: "as bytes",
    blob: "as a blob",
    buffered: 0,
    closed: [1000, true],
    large: 1009,
    none: 1006,
    elsewhere: 1006,
    server: 1006,
    last: 1006,
    flood: 1006,
    other: "still there",
  });
  await page.getByText("It wants more than 16 WebSockets at once").waitFor();
  // With its document its WebSockets go.
  await page.getByRole("button", { name: "Reload" }).click();
  await shown(page).getByText("greetings from podinfo v6.1.0").waitFor();
}
