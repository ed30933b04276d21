import { css } from "lit";
import { define } from "../ui/define.ts";
import { ViewElement, type OpenView, type ViewGround } from "./view-element.ts";

/**
 * `<tabernetes-guide for="id-of-a-cluster" chapter="apiserver">`: what happens when a command is run, in
 * chapters that light up as it comes to them. Its lines run in the terminal of the same cluster that was opened
 * last, else in the guide itself.
 */
export class GuideElement extends ViewElement {
  static override styles = [
    ...ViewElement.styles,
    css`
      :host {
        height: 480px;
      }
    `,
  ];

  protected override async open(on: ViewGround): Promise<OpenView> {
    const { openGuide } = await import("../embed-views/guide.ts");
    return openGuide(on);
  }
}

define("tabernetes-guide", GuideElement);
