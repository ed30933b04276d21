import { css, unsafeCSS } from "lit";
import { stageStyle } from "./stage.ts";
import { hostTokens } from "./tokens.ts";

/** An element with a view of the page's in it. */
export const viewStyle = [
  unsafeCSS(hostTokens()),
  stageStyle,
  css`
    :host {
      display: flex;
      flex-direction: column;
      box-sizing: border-box;
      position: relative;
      height: 320px;
      min-width: 0;
      overflow: hidden;
      border: 1px solid var(--tabernetes-line, rgb(128 128 128 / 50%));
      background: var(--panel);
      color: var(--text);
      font: var(--size-m) / 1.4 var(--sans);
      text-align: start;
    }
    :host([hidden]) {
      display: none;
    }
    :focus-visible {
      outline: 2px solid var(--accent);
      outline-offset: 2px;
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
