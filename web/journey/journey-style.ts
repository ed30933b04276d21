import { css } from "lit";

export const journeyStyle = css`
  :host {
    position: relative;
    display: flex;
    flex-direction: column;
    min-height: 0;
  }
  /* Who looks slowly has begun; the drawing has their room. */
  :host([slowly]) tn-ways {
    display: none;
  }
  .bar {
    flex: none;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
    padding: 6px 16px;
    border-bottom: 1px solid var(--line);
    font-size: var(--size-s);
  }
  /* Whatever it says, what stands beside it stays where it is: it is pressed again and again. */
  .bar .play {
    flex: none;
    box-sizing: border-box;
    width: 76px;
    height: 28px;
    padding-inline: 0;
    text-align: center;
  }
  /* A switch says whether it is on, and what stands beside it stays where it is. */
  .bar .quiet[aria-pressed="true"] {
    background: var(--accent-soft);
    color: var(--text);
  }
  .bar [aria-pressed="false"] > .tick {
    visibility: hidden;
  }
  .bar input {
    flex: 1 1 120px;
    min-width: 80px;
    max-width: 320px;
    height: 24px;
    @supports (accent-color: red) {
      accent-color: var(--accent);
    }
  }
  .bar .at {
    color: var(--text-2);
    font-family: var(--mono);
    font-variant-numeric: tabular-nums;
  }
  @media (min-width: 800px) {
    .bar .at {
      min-width: 21ch; /* the slider keeps its width as the times grow */
      text-align: right;
    }
  }
  /* Where it is, in the guide's words: there all the time, so that nothing moves when it waits. */
  .bar .where {
    flex: 1 0 100%;
    min-width: 0;
    display: flex;
    align-items: center;
    gap: 8px;
    min-height: 24px;
  }
  .bar .where button {
    flex: none;
    white-space: nowrap;
  }
  /* Of the words of the row those give way first that say what else there is. None takes a second line. */
  .bar .where:has(.tell) [role="status"] {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  /* The same height as words have: the row is to stay as it is. */
  .bar .where .button {
    box-sizing: border-box;
    height: 24px;
    padding: 0 8px;
    font-size: var(--size-s);
  }
  .bar .next {
    display: flex;
    gap: 8px;
  }
  .bar .where .tell {
    flex: 0 100000 auto;
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .bar .undrawn {
    min-width: 0;
    text-align: left;
  }
  .bar .end {
    margin-left: auto;
  }
  /* The drawing, and beside it the object that grows. */
  .sides {
    flex: 1;
    display: flex;
    min-height: 0;
  }
  .stage {
    flex: 1;
    min-width: 0;
    min-height: 0;
    padding: 8px;
    overflow: hidden;
  }
  tn-growth {
    flex: 0 1 44%;
    min-width: 0;
  }
  /* As wide as it is as it happens: it stays where it is. */
  .sides[data-below] {
    flex-direction: column;
  }
  .sides[data-below] .stage {
    flex: none;
    box-sizing: border-box;
  }
  .sides[data-below] tn-growth {
    flex: 1;
    min-height: 0;
  }
  .stage > svg {
    display: block;
    width: 100%;
    height: 100%;
  }
  .caption {
    flex: none;
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 0 12px;
    /* Two lines all the time: the drawing above is to stay where it is. */
    min-height: 56px;
    margin: 0;
    padding: 6px 16px;
    border-top: 1px solid var(--line);
  }
  .caption .said {
    flex: 1;
    min-width: 0;
    font-family: var(--mono);
    font-size: 13px;
    overflow-wrap: anywhere;
  }
  /* Its line is that of the words beside it, and the button below is not to be taken for it. */
  .caption .term {
    margin: 0;
    padding: 0;
  }
  @media (max-width: 799px) {
    .caption > .quiet {
      min-height: 24px;
    }
  }
  /* In a line of its own: the drawing above is to stay where it is. */
  .caption :is(.stands, .beside) {
    order: 1;
    flex: 0 0 100%;
    font-size: var(--size-s);
  }
  .caption .beside {
    white-space: nowrap;
  }
  .caption .when {
    flex: none;
    color: var(--text-2);
    font: var(--size-s) var(--mono);
    font-variant-numeric: tabular-nums;
  }
  .caption .of {
    display: none;
  }
  /* Names may be long: what is said has two whole lines then, and what there is beside it, and whose it is, a third. */
  @media (min-width: 800px) {
    :host([slowly]) .caption {
      min-height: 73px;
      align-content: flex-start;
    }
    :host([slowly]) .caption .said {
      flex: 0 0 100%;
    }
    :host([slowly]) .caption :is(.stands, .beside) {
      order: 0;
      flex: 1 1 0;
      min-width: 0;
    }
    :host([slowly]) .caption .when {
      margin-left: auto;
    }
  }
  @media (max-width: 799px) {
    :host {
      overflow-y: auto;
    }
    /* Where it is in the drawing scrolls; what one goes on with stays. */
    :host([slowly]) .bar {
      position: sticky;
      top: 0;
      z-index: 1;
      background: var(--panel);
    }
    .bar input {
      flex-basis: 80px; /* so that it has a row with two others */
    }
    .bar .where {
      min-height: 40px; /* two lines of a phone */
    }
    .bar .where .quiet {
      padding-inline: 3px; /* the words beside them have the room, or they take three */
    }
    /* At the end its place is what comes next; the terminal is in the bar below. */
    .bar .where[data-ended] :is(.end, .type) {
      display: none;
    }
    .bar .where .next .button {
      height: 36px;
    }
    .bar .where[data-ended] [role="status"] {
      flex: 1 1 0;
    }
    /* What was typed since was typed in another pane: it has a line of its own when one comes back. */
    .bar .where:has(.tell) {
      flex-wrap: wrap;
      [role="status"] {
        flex: 1 1 0;
        min-height: 40px; /* one line or two */
        white-space: normal;
      }
    }
    .bar .where .tell {
      order: 1;
      flex: 0 1 auto;
      height: 32px;
    }
    .bar .where:has(.tell)::after {
      content: "";
      flex: 1 0 100%;
    }
    .stage {
      flex: 1 0 auto;
      height: min(72vh, 150vw);
    }
    .sides {
      flex: 1 0 auto;
      flex-direction: column;
    }
    tn-growth {
      flex: none;
      order: -1;
      box-sizing: border-box;
      height: var(--grows);
    }
    /* Slowly all of it is in sight, and stays where it is whatever is said or grows; on a small one it scrolls. */
    :host([slowly]) {
      container-type: size;
    }
    .sides {
      --bar: 128px;
      --caption: 78px;
      --grows: max(20cqh, 120px);
    }
    .sides:has(tn-growth[folded]) {
      --grows: 45px;
    }
    :host([slowly]) .stage {
      flex: none;
      box-sizing: border-box;
      height: max(320px, 100cqh - var(--bar) - var(--caption) - var(--grows));
    }
    :host([slowly]) .sides:not(:has(tn-growth)) {
      --grows: 0px;
    }
    /* Below the bar, where the drawing has room beside it. */
    @media (min-height: 560px) {
      tn-growth {
        position: sticky;
        z-index: 1;
        background: var(--panel);
      }
    }
    .caption {
      position: sticky;
      bottom: 0;
      flex-wrap: wrap;
      gap: 0 12px;
      background: var(--panel);
    }
    .caption .said {
      flex: 1 0 100%;
    }
    .caption :is(.stands, .beside) {
      order: 0;
    }
    /* There it is to be seen in the drawing, which needs the room. */
    .caption .goes {
      position: absolute;
      clip-path: inset(50%);
    }
    /* The guide, which has the command at its top, is another pane here. Slowly the first step says it. */
    :host(:not([slowly])) .caption .of {
      display: block;
      order: 1;
      flex: 1 0 100%;
      overflow: hidden;
      color: var(--text-2);
      font: var(--size-s) var(--mono);
      text-overflow: ellipsis;
      white-space: nowrap;
    }
  }
  text {
    fill: var(--text);
    font: 17px var(--sans);
  }
  .small {
    fill: var(--text-2);
    font: 14px var(--mono);
  }
  .frame {
    fill: none;
    stroke: var(--line);
  }
  .box {
    fill: var(--raised);
    stroke: var(--line-strong);
  }
  .station {
    fill: var(--raised);
    stroke: var(--line-strong);
    stroke-width: 1.5;
  }
  .stop {
    fill: var(--line-strong);
  }
  .stop[data-acted] {
    fill: var(--accent);
  }
  [data-lit] > .box,
  [data-lit] > .station {
    stroke: var(--accent);
    stroke-width: 2.5;
  }
  [data-opens],
  .pod {
    cursor: pointer;
  }
  .way {
    fill: none;
    stroke: var(--line);
    stroke-width: 1.5;
  }
  .binding {
    fill: none;
    stroke: var(--accent);
    stroke-width: 2.5;
    stroke-dasharray: 2 5;
    stroke-linecap: round;
  }
  .now {
    stroke: var(--accent);
    stroke-width: 2.5;
    fill: none;
  }
  .moving > * {
    opacity: 0; /* until it sets out */
  }
  .dot {
    fill: var(--accent);
    stroke: var(--panel);
    stroke-width: 2;
    cursor: pointer;
  }
  /* An answer's code, beside what brings it back. */
  .code {
    fill: var(--accent);
    font: 600 14px var(--mono);
    paint-order: stroke;
    stroke: var(--panel);
    stroke-width: 4;
  }
  .code[data-refused] {
    fill: var(--failing);
  }
  .moving .code {
    opacity: 0;
  }
  .answer {
    fill: none;
    stroke: var(--accent);
    stroke-width: 1.5;
    stroke-dasharray: 6 4;
  }
  .failed {
    fill: var(--failing);
    font: bold 22px var(--sans);
  }
  /* Words that stand over lines. */
  :is(.reason, .words) {
    paint-order: stroke;
    stroke: var(--panel);
    stroke-width: 6;
    font: 14px var(--mono);
  }
  .refused {
    cursor: pointer;
  }
  .item {
    fill: var(--accent);
  }
  .small[data-chosen] {
    fill: var(--text);
    font-weight: 600;
  }
  .glyph {
    --glyph-hole: var(--raised);
  }
  /* What it is drawn as lies below it. */
  .pod {
    fill: transparent;
  }
`;
