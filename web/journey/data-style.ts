import { css } from "lit";

/** What a step knows, in the pane of the object that grows. */
export const dataStyle = css`
  .data {
    padding: 4px 16px 12px;
    font-size: var(--size-s);
  }
  .data h3 {
    margin: 4px 0;
    color: var(--text-2);
    font-size: var(--size-s);
    font-weight: 400;
  }
  .data .asked {
    margin: 0;
    padding: 0;
    list-style: none;
    font: var(--size-s) / 1.5 var(--mono);
  }
  .data .asked li {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: 0 12px;
    padding: 2px 0;
    border-bottom: 1px solid var(--line);
    color: var(--text-2);
  }
  .data .asked [data-acted] {
    color: var(--text);
    font-weight: 600;
  }
  .data .asked [data-refused] {
    color: var(--failing);
  }
  .data .asked .why {
    flex: 1 0 100%;
    font-weight: 400;
  }
  .data .cut {
    margin: 4px 0 0;
    color: var(--text-2);
  }
  .data .yaml {
    font: var(--size-s) / 1.5 var(--mono);
    overflow-wrap: anywhere;
  }
  .data :is(.asked, .wide, .cut) + .yaml {
    margin-top: 8px;
  }
`;
