import { css } from "lit";

/*
 * A box that may be wider than its place says at its right edge that there is more: a shadow that stays there, and
 * before it a cover that comes along with the box's end, a little higher than the shadow, of which a box of a broken
 * height would show a line. No scroll bar says so on a phone, or before one scrolls.
 */
export const wideStyle = css`
  .wide {
    --end: 24px;
    overflow-x: auto;
    background:
      linear-gradient(to left, var(--panel) 60%, transparent) right / calc(2 * var(--end))
        calc(100% + 2px) no-repeat local,
      linear-gradient(to left, color-mix(in srgb, var(--text) 32%, transparent), transparent)
        right / var(--end) 100% no-repeat scroll;
  }
`;
