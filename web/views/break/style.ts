import { css } from "lit";

export const breakStyle = css`
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
    margin: 20px 0 4px;
    font-size: var(--size-m);
    font-weight: 600;
  }
  p {
    margin: 0 0 8px;
    overflow-wrap: anywhere;
  }
  ul,
  ol {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .list > li {
    border-top: 1px solid var(--line);
  }
  .list > li:last-child {
    border-bottom: 1px solid var(--line);
  }
  .title {
    display: flex;
    align-items: center;
    gap: 8px;
    width: 100%;
    min-height: 28px;
    padding: 4px 0;
    border: 0;
    background: none;
    text-align: left;
    cursor: pointer;
  }
  .title:hover {
    background: var(--hover);
  }
  .title .fold {
    flex: none;
    width: 12px;
    color: var(--text-2);
  }
  .title .mark {
    margin-left: auto;
    color: var(--text-2);
  }
  section {
    padding: 4px 0 12px 20px;
  }
  dl {
    display: grid;
    grid-template-columns: 12ch minmax(0, 1fr);
    gap: 4px 12px;
    margin: 0 0 8px;
  }
  dt {
    color: var(--text-2);
  }
  dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  code {
    font-family: var(--mono);
    overflow-wrap: anywhere;
  }
  pre {
    max-height: 260px;
    margin: 4px 0 8px;
    padding: 8px;
    overflow: auto;
    border: 1px solid var(--line);
    background: var(--raised);
    font: var(--size-s) / 1.5 var(--mono);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  summary {
    min-height: 24px;
    padding: 2px 0;
    color: var(--text-2);
    cursor: pointer;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    margin: 8px 0;
  }
  .hints {
    margin: 0 0 8px;
    padding-left: 20px;
    list-style: decimal;
  }
  .now li {
    display: grid;
    grid-template-columns: 16px minmax(0, 1fr);
    gap: 8px;
    padding: 2px 0;
    overflow-wrap: anywhere;
  }
  .now a {
    color: var(--accent);
  }
  [data-failed] {
    color: var(--failing);
  }
  @media (max-width: 799px) {
    .button,
    .title,
    summary {
      min-height: 36px;
    }
    dl {
      grid-template-columns: minmax(0, 1fr);
      gap: 0;
    }
    dd {
      margin-bottom: 8px;
    }
    section {
      padding-left: 0;
    }
  }
`;
