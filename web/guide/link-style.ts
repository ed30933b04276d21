import { css } from "lit";

/** Claims, links, and what says what they mean. */
export const linkStyle = css`
  /* To another chapter, or to a view. */
  a,
  .inside,
  .link {
    color: var(--accent);
    text-decoration: underline;
  }
  /* What leaves the page says so. */
  .out::after {
    content: "\\2060\\2197" / " (in a new tab)";
    font-size: var(--size-s);
  }
  /* Not dotted, as words are that have a note. */
  .claim {
    border-bottom: 1px solid var(--line-strong);
  }
  .inside {
    padding: 0;
    border: 0;
    background: none;
    font: inherit;
    text-align: inherit;
    cursor: pointer;
  }
  .claim[data-seen],
  a.claim {
    border-bottom: 1px solid var(--accent);
    background: var(--accent-soft);
    color: var(--text);
    text-decoration: none;
  }
  /* An earlier command's: seen, but not of what is told now. */
  .claim[data-earlier] {
    background: none;
    border-bottom-style: dashed;
  }
  /* The one that is told now, as its chapter's heading is marked. */
  .claim:is([aria-current], .now) {
    border-bottom-width: 2px;
    box-shadow: -3px 0 var(--accent);
  }
  a.claim:hover {
    background: var(--hover);
  }
  .claim .figure {
    color: var(--text-2);
    font-size: var(--size-s);
    font-variant-numeric: tabular-nums;
    overflow-wrap: anywhere;
  }
  .claim[data-seen] .figure,
  a.claim .figure {
    color: var(--text);
  }
  /* To a claim's moment: there, and no louder than the sentence. */
  .moment {
    padding: 0 2px 0 3px;
    color: var(--accent);
    font-size: var(--size-s);
    text-decoration: none;
  }
  @media (pointer: coarse) {
    .moment {
      margin: 0 -6px 0 -4px; /* a finger's room, and none in the sentence */
      padding: 8px;
    }
  }
  .moment:hover {
    background: var(--hover);
  }
  /* What all of these mean: each as it looks in the text. */
  .marks {
    margin: 4px 0 8px;
    font-size: var(--size-s);
  }
  .marks > summary {
    padding: 4px 0;
    color: var(--text-2);
    cursor: pointer;
  }
  .marks > summary i {
    margin-right: 8px;
  }
  .marks i {
    font-style: normal;
  }
  .marks dl {
    display: grid;
    grid-template-columns: max-content 1fr;
    gap: 4px 12px;
    margin: 4px 0 0;
    padding: 0 0 8px 12px;
    border-left: 3px solid var(--line-strong);
  }
  .marks dd {
    margin: 0;
    color: var(--text-2);
  }
`;
