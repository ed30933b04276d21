import { css } from "lit";

export const inspectorStyle = css`
  :host {
    height: 100%;
    overflow: auto;
    padding: 12px 16px 16px;
    font-size: var(--size-s);
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
  h2 button {
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
  .legend li {
    display: flex;
    align-items: center;
    gap: 8px;
    height: 24px;
    color: var(--text);
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
