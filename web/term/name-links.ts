import type { ApiPlace } from "../kube/apipath.ts";
import { namesIn, type Named } from "./names.ts";
import type { LinesOfScreen } from "./ran-lines.ts";
import type { XtermScreen } from "./xterm.ts";

/** What names lead to. */
export interface Names {
  find(named: Named): Promise<ApiPlace | undefined>;
  open(place: ApiPlace): void;
  /** Shows which object it is; undefined: none any more. */
  point(place: ApiPlace | undefined): void;
}

/** Has the names in a terminal's output lead to the objects that they are the names of. */
export function linkNames(screen: XtermScreen, lines: LinesOfScreen, names: Names): void {
  screen.linkTo({
    provideLinks: (row, callback) => {
      void linksOf(row - 1).then(callback, () => callback(undefined));
    },
  });

  async function linksOf(y: number) {
    const ran = lines.runAt(y);
    const { begin, text, cols } = screen.lineAt(y);
    const mark = ran && (await ran.mark).line;
    // The command's own line is the reader's.
    if (!ran || mark === undefined || begin <= mark) return undefined;
    const before = screen.lines(mark + 1, begin);
    const found = await Promise.all(
      namesIn(text, { line: ran.line, before }).map(async (named) => {
        const place = await names.find(named);
        return place ? [{ named, place }] : [];
      }),
    );
    return found.flat().map(({ named: { from, to }, place }) => ({
      range: {
        start: { x: (from % cols) + 1, y: begin + Math.floor(from / cols) + 1 },
        end: { x: ((to - 1) % cols) + 1, y: begin + Math.floor((to - 1) / cols) + 1 },
      },
      text: text.slice(from, to),
      activate: () => names.open(place),
      hover: () => names.point(place),
      leave: () => names.point(undefined),
    }));
  }
}
