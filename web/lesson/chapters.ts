/**
 * The guide's chapters that links of a lesson may lead to, by their names alone: a page with a lesson has
 * not loaded the guide (web/guide/chapters.test.ts holds them to it).
 */
export const CHAPTER_NAMES: readonly string[] = [
  "kubectl",
  "authentication",
  "authorization",
  "admission",
  "etcd",
  "initializers",
  "controllers",
  "scheduler",
  "kubelet",
  "cri",
  "cni",
  "networking",
  "startup",
  "wrap-up",
];
