import { describe, expect, it, test } from "vitest";
import { leadsOutside, urlsIn } from "./urls.ts";

const texts = (line: string) => urlsIn(line).map(({ from, to }) => line.slice(from, to));

test("addresses are found where sentences, quotes and tables have them", () => {
  const line =
    'Visit https://10.97.0.50/dex/device?user_code=ABCD-EFGH. (or http://web.example:8080/a(b)), "https://x.y/z" <http://1.2.3.4>';
  expect(texts(line)).toEqual([
    "https://10.97.0.50/dex/device?user_code=ABCD-EFGH",
    "http://web.example:8080/a(b)",
    "https://x.y/z",
    "http://1.2.3.4",
  ]);
  expect(texts("HTTPS://Kubernetes.IO/docs/,")).toEqual(["HTTPS://Kubernetes.IO/docs/"]);
});

describe("what strangers print", () => {
  it.each([
    ["another scheme", "javascript://x/%0aalert(1) file:///etc/passwd data:text/html,x ftp://a.b/"],
    ["a scheme within a word", "xhttps://a.example view-source+https://a.example"],
    ["somebody before the host", "https://kubernetes.io@evil.example/"],
    ["a host that is another one", "https://0x7f.1/ http://2130706433/"],
    ["no host", "https:// http:///"],
    ["without end", `https://a.example/${"x".repeat(2000)}`],
    ["beyond a line's bound", `${" ".repeat(9000)}https://a.example/`],
  ])("%s is no address", (_name, line) => {
    expect(urlsIn(line)).toEqual([]);
  });

  test("what cannot be seen, or is no ASCII, ends it: what is underlined is where it leads", () => {
    expect(texts("https://a.example\u202e/moc.live")).toEqual(["https://a.example"]);
    expect(texts("https://a.example\u2024evil.example/")).toEqual(["https://a.example"]);
    expect(texts('https://a.example/"onclick="alert(1)')).toEqual(["https://a.example/"]);
  });

  test("what ends an address is taken off in one pass", () => {
    // Taken off one by one, each of these is a second: a screen that scrolls is looked at ten times in one.
    for (const end of [")", ".)", "&"]) {
      const line = `https://a.example/${end.repeat(7900 / end.length)}`;
      for (let i = 0; i < 100; i++) expect(texts(line)).toEqual(["https://a.example/"]);
    }
  });

  test("no line has more than a reader could use", () => {
    expect(urlsIn("https://a.example ".repeat(400))).toHaveLength(20);
  });
});

test("only a name that others know leads outside, by https", () => {
  const out = (url: string) => leadsOutside(new URL(url));
  expect(out("https://kubernetes.io/docs/")).toBe(true);
  expect(out("https://registry.example:8443/")).toBe(true);
  for (const inside of [
    "http://kubernetes.io/",
    "https://127.0.0.1:6443",
    "https://10.96.0.1/",
    "https://[::1]/",
    "https://localhost/",
    "https://web.default.svc/",
    "https://web.default.svc.cluster.local/",
    "https://app.localhost/",
    "https://printer.local/",
    "https://web/",
  ]) {
    expect(out(inside), inside).toBe(false);
  }
});
