import { css } from "lit";

export const inspectorStyle = css`
  .entries {
    display: flex;
    flex-wrap: wrap;
    gap: 4px;
    margin: 0;
    padding: 4px 12px;
    border-bottom: 1px solid var(--line);
  }
  .entries a {
    max-width: 100%;
    color: inherit;
    font-size: var(--size-s);
    text-decoration: none;
    overflow-wrap: anywhere;
  }
  :host {
    height: 100%;
    font-size: var(--size-s);
  }
  article {
    display: flex;
    flex-direction: column;
    height: 100%;
    min-height: 0;
  }
  article > h2 {
    flex: none;
    padding: 8px 8px 0 16px;
  }
  article.scroll {
    display: block;
    padding: 12px 16px 16px;
  }
  article.scroll > h2 {
    padding: 0;
  }
  .scroll {
    overflow: auto;
  }
  .tabs {
    display: flex;
    flex: none;
    flex-wrap: wrap;
    align-items: center;
    padding: 0 8px;
    border-bottom: 1px solid var(--line);
  }
  .tabs .gap {
    flex: 1;
  }
  .actions,
  [role="tablist"] {
    display: flex;
    flex-wrap: wrap;
  }
  [role="tab"] {
    padding: 4px 8px;
    border: 0;
    border-bottom: 2px solid transparent;
    background: none;
    color: var(--text-2);
    cursor: pointer;
  }
  [role="tab"]:hover {
    color: var(--text);
  }
  [role="tab"][aria-selected="true"] {
    border-bottom-color: var(--accent);
    color: var(--text);
  }
  .panel {
    flex: 1;
    min-height: 0;
  }
  .panel.scroll {
    padding: 12px 16px 16px;
  }
  .panel:focus-visible {
    outline-offset: -2px;
  }
  .gone,
  .problem {
    margin: 0;
    padding: 4px 16px 8px;
    color: var(--terminating);
  }
  .note {
    margin: 12px 0 0;
    color: var(--text-2);
  }
  /* Beside what else begins there: the head's place. */
  .note.beside {
    margin: 0;
    padding: 4px 16px 8px;
  }
  .problem {
    color: var(--failing);
  }
  a {
    color: var(--accent);
  }
  .pairs {
    grid-template-columns: minmax(0, max-content) minmax(50%, 1fr);
  }
  .pairs .long {
    grid-column: 1 / -1;
  }
  .pairs dd.long {
    margin: -4px 0 4px 16px;
  }
  .pairs summary {
    cursor: pointer;
    color: var(--text-2);
  }
  .pairs .value {
    max-height: 240px;
    overflow: auto;
    white-space: pre-wrap;
  }
  .pairs dt {
    overflow-wrap: anywhere;
  }
  .span {
    font-weight: 400;
    color: var(--text-2);
  }
  .containers p,
  .containers .image {
    overflow-wrap: anywhere;
  }
  .containers {
    margin-bottom: 12px;
    border-bottom: 1px solid var(--line);
  }
  .containers > li {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(0, max-content);
    gap: 0 12px;
    padding: 6px 0;
    border-top: 1px solid var(--line);
  }
  .containers .kind,
  .containers .image,
  .containers .before {
    color: var(--text-2);
  }
  .containers p {
    grid-column: 1 / 3;
    max-height: 12em;
    margin: 0;
    overflow: auto;
  }
  .containers p[data-bad] {
    color: var(--failing);
  }
  .conditions > li {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto 6ch;
    gap: 2px 8px;
    padding: 6px 0;
    border-top: 1px solid var(--line);
  }
  .conditions .since {
    color: var(--text-2);
    text-align: right;
  }
  .conditions p,
  .conditions details {
    grid-column: 1 / 4;
    margin: 0;
    color: var(--text-2);
    overflow-wrap: anywhere;
  }
  .conditions .line {
    position: relative;
    grid-column: 1 / 4;
    height: 8px;
    overflow: hidden;
    background: linear-gradient(var(--line), var(--line)) 0 50% / 100% 1px no-repeat;
  }
  .conditions i {
    position: absolute;
    inset-block: 0;
    border: 1px solid var(--line-strong);
    background: var(--panel);
  }
  .conditions i[data-status="True"] {
    background: var(--line-strong);
  }
  .conditions i[data-status="Unknown"] {
    background: repeating-linear-gradient(135deg, var(--panel) 0 3px, var(--line-strong) 3px 5px);
  }
  .conditions i[data-status=""] {
    visibility: hidden;
  }
  h2 {
    display: flex;
    align-items: baseline;
    justify-content: space-between;
    gap: 8px;
    margin: 20px 0 8px;
    font-size: var(--size-m);
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  /* A name may be of any length: it never covers what can be done about its object. */
  h2 > span {
    min-width: 0;
    max-height: 4.5em;
    overflow: auto;
    unicode-bidi: isolate;
  }
  h2 button {
    flex: none;
    font-family: var(--sans);
    font-weight: 400;
  }
  h2:first-child {
    margin-top: 0;
  }
  .state {
    display: flex;
    align-items: center;
    gap: 8px;
    margin: 0 0 8px;
    font-size: var(--size-m);
  }
  dl {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr);
    gap: 4px 16px;
    margin: 0 0 16px;
  }
  dt {
    color: var(--text-2);
  }
  dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  ul,
  ol {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .commands li {
    display: flex;
    align-items: flex-start;
    gap: 4px;
    padding: 4px 0;
    border-top: 1px solid var(--line);
  }
  .commands li:last-child {
    border-bottom: 1px solid var(--line);
  }
  code {
    flex: 1;
    min-width: 0;
    padding: 2px 0;
    overflow-wrap: anywhere;
  }
  .buttons {
    display: flex;
    flex: none;
  }
  .done {
    margin-top: 12px;
    color: var(--text-2);
  }
  .done li {
    display: flex;
    align-items: center;
    gap: 8px;
    min-height: 24px;
    overflow-wrap: anywhere;
  }
  .legend li {
    display: flex;
    align-items: center;
    gap: 8px;
    box-sizing: border-box;
    min-height: 24px;
    padding-block: 3px; /* words of two lines stand apart from their neighbours' */
    color: var(--text);
  }
  .tick {
    flex: none;
    fill: var(--line-strong);
  }
  .tick [data-line] {
    stroke: var(--accent);
    stroke-width: 1.5;
    stroke-dasharray: 5 3;
  }
  .tick [data-line="binding"] {
    stroke-width: 2.5;
    stroke-dasharray: 1 4;
    stroke-linecap: round;
  }
  .tick [data-blue] {
    fill: var(--accent);
  }
  .quiet {
    min-width: 24px;
    min-height: 24px;
  }
  .quiet-text {
    margin: 16px 0 0;
    color: var(--text-2);
  }
  .events li {
    display: grid;
    grid-template-columns: 1fr auto;
    padding: 6px 0;
    border-top: 1px solid var(--line);
  }
  .events b {
    font-weight: 600;
  }
  .events span,
  .events p {
    color: var(--text-2);
  }
  .events p {
    grid-column: 1 / 3;
    margin: 0;
    overflow-wrap: anywhere;
  }
  [data-warning] b {
    color: var(--failing);
  }
  @media (max-width: 799px) {
    .quiet {
      min-height: 36px;
      padding: 2px 12px;
    }
  }
`;
