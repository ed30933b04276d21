import { css } from "lit";

export const shareStyle = css`
  :host {
    height: 100%;
    overflow: auto;
    font-size: var(--size-s);
  }
  .page {
    max-width: 760px;
    padding: 12px 16px 24px;
  }
  h2 {
    margin: 0 0 4px;
    font-size: var(--size-m);
    font-weight: 600;
  }
  h3 {
    margin: 16px 0 4px;
    font-size: var(--size-s);
    font-weight: 600;
  }
  p {
    margin: 0 0 8px;
    overflow-wrap: anywhere;
  }
  .dim {
    color: var(--text-2);
  }
  [data-failed] {
    color: var(--failing);
  }
  .warns {
    padding-left: 12px;
    border-left: 3px solid var(--pending);
  }
  code {
    font-family: var(--mono);
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 12px;
    margin: 8px 0;
  }
  input[type="url"] {
    flex: 1;
    min-width: 0;
    height: 28px;
    padding: 2px 6px;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--raised);
    color: var(--text);
    font: var(--size-s) var(--mono);
  }
  label {
    display: flex;
    align-items: center;
    gap: 6px;
  }
  ul {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr);
    max-height: 180px;
    margin: 0;
    padding: 0;
    overflow: auto;
    border-top: 1px solid var(--line);
    border-bottom: 1px solid var(--line);
    list-style: none;
  }
  li {
    display: grid;
    grid-column: span 2;
    grid-template-columns: subgrid;
    gap: 16px;
    padding: 2px 0;
    font-family: var(--mono);
  }
  li + li {
    border-top: 1px solid var(--line);
  }
  li span {
    overflow-wrap: anywhere;
  }
  pre {
    max-height: 46vh;
    margin: 4px 0 8px;
    padding: 8px;
    overflow: auto;
    border: 1px solid var(--line);
    background: var(--raised);
    font: var(--size-s) / 1.5 var(--mono);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  @media (max-width: 799px) {
    .button,
    input[type="url"],
    label {
      min-height: 36px;
    }
  }
`;
