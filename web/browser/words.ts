import type { Lack } from "../frame/wire.ts";
import { inNamespace } from "../kube/kubectl.ts";
import { sh } from "../kube/shell-line.ts";
import type { BrowsingState } from "./browsing.ts";
import { SINGULAR, type Openable } from "./sites.ts";

/** The sentence for what a page wants and does not get. */
export const LACKING: Record<Lack, string> = {
  modules: "Its module scripts do not run here: only classic scripts do.",
  workers: "Workers are not there for it.",
  frames: "Frames within it stay empty.",
  cookies: "Its cookies are not sent back: who signs in by one stays signed out.",
  streams: "Event streams (EventSource) are not there for it.",
  dialogs: "Its dialogs (alert, confirm) are not shown.",
  storage: "What it stores (localStorage) is gone with the page.",
  policy: "Its own Content-Security-Policy is not applied: this view's is.",
};

/** A problem in words, and the line that looks further. */
export interface Told {
  readonly text: string;
  readonly line: string | undefined;
}

/** What is known of the object that was asked. */
export interface About {
  readonly resource: Openable;
  readonly name: string;
  readonly namespace: string;
  /** The Services behind it. */
  readonly services: readonly string[];
  /** How many endpoints of theirs are ready; undefined if that is not known. */
  readonly ready: number | undefined;
}

/** Why a page did not come, for people. */
export function problemWords(
  { failure, message }: NonNullable<BrowsingState["problem"]>,
  { resource, name, namespace, services, ready }: About,
): Told {
  const within = inNamespace(namespace);
  const [service] = services;
  const slices = service
    ? sh`kubectl get endpointslices ${["-l", `kubernetes.io/service-name=${service}`, ...within]}`
    : sh`kubectl get ${[`${SINGULAR[resource]}/${name}`, "-o", "wide", ...within]}`;
  switch (failure) {
    case "refused":
      return ready === 0
        ? {
            text: `Connection refused: no endpoint of Service ${service ?? name} is ready, so nobody serves it. Its selector may match no pod, or no pod is ready yet.`,
            line: slices,
          }
        : {
            text: "Connection refused: nothing listens at the port that it leads to. Compare targetPort with the port that the container's program opens.",
            line: sh`kubectl describe ${[`${resource}/${name}`, ...within]}`,
          };
    case "dropped":
      return {
        text: `Nothing answers, and nothing ever would: ${message}.`,
        line: sh`kubectl get networkpolicies ${within}`,
      };
    case "late":
      return { text: `No answer in time: ${message}.`, line: slices };
    case "stopped":
      return { text: `It cannot be reached: ${message}.`, line: "kubectl get nodes" };
    case "elsewhere":
      return {
        text: `${message}: from here only the addresses of ${name} are reached. Names that pods use for Services mean nothing to a browser outside of the cluster.`,
        line: undefined,
      };
    case "loop":
    case "much":
      return { text: `It was given up: ${message}.`, line: undefined };
    case "ended":
      return { text: `The page was ended. ${message}`, line: undefined };
    case "broken":
      return { text: `The connection broke: ${message}.`, line: slices };
  }
}
