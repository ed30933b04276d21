import { expect, test } from "vitest";
import { parseUntil, scriptOf, waitFor } from "./block.ts";

test.each([
  ["kubectl get pods\n", "kubectl get pods"],
  ["for i in 1 2; do\n  echo $i\ndone\n", "for i in 1 2; do\n  echo $i\ndone"],
  ["$ kubectl get pods\nNAME READY\nweb  1/1\n$ echo a\na\n", "kubectl get pods\necho a"],
  [
    "$ kubectl run web \\\n>   --image=nginx\npod/web created\n",
    "kubectl run web \\\n  --image=nginx",
  ],
  ["$ a\r\nb\r\n", "a"],
  ["", ""],
])("of %j what is typed is run", (text, script) => {
  expect(scriptOf(text)).toBe(script);
});

test.each([
  ["deploy/nginx Available", "deploy/nginx --for=condition=Available"],
  ["pod/web Ready -n demo", "pod/web --for=condition=Ready -n demo"],
  ["job/pi Complete=true", "job/pi --for=condition=Complete=true"],
  ["pod/web delete", "pod/web --for=delete"],
  ["pod/web jsonpath={.status.phase}=Running", "pod/web --for=jsonpath={.status.phase}=Running"],
])("%s is what kubectl waits for", (text, want) => {
  const [wait, object, reached, timeout, ...rest] = waitFor(parseUntil(text), 60);
  expect([wait, timeout]).toEqual(["wait", "--timeout=60s"]);
  expect([object, reached, ...rest].join(" ")).toBe(want);
});

test.each([
  "",
  "nginx Available",
  "deploy/nginx",
  "deploy/nginx Available now",
  "--kubeconfig=/x/y Available",
  "deploy/nginx --all",
  "deploy/-rf Available",
  "pod/web Ready -n --all-namespaces",
  "pod/web Ready -n",
  "pod/$(reboot) Ready",
])("%j is refused with what it may be", (text) => {
  expect(() => parseUntil(text)).toThrow(/^until="/);
});
