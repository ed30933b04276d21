import type { Tabernetes } from "./cluster/api.ts";
import { framedWithHub, sayFramed } from "./hub/framed.ts";
import { takePairing } from "./hub/pairing.ts";
import { workbench } from "./workbench.ts";

declare global {
  var tabernetes: Tabernetes | undefined;
}

if (framedWithHub()) {
  sayFramed();
} else {
  // The script may stand in the page twice; the page has one cluster.
  globalThis.tabernetes ??= workbench(takePairing()).session.api;
}
