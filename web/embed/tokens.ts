import tokens from "../style/tokens.css?raw";

/** The page's colours that an author may set, by the name after --tabernetes-. */
const NAMES: Readonly<Record<string, string>> = {
  bg: "panel",
  panel: "panel",
  raised: "panel",
  text: "text",
  accent: "accent",
  line: "line",
  running: "ok",
  failing: "failed",
  mono: "mono",
};

/**
 * The page's own colours and sizes (web/style/tokens.css) for the shadow root of an element: each of NAMES may
 * be set from outside, and greys between ground and text are mixed of what is set.
 */
export function hostTokens(css = tokens): string {
  const own = css
    .replaceAll(':root[data-theme="dark"]', ":host([data-dark])")
    .replaceAll(":root", ":host")
    // The element says its scheme by itself (theme.ts).
    .replace(/^\s*color-scheme: [^;]+;$/gm, "")
    .replace(/--([a-z-]+):\s*([^;]+);/g, (whole, name: string, value: string) => {
      const outside = NAMES[name];
      return outside ? `--${name}: var(--tabernetes-${outside}, ${value});` : whole;
    });
  return `${own}\n${MIXED}`;
}

const MIXED = `:host, :host([data-dark]) {
  --text-2: color-mix(in srgb, var(--text) 72%, var(--panel));
  --hover: color-mix(in srgb, var(--text) 8%, var(--panel));
  --accent-soft: color-mix(in srgb, var(--accent) 14%, var(--panel));
}`;
