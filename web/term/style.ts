import xterm from "@xterm/xterm/css/xterm.css?inline";
import { css, unsafeCSS } from "lit";
import { FADE } from "./edge.ts";

/** xterm.js' own sheet: it draws below a shadow root, where no sheet of the document reaches. */
const xtermStyle = unsafeCSS(xterm);

const ownStyle = css`
  .screen {
    position: relative;
    flex: 1;
    min-height: 0;
    /* Marks stand beside the lines (web/trace/marks-view.ts). */
    padding: 0 0 4px 20px;
  }
  /* xterm.js fits itself to the computed size of its host, which has no padding of its own. */
  .sideways,
  .host {
    height: 100%;
  }
  /* Tables are wide: they scroll sideways, and what is typed is folded to what is in sight. */
  .sideways {
    overflow: auto hidden;
  }
  /* A line goes on behind the edge (edge.ts). */
  .sideways[data-goes-on] {
    mask-image: linear-gradient(to left, transparent, #000 ${FADE}px);
  }
  .host {
    /* As wide as kubectl's wide tables of pods. */
    width: max(100%, 132ch);
    font-family: var(--mono);
  }
  .screen[hidden] {
    display: none;
  }
  /* xterm.js draws its ground on the rows only; below the last one is its style sheet's black. */
  .xterm .xterm-viewport {
    background: var(--panel) !important;
  }
  /* xterm.js' cursor blinks by an animation in two steps, for which the browser draws sixty frames a second: it
     stands at one of them, and XtermScreen has it go to the other. */
  .xterm-cursor-blink {
    animation-play-state: paused !important;
  }
  .unlit .xterm-cursor-blink {
    animation-delay: -0.5s !important;
  }
  /* What is said (heard.ts), which the screen shows. */
  .xterm .said {
    position: absolute;
    left: -9999px;
    width: 1px;
    height: 1px;
    overflow: hidden;
  }
  /* An address in what was printed (url-links.ts): the text below it is the terminal's. */
  .url {
    position: absolute;
    inset: 0;
    border-bottom: 1px solid var(--accent);
  }
  .url:hover {
    background: color-mix(in srgb, var(--accent) 16%, transparent);
  }
  /* Text in inverse (the last row of less): xterm.js looks for contrast between the ground that is the text's
     colour and that same colour, and comes to a grey. */
  .xterm .xterm-bg-257 {
    color: var(--panel) !important;
  }
`;

/** What TerminalTab's element needs of the shadow root that it stands in. */
export const screenStyle = [xtermStyle, ownStyle];
