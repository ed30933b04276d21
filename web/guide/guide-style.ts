import { css } from "lit";

export const guideStyle = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    background: var(--panel);
  }
  header {
    flex: none;
    display: flex;
    align-items: center;
    gap: 8px;
    height: 33px;
    padding: 0 8px 0 16px;
    border-bottom: 1px solid var(--line);
  }
  h2 {
    flex: 1;
    min-width: 0;
    margin: 0;
    overflow: hidden;
    font-size: var(--size-m);
    font-weight: 600;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .of {
    flex: none;
    margin: 0;
    padding: 8px 16px;
    border-bottom: 1px solid var(--line);
    color: var(--text-2);
    font-size: var(--size-s);
  }
  .of b {
    display: block;
    /* A line may have a whole manifest in it. */
    max-height: 6em;
    overflow: hidden;
    color: var(--text);
    font-weight: 400;
    overflow-wrap: anywhere;
  }
  .of .begin {
    display: block;
    color: var(--text);
  }
  .others {
    flex: none;
    padding: 6px 16px;
    border-bottom: 1px solid var(--line);
    color: var(--text-2);
    font-size: var(--size-s);
  }
  .others label {
    display: flex;
    align-items: center;
    gap: 8px;
  }
  .others select {
    flex: 1;
    min-width: 0;
    font-family: var(--mono);
  }
  .others p {
    margin: 4px 0 0;
    overflow-wrap: anywhere;
  }
  .others button {
    max-width: 100%;
    padding: 2px 8px;
    color: var(--text);
    text-align: left;
  }
  .scroll {
    position: relative;
    flex: 1;
    min-height: 0;
    overflow-y: auto;
    scrollbar-gutter: stable;
  }
  .ended {
    display: flex;
    flex: none;
    align-items: center;
    gap: 8px;
    padding: 6px 8px 6px 16px;
    border-top: 1px solid var(--line-strong);
    font-size: var(--size-s);
  }
  .ended span {
    flex: 1;
  }
  .ended button {
    min-height: 36px;
  }
  .onward {
    display: flex;
    flex: none;
    align-items: center;
    gap: 4px;
    padding: 4px 8px 4px 16px;
    border-top: 1px solid var(--line-strong);
    font-size: var(--size-s);
  }
  .onward span {
    flex: 1;
    min-width: 0;
    display: -webkit-box;
    overflow: hidden;
    overflow-wrap: anywhere;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 3;
  }
  .onward button {
    flex: none;
    min-width: 76px;
    min-height: 44px;
  }
  .onward .step {
    min-width: 44px;
  }
  /* A phone has the guide in a tab of its own: there is nothing to close, and the journey is not beside it. */
  @media (max-width: 799px) {
    header .close,
    .ended:has(+ .onward) {
      display: none;
    }
  }
  @media (min-width: 800px) {
    .onward {
      display: none;
    }
  }
  h3[data-open] {
    position: sticky;
    top: 0;
    z-index: 1;
  }
  h3 {
    margin: 0;
    border-bottom: 1px solid var(--line);
    background: var(--panel);
    font-size: var(--size-m);
    font-weight: 400;
  }
  h3 button {
    display: flex;
    align-items: baseline;
    gap: 8px;
    width: 100%;
    min-height: 32px;
    padding: 5px 12px 5px 16px;
    border: 0;
    background: none;
    text-align: left;
    cursor: pointer;
  }
  h3 button:hover {
    background: var(--hover);
  }
  h3 button:focus-visible {
    outline-offset: -3px;
  }
  h3[data-open] button {
    font-weight: 600;
  }
  h3 .mark {
    flex: none;
    width: 10px;
    color: var(--text-2);
  }
  h3 .name {
    min-width: 0;
  }
  /* Where one is takes no line of its own: rather the title is cut. */
  h3[data-open] .name {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  h3 .count {
    position: relative;
    flex: none;
    margin-left: -2px;
    color: var(--text-2);
    font-size: var(--size-s);
    font-weight: 400;
    white-space: nowrap;
  }
  h3 .figure {
    margin-left: auto;
    color: var(--text-2);
    font: var(--size-s) var(--mono);
    font-variant-numeric: tabular-nums;
  }
  h3[data-now] {
    box-shadow: inset 3px 0 var(--accent);
    background: var(--accent-soft);
  }
  .dot {
    flex: none;
    width: 8px;
    height: 8px;
    border: 1.5px solid var(--line-strong);
    border-radius: 50%;
    align-self: center;
  }
  .dot[data-reached] {
    border-color: var(--accent);
    background: var(--accent);
  }
  article {
    padding: 4px 16px 16px;
    border-bottom: 1px solid var(--line);
    line-height: 1.55;
  }
  /* Its text will be longer than what is in sight: what is below it does not jump. */
  article[data-coming] {
    min-height: 100vh;
  }
  article h4 {
    margin: 20px 0 4px;
    font-size: var(--size-m);
    font-weight: 600;
  }
  article p,
  article ul,
  article ol {
    margin: 8px 0;
  }
  article ul,
  article ol {
    padding-left: 20px;
  }
  article li {
    margin: 4px 0;
  }
  code {
    font: 12.5px/1.4 var(--mono);
    overflow-wrap: anywhere;
  }
  .fold {
    margin: 20px 0;
    padding-left: 12px;
    border-left: 3px solid var(--line-strong);
  }
  .fold > summary {
    min-height: 24px;
    cursor: pointer;
  }
  .fold > summary h4 {
    display: inline;
  }
  .span {
    color: var(--text-2);
    font-size: var(--size-s);
  }
  .aside {
    padding: 8px 12px;
    border-left: 3px solid var(--line-strong);
    color: var(--text-2);
  }
  /* It stays in sight below the heading, whatever is read. */
  .legend {
    position: sticky;
    top: var(--below, 33px);
    z-index: 1;
    max-height: min(24vh, 200px);
    margin: 8px 0;
    padding: 4px 12px;
    overflow-y: auto;
    border-bottom: 1px solid var(--line);
    background: var(--panel);
  }
  .legend > p {
    margin: 0;
    font-size: var(--size-s);
  }
  .did {
    margin: 4px 0 0;
    padding-left: 24px;
    color: var(--text);
  }
  .did .claim,
  .came {
    font: var(--size-s) / 1.6 var(--mono);
    overflow-wrap: anywhere;
  }
  pre {
    margin: 0;
    padding: 8px;
    background: var(--bg);
    font: var(--size-s) / 1.5 var(--mono);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .run {
    position: relative;
    margin: 8px 0;
    border: 1px solid var(--line);
    border-radius: 4px;
    background: var(--bg);
  }
  .run summary {
    padding: 8px;
    overflow-wrap: anywhere;
    color: var(--text-2);
    font-size: var(--size-s);
    cursor: pointer;
  }
  .run summary code {
    color: var(--text);
    font-family: var(--mono);
  }
  .run details pre {
    padding-top: 0;
  }
  .run button {
    display: block;
    width: 100%;
    padding: 3px 8px;
    border: 0;
    border-top: 1px solid var(--line);
    background: none;
    color: var(--accent);
    font-size: var(--size-s);
    text-align: left;
    cursor: pointer;
  }
  .run button:hover {
    background: var(--hover);
  }
  .on {
    display: flex;
    justify-content: space-between;
    margin-top: 16px;
  }
  [data-coming] .on {
    display: none;
  }
`;
