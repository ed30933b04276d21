import { css } from "lit";
import { define } from "../ui/define.ts";
import { ViewElement, type OpenView, type ViewGround } from "./view-element.ts";

/**
 * `<tabernetes-objects for="id-of-a-cluster" kind="deployments" namespace="default" filter="-l app=web">`: a
 * live table of objects, of every kind that the API serves, to look at. The attributes are what it begins
 * with. Its event "tabernetes-select" says what the reader has opened.
 */
export class ObjectsElement extends ViewElement {
  static override styles = [
    ...ViewElement.styles,
    css`
      :host {
        height: 400px;
      }
    `,
  ];

  protected override async open(on: ViewGround): Promise<OpenView> {
    const { openObjects } = await import("../embed-views/objects.ts");
    return openObjects(on);
  }
}

define("tabernetes-objects", ObjectsElement);
