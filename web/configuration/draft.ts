import type { ConfigurationFiles } from "../rpc/protocol.ts";
import { FORMS } from "./tables.ts";

/** The names of all files that are there, or could be: those that mean something first. */
export function fileNames(...of: ConfigurationFiles[]): string[] {
  const known = FORMS.map(({ file }) => file);
  const others = of.flatMap(Object.keys).filter((name) => !known.includes(name));
  return [...known, ...[...new Set(others)].sort()];
}

/** Whether a file says anything: an empty one is as none. */
export function says(files: ConfigurationFiles, name: string): boolean {
  return (files[name] ?? "").trim() !== "";
}

/** The files in which two configurations differ. */
export function changed(a: ConfigurationFiles, b: ConfigurationFiles): string[] {
  return fileNames(a, b).filter((name) =>
    says(a, name) || says(b, name) ? (a[name] ?? "") !== (b[name] ?? "") : false,
  );
}

/** What core/configuration takes as a file's name. */
export function nameProblem(name: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)
    ? ""
    : "Letters, digits, dots and dashes, at most 100.";
}

/** The file that one of upstream's errors is about, as far as it says so; "" for none. */
export function fileOf(problem: string, names: readonly string[]): string {
  const named = names.find((name) => problem.includes(name));
  if (named) return named;
  const about = FORMS.find(({ label }) => problem.includes(label));
  if (about) return about.file;
  return ABOUT.find(([words]) => problem.includes(words))?.[1] ?? "";
}

/** Words by which core/apiserver's Check says what it read, where they are not the file's label. */
const ABOUT: readonly (readonly [string, string])[] = [
  ["static token file", "tokens.csv"],
  ["basic authentication", "basic-auth.csv"],
  ["kubeconfig of the authentication webhook", "authentication-webhook.yaml"],
  ["audit Policy", "audit.yaml"],
  ["scheduler Policy", "scheduler.yaml"],
  ["authorization-policy-file", "abac.jsonl"],
  ["for authorizer", "authorization.yaml"],
  ["authorizers", "authorization.yaml"],
  ["parse kube-scheduler flags", "kube-scheduler.flags"],
  ["parse kube-apiserver flags", "kube-apiserver.flags"],
  ["admission-plugins", "kube-apiserver.flags"],
  ["init admission plugin", "admission.yaml"],
  ["profiles[", "scheduler.yaml"],
  ["unknown flag", "kube-apiserver.flags"],
];
