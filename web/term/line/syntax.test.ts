import { expect, test } from "vitest";
import { needsMore } from "./syntax.ts";

test.each([
  "kubectl get pods",
  "",
  "echo 'a b' \"c 'd' $(date)\"",
  "kubectl get pods | grep x && echo ok",
  "kubectl apply -f - <<EOF\na: 'unclosed\nEOF",
  "kubectl apply -f - <<'EOF'\n$x\nEOF\n",
  "cat <<-EOF\n\tx\n\tEOF",
  "cat <<A <<B\n1\nA\n2\nB",
  "cat <<EOF | kubectl apply -f -\nx: y\nEOF",
  "cat <<< word",
  "for i in 1 2; do echo $i; done",
  "for i in 1 2; do for j in 3; do echo $i$j; done; done",
  "while true; do sleep 1; done",
  "if true; then echo y; else echo n; fi",
  "case $x in a) echo 1;; *) echo 2;; esac",
  "f() { echo hi; }",
  "(cd /; ls)",
  "echo $(echo 1)",
  "echo a # it's a comment",
  "echo $#",
  "echo \\\n next",
  "kubectl get pods do done if",
  `kubectl patch deploy x -p '{"spec":{"replicas":1}}'`,
  "kubectl get pods -o jsonpath='{range .items[*]}{.metadata.name}{\"\\n\"}{end}'",
  "sleep 10 &",
  "echo done",
])("%s is complete", (text) => {
  expect(needsMore(text)).toBe(false);
});

test.each([
  "echo 'a",
  'echo "a',
  'echo "a\\"',
  "echo a \\",
  "echo a \\\n",
  "echo a |",
  "echo a &&",
  "echo a ||\n",
  "kubectl apply -f - <<EOF",
  "kubectl apply -f - <<EOF\na: b",
  "kubectl apply -f - <<EOF\na: b\n EOF",
  "cat <<A <<B\n1\nA",
  "cat <<",
  "for i in 1 2",
  "for i in 1 2; do",
  "for i in 1 2; do for j in 3; do echo; done",
  "while true; do sleep 1",
  "if true; then echo y",
  "case $x in a) echo 1;;",
  "f() {",
  "(cd /; ls",
  "echo $(echo 1",
])("%s needs more", (text) => {
  expect(needsMore(text)).toBe(true);
});
