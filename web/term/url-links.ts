import type { IBufferLine, IDecoration, ITerminalAddon, Terminal } from "@xterm/xterm";
import { Disposables } from "../state/disposable.ts";
import { leadsOutside, urlsIn } from "./urls.ts";

/** What addresses lead to. */
export interface UrlPlaces {
  /** Where an address of the cluster is opened, as the address of a view of this page; undefined if it is none. */
  inside(url: URL): Promise<string | undefined>;
  /** Whether the row with the cursor is being written by the reader. */
  readonly typing: boolean;
}

/** An address that is drawn as a link; it may be folded into several rows. */
interface Link {
  /** Its first cell. */
  readonly x: number;
  readonly parts: readonly IDecoration[];
  readonly anchors: Set<HTMLAnchorElement>;
}

/** Cells of one row. */
interface Cells {
  readonly y: number;
  readonly x: number;
  readonly width: number;
}

/** Links that are drawn at once, and rows that a line is followed over. */
const MOST = 60;
const ROWS = 40;
/** Milliseconds in which what is drawn is looked at once. */
const PAUSE = 100;
const TOLD = " Ctrl Shift Down goes to its links.";

/**
 * Draws the addresses that are in sight as links, underlined, over the text, which stays as it is: those of
 * the cluster open in the page's browser view, the others in a tab of their own. Ctrl Shift Down goes to
 * the last one, the arrows to the others, Esc back.
 */
export class UrlLinks implements ITerminalAddon {
  readonly #places: UrlPlaces;
  readonly #held = new Disposables();
  /** By place and address. */
  readonly #links = new Map<string, Link>();
  #terminal!: Terminal;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looked = 0;

  constructor(places: UrlPlaces) {
    this.#places = places;
  }

  activate(terminal: Terminal): void {
    this.#terminal = terminal;
    this.#held.add(terminal.onRender(() => this.#soon()));
    this.#held.add(terminal.onScroll(() => this.#soon()));
    this.#held.add(terminal.onResize(() => this.#clear()));
    const { element } = terminal;
    // Before xterm.js, which would send it to the program.
    if (element)
      this.#held.listen(element, "keydown", (event) => this.#key(event), { capture: true });
    this.#soon();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#clear();
    this.#held.dispose();
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#look();
    }, PAUSE);
  }

  #clear(): void {
    this.#looked++;
    for (const key of [...this.#links.keys()]) this.#drop(key);
  }

  #drop(key: string): void {
    const { parts = [] } = this.#links.get(key) ?? {};
    this.#links.delete(key);
    for (const part of parts) part.dispose();
  }

  /** Has exactly the addresses in sight be links. */
  async #look(): Promise<void> {
    const looked = ++this.#looked;
    const seen = new Set<string>();
    const fresh: { key: string; url: URL; cells: readonly Cells[] }[] = [];
    for (const { url, text, cells } of this.#inSight()) {
      const [first] = cells;
      if (!first || seen.size === MOST) continue;
      const key = `${first.y}:${first.x}:${text}`;
      seen.add(key);
      if (!this.#links.has(key)) fresh.push({ key, url, cells });
    }
    for (const key of [...this.#links.keys()]) if (!seen.has(key)) this.#drop(key);
    this.#tell();
    if (fresh.length === 0) return;
    const found = await Promise.all(
      fresh.map(({ url }) => this.#places.inside(url).catch(() => undefined)),
    );
    // What is in sight is something else meanwhile.
    if (looked !== this.#looked) return;
    for (const [i, { key, url, cells }] of fresh.entries()) {
      const inside = found[i];
      if (inside !== undefined) this.#draw(key, cells, inside, `Open ${url.href} in this page`);
      else if (leadsOutside(url)) this.#draw(key, cells, url, `Open ${url.href} in a new tab`);
    }
    this.#tell();
  }

  #draw(key: string, cells: readonly Cells[], to: string | URL, title: string): void {
    const { active } = this.#terminal.buffer;
    const anchors = new Set<HTMLAnchorElement>();
    const parts = cells.flatMap(({ y, x, width }, i) => {
      const marker = this.#terminal.registerMarker(y - active.baseY - active.cursorY);
      const part = this.#terminal.registerDecoration({ marker, x, width, layer: "top" });
      part?.onRender((element) => {
        if (element.firstChild) return;
        const anchor = document.createElement("a");
        anchor.className = "url";
        anchor.tabIndex = -1;
        anchor.title = title;
        anchor.setAttribute("aria-label", title);
        if (i > 0) anchor.setAttribute("aria-hidden", "true");
        if (typeof to === "string") anchor.href = to;
        else {
          anchor.href = to.href;
          anchor.target = "_blank";
          anchor.rel = "noopener noreferrer";
        }
        // Whoever selects the text does not want to go there.
        anchor.onclick = () => !this.#terminal.hasSelection();
        if (i === 0) anchors.add(anchor);
        element.append(anchor);
      });
      part?.onDispose(() => {
        marker.dispose();
        // Its row was erased, and maybe written anew.
        if (this.#links.get(key)?.parts.includes(part)) {
          this.#drop(key);
          this.#soon();
        }
      });
      return part ? [part] : [];
    });
    this.#links.set(key, { x: cells[0]?.x ?? 0, parts, anchors });
  }

  /** The addresses of the lines that are drawn, and their cells. */
  *#inSight() {
    const { buffer, rows } = this.#terminal;
    const { active } = buffer;
    if (active.type !== "normal") return;
    const cursor = this.#places.typing ? active.baseY + active.cursorY : -1;
    const end = active.viewportY + rows;
    for (let y = this.#beginOf(active.viewportY); y < end;) {
      const lines: IBufferLine[] = [];
      for (let line; (line = active.getLine(y + lines.length)) && lines.length < ROWS;) {
        if (lines.length > 0 && !line.isWrapped) break;
        lines.push(line);
      }
      if (lines.length === 0) return;
      const typed = cursor >= y && cursor < y + lines.length;
      const text = lines.map((line) => line.translateToString(false)).join("");
      if (!typed && text.includes("://")) {
        for (const { from, to, url } of urlsIn(text)) {
          yield { url, text: text.slice(from, to), cells: cellsOf(lines, y, from, to) };
        }
      }
      y += lines.length;
    }
  }

  /** The row in which the line of a row begins. */
  #beginOf(y: number): number {
    const { active } = this.#terminal.buffer;
    let begin = y;
    while (begin > 0 && y - begin < ROWS && active.getLine(begin)?.isWrapped) begin--;
    return begin;
  }

  #inOrder(): readonly HTMLAnchorElement[] {
    const rows = [...this.#links.values()].flatMap(({ parts: [part], x, anchors }) =>
      part ? [{ y: part.marker.line, x, anchors }] : [],
    );
    rows.sort((a, b) => a.y - b.y || a.x - b.x);
    return rows.flatMap(({ anchors }) => [...anchors]);
  }

  /** Whoever does not see the terminal is told that there are some. */
  #tell(): void {
    const { textarea } = this.#terminal;
    const said = textarea?.getAttribute("aria-label")?.replace(TOLD, "") ?? "";
    textarea?.setAttribute("aria-label", this.#links.size > 0 ? said + TOLD : said);
  }

  #key(event: KeyboardEvent): void {
    const anchors = this.#inOrder();
    const at = anchors.findIndex((anchor) => anchor === event.target);
    if (event.ctrlKey && event.shiftKey && event.key === "ArrowDown") anchors.at(-1)?.focus();
    else if (at < 0) return;
    else if (event.key === "ArrowUp" || event.key === "ArrowLeft") anchors[at - 1]?.focus();
    else if (event.key === "ArrowDown" || event.key === "ArrowRight")
      (anchors[at + 1] ?? this.#terminal).focus();
    else if (event.key === "Escape") this.#terminal.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** Where the characters of a line stand: wide ones take two cells, and combined ones none of their own. */
function cellsOf(lines: readonly IBufferLine[], y: number, from: number, to: number): Cells[] {
  let at = 0;
  return lines.flatMap((line, i) => {
    let [x, width] = [0, 0];
    for (let cell = 0; cell < line.length; cell++) {
      const { characters, columns } = cellOf(line, cell);
      if (at >= from && at < to && columns > 0) {
        if (width === 0) x = cell;
        width = cell + columns - x;
      }
      at += columns > 0 ? characters : 0;
    }
    return width > 0 ? [{ y: y + i, x, width }] : [];
  });
}

function cellOf(line: IBufferLine, x: number): { characters: number; columns: number } {
  const cell = line.getCell(x);
  // An empty cell reads as a blank.
  return { characters: Math.max(1, cell?.getChars().length ?? 1), columns: cell?.getWidth() ?? 1 };
}
