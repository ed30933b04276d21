import type { App } from "../../app.ts";
import { objectRoute } from "../../kube/address.ts";
import { placeOf, placePath, type ApiPlace } from "../../kube/apipath.ts";
import { byKind } from "../../kube/discovery.ts";
import { inNamespace, kubectlArgument, kubectlArguments } from "../../kube/kubectl.ts";
import { ask, getObject } from "../../kube/request.ts";
import { sh } from "../../kube/shell-line.ts";
import { ask as askPerson, tell } from "../ask.ts";

/* What can be done with an object; each names the kubectl command it stands for. */

/** How kubectl names it, as it stands in a line: to be shown, never put into another line. */
export function argument(app: App, place: ApiPlace): string {
  return kubectlArgument(place, app.catalog.served.state.resources);
}

/** kubectl's arguments that name it. */
export function argumentsFor(app: App, place: ApiPlace): string[] {
  return kubectlArguments(place, app.catalog.served.state.resources);
}

/** Deletes it, after asking. */
export function askDelete(app: App, place: ApiPlace): void {
  const what = argument(app, place);
  void (async () => {
    const yes = await askPerson({
      title: `Delete ${what}?`,
      text: "What it owns is deleted with it. This cannot be undone.",
      line: sh`kubectl delete ${argumentsFor(app, place)}`,
      verb: "Delete",
    });
    if (!yes) return;
    try {
      await ask(app.fetch, placePath(place), {
        method: "DELETE",
        query: { propagationPolicy: "Background" },
      });
      tell(`${what} deleted`);
    } catch (error) {
      tell(`Delete ${what}: ${error instanceof Error ? error.message : String(error)}`, true);
    }
  })();
}

/** Opens the object in the inspector, to be edited. */
export function editObject(app: App, place: ApiPlace): void {
  const route = objectRoute(place, "edit");
  const all = app.route.state.query.all;
  app.route.dispatch(all ? { ...route, query: { ...route.query, all } } : route);
}

/** Opens a shell in a pod's container, in the terminal. */
export function openShell(app: App, place: ApiPlace, container?: string): void {
  const what = argument(app, place);
  if (place.resource !== "pods") {
    tell(`A shell runs in a container of a pod; ${what} is none.`, true);
    return;
  }
  const of = [place.name ?? "", ...inNamespace(place.namespace)];
  const line = sh`kubectl exec -it ${[...of, ...(container ? ["-c", container] : [])]} -- sh`;
  app.settings.dispatch({ wide: false });
  app.terminal?.runInNewTab(line);
}

/** Goes to the object that controls it. */
export function openOwner(app: App, place: ApiPlace): void {
  void (async () => {
    try {
      const { metadata } = await getObject(app.fetch, place);
      const owner =
        metadata.ownerReferences?.find((r) => r.controller) ?? metadata.ownerReferences?.[0];
      if (!owner) {
        tell(`${argument(app, place)} has no owner.`);
        return;
      }
      const resource = byKind(await app.catalog.use(), owner.apiVersion ?? "", owner.kind);
      if (!resource) throw new Error(`the API does not serve ${owner.kind}`);
      app.route.dispatch(objectRoute(placeOf(resource, place.namespace, owner.name)));
    } catch (error) {
      tell(String(error), true);
    }
  })();
}
