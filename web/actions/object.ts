import { reason } from "../rpc/reason.ts";
import type { Session } from "../session/session.ts";
import type { Page } from "../page/page.ts";
import { objectRoute } from "../page/address.ts";
import { placeOf, placePath, type ApiPlace } from "../kube/apipath.ts";
import { byKind } from "../kube/discovery.ts";
import { returns } from "../kube/returns.ts";
import { inNamespace, kubectlArgument, kubectlArguments } from "../kube/kubectl.ts";
import { ask, getObject } from "../kube/request.ts";
import { sh } from "../kube/shell-line.ts";
import { ask as askPerson, tell } from "../ui/ask.ts";

/* What can be done with an object; each names the kubectl command it stands for. */

/** What an action needs: the cluster, and a page with a terminal to do it in. */
export interface ActionNeeds {
  session: Pick<Session, "catalog" | "fetch" | "remember">;
  page: Pick<Page, "route" | "settings" | "terminal">;
}

/** How kubectl names it, as it stands in a line: to be shown, never put into another line. */
export function argument(on: ActionNeeds, place: ApiPlace): string {
  return kubectlArgument(place, on.session.catalog.served.state.resources);
}

/** kubectl's arguments that name it. */
export function argumentsFor(on: ActionNeeds, place: ApiPlace): string[] {
  return kubectlArguments(place, on.session.catalog.served.state.resources);
}

/** Deletes it, after asking. */
export function askDelete(on: ActionNeeds, place: ApiPlace): void {
  const what = argument(on, place);
  const line = sh`kubectl delete ${argumentsFor(on, place)}`;
  void (async () => {
    const yes = await askPerson({
      title: `Delete ${what}?`,
      text: `What it owns is deleted with it. ${returns(place)}`,
      line,
      verb: "Delete",
      loses: true,
    });
    if (!yes) return;
    try {
      await on.session.remember(line);
      await ask(on.session.fetch, placePath(place), {
        method: "DELETE",
        query: { propagationPolicy: "Background" },
      });
      tell(`${what} deleted`);
    } catch (error) {
      tell(`Delete ${what}: ${reason(error)}`, true);
    }
  })();
}

/** Opens the object in the inspector, to be edited. */
export function editObject(on: ActionNeeds, place: ApiPlace): void {
  const route = objectRoute(place, "edit");
  const all = on.page.route.state.query.all;
  on.page.route.dispatch(all ? { ...route, query: { ...route.query, all } } : route);
}

/** Opens a shell in a pod's container, in the terminal. */
export function openShell(on: ActionNeeds, place: ApiPlace, container?: string): void {
  const what = argument(on, place);
  if (place.resource !== "pods") {
    tell(`A shell runs in a container of a pod; ${what} is none.`, true);
    return;
  }
  const of = [place.name ?? "", ...inNamespace(place.namespace)];
  const line = sh`kubectl exec -it ${[...of, ...(container ? ["-c", container] : [])]} -- sh`;
  on.page.settings.dispatch({ wide: false });
  on.page.terminal?.runInNewTab(line);
}

/** Goes to the object that controls it. */
export function openOwner(on: ActionNeeds, place: ApiPlace): void {
  void (async () => {
    try {
      const { metadata } = await getObject(on.session.fetch, place);
      const owner =
        metadata.ownerReferences?.find((r) => r.controller) ?? metadata.ownerReferences?.[0];
      if (!owner) {
        tell(`${argument(on, place)} has no owner.`);
        return;
      }
      const resource = byKind(await on.session.catalog.use(), owner.apiVersion ?? "", owner.kind);
      if (!resource) throw new Error(`the API does not serve ${owner.kind}`);
      on.page.route.dispatch(objectRoute(placeOf(resource, place.namespace, owner.name)));
    } catch (error) {
      tell(String(error), true);
    }
  })();
}
