import { describe, expect, it } from "vitest";
import type { RpcClient } from "../rpc/client.ts";
import { REDIRECTS, UNDER_WAY, WAITING } from "./bounds.ts";
import type { Site } from "./sites.ts";
import { chunksOf, VisitError, Visitor } from "./visitor.ts";

const site: Site = { origin: "http://10.96.0.7", address: "10.96.0.7:80", tls: false };

/** A cluster that answers each path as it is told; it keeps what it was asked. */
function answering(
  answers: Record<string, { status: number; location?: string } | "refused" | "never">,
) {
  const asked: string[] = [];
  const client = {
    call: (_method: string, params: never, handlers: never) => {
      const { method, path, address, host } = params as Record<string, string>;
      const { head, event } = handlers as {
        head: (head: unknown) => void;
        event: (event: unknown) => void;
      };
      asked.push(`${method} ${host} ${path} at ${address}`);
      const answer = answers[path ?? ""] ?? { status: 200 };
      const call = { send: () => undefined, end: () => undefined, cancel: () => undefined };
      if (answer === "never") return { ...call, result: new Promise(() => undefined) };
      if (answer === "refused") {
        event({ failed: "refused" });
        return { ...call, result: Promise.reject(new Error("connection refused")) };
      }
      event({ endpoint: "10.244.1.7:8080" });
      const { status, location } = answer;
      head({
        status,
        statusText: "",
        headers: location === undefined ? [] : [["location", location]],
      });
      return { ...call, result: Promise.resolve({}) };
    },
  } as unknown as Pick<RpcClient, "call">;
  return { asked, visitor: new Visitor(client, new Map([[site.origin, site]])) };
}

describe("a visitor", () => {
  it("says who answered, and follows redirects as a browser does", async () => {
    const { asked, visitor } = answering({ "/form": { status: 302, location: "done?x=1" } });
    const body = new ArrayBuffer(1);
    const visited = await visitor.request({
      url: "http://10.96.0.7/form#top",
      method: "POST",
      body,
    });
    expect(asked).toEqual([
      "POST 10.96.0.7 /form at 10.96.0.7:80",
      "GET 10.96.0.7 /done?x=1 at 10.96.0.7:80",
    ]);
    expect([visited.url, visited.method, visited.redirected, visited.endpoint]).toEqual([
      "http://10.96.0.7/done?x=1#top",
      "GET",
      true,
      "10.244.1.7:8080",
    ]);
  });

  it.each([
    ["another host", "http://evil.example/", "elsewhere"],
    ["another port", "http://10.96.0.7:8080/", "elsewhere"],
    ["another scheme", "https://10.96.0.7/", "elsewhere"],
    ["a file", "file:///etc/passwd", "elsewhere"],
    ["a redirect that leads away", "http://10.96.0.7/away", "elsewhere"],
    ["a redirect to itself", "http://10.96.0.7/loop", "loop"],
    ["nobody", "http://10.96.0.7/nobody", "refused"],
  ])("goes nowhere else, and not for ever: %s", async (_name, url, failure) => {
    const { asked, visitor } = answering({
      "/away": { status: 307, location: "http://evil.example/" },
      "/loop": { status: 302, location: "/loop" },
      "/nobody": "refused",
    });
    const error = await visitor.request({ url }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(VisitError);
    expect((error as VisitError).failure).toBe(failure);
    expect(asked.length).toBeLessThanOrEqual(REDIRECTS + 1);
    expect(asked.filter((line) => !line.includes("10.96.0.7:80"))).toEqual([]);
  });

  it("asks for so much at once, lets so much wait, and refuses the rest", async () => {
    const { asked, visitor } = answering({ "/": "never" });
    const all = Array.from({ length: UNDER_WAY + WAITING + 1 }, () =>
      visitor.request({ url: "http://10.96.0.7/" }),
    );
    await expect(all.at(-1)).rejects.toThrow("requests at once");
    expect(asked.length).toBe(UNDER_WAY);
  });

  it("takes so much of an answer, and says when there was more", async () => {
    let cancelled = false;
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull: (to) => to.enqueue(new Uint8Array(700)),
        cancel: () => void (cancelled = true),
      });
    let cut = 0;
    let length = 0;
    for await (const chunk of chunksOf(endless(), () => cut++, 1000)) length += chunk.byteLength;
    expect([length, cut, cancelled]).toEqual([1000, 1, true]);
  });
});
