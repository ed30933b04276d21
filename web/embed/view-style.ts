import { css, unsafeCSS } from "lit";
import { boxStyle, stageStyle } from "./stage.ts";
import { hostTokens } from "./tokens.ts";

/** An element with a view of the page's in it. */
export const viewStyle = [
  unsafeCSS(hostTokens()),
  stageStyle,
  boxStyle,
  css`
    :host {
      font: var(--size-m) / 1.4 var(--sans);
      text-align: start;
    }
    .place {
      /* What is narrow is so by its box, whatever the page's window is. */
      container: tabernetes / inline-size;
      flex: 1;
      min-height: 0;
      min-width: 0;
    }
    .place > * {
      height: 100%;
      box-sizing: border-box;
    }
  `,
];
