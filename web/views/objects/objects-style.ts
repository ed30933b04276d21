import { css } from "lit";

export const objectsStyle = css`
  :host {
    display: flex;
    flex-direction: column;
    min-height: 0;
  }
  :host([hidden]) {
    display: none;
  }
  .head {
    display: flex;
    flex: none;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 8px;
    padding: 6px 8px 6px 12px;
    font-size: var(--size-s);
  }
  .kind {
    padding: 2px 6px;
    margin-left: -6px;
    border: 0;
    border-radius: 4px;
    background: none;
    font: 600 var(--size-m) var(--mono);
    cursor: pointer;
  }
  .kind:hover {
    background: var(--hover);
  }
  .kind .group {
    font-weight: 400;
    color: var(--text-2);
  }
  select,
  .filter {
    height: 26px;
    padding: 0 8px;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--raised);
    color: var(--text);
    font: var(--size-s) var(--mono);
  }
  select {
    max-width: 22ch;
  }
  .filter {
    width: 24ch;
    min-width: 12ch;
    flex: 0 1 auto;
  }
  .filter::placeholder {
    color: var(--text-2);
    opacity: 1;
  }
  .count {
    color: var(--text-2);
  }
  .gap {
    flex: 1;
  }
  .hidden {
    position: absolute;
    clip-path: inset(50%);
    width: 1px;
    height: 1px;
    overflow: hidden;
  }
  .quiet[aria-pressed="true"] {
    background: var(--accent-soft);
    color: var(--text);
  }
  .problem,
  .empty {
    margin: 0;
    padding: 8px 12px;
    font-size: var(--size-s);
    color: var(--text-2);
  }
  .problem {
    color: var(--failing);
  }
  .empty a {
    color: var(--accent);
  }
  code {
    font-family: var(--mono);
    color: var(--text);
  }
  .table {
    flex: 1;
    min-height: 0;
  }
  .table[hidden] {
    display: none;
  }
  @media (max-width: 799px) {
    .filter {
      flex: 1;
      height: 36px;
      /* Less would make iOS zoom in. */
      font-size: 16px;
    }
    select {
      height: 36px;
      font-size: 16px;
    }
    .gap {
      display: none;
    }
  }
`;
