import { define } from "../ui/define.ts";
import { ViewElement, type OpenView, type ViewGround } from "./view-element.ts";

/**
 * `<tabernetes-map for="id-of-a-cluster" group-by="node">`: the live map of nodes and pods. `group-by` is
 * what it begins with: "node", "namespace", "owner", or "label:app". Its event "tabernetes-select" says what
 * the reader has chosen.
 */
export class MapElement extends ViewElement {
  protected override async open(on: ViewGround): Promise<OpenView> {
    const { openMap } = await import("../embed-views/map.ts");
    return openMap(on);
  }
}

define("tabernetes-map", MapElement);
