/* Makes data of docs/editions.md, when the page is built: what reaches the page is no Markdown. */
import { Lexer, type Tokens } from "marked";
import { decode, plain, type Code } from "../prose/prose.ts";
import type { Edition } from "./editions.ts";

/** Reads its one table. Throws an error that names the line that is not as the others are. */
export function compileEditions(text: string): Edition[] {
  const table = new Lexer().lex(text).find((token) => token.type === "table") as
    Tokens.Table | undefined;
  if (!table) throw new Error("docs/editions.md: there is no table");
  return table.rows.map((cells) => {
    const [says, editions, today, source, here] = cells;
    if (!says || !editions || !today || !source || !here) throw wrong(cells, "it has five cells");
    const link = source.tokens[0] as Tokens.Link | undefined;
    const at =
      /^https:\/\/github\.com\/kubernetes\/kubernetes\/blob\/(v[\d.]+)\/([\w./-]+)#L(\d+)$/.exec(
        link?.href ?? "",
      );
    if (!link || !at?.[1] || !at[2])
      throw wrong(cells, "its source is a link to a line of Kubernetes");
    const place = /^`#\/([a-z/-]+)`$/.exec(here.text)?.[1];
    if (place === undefined) throw wrong(cells, "its place is an address of the page");
    return {
      says: line(says),
      editions: editions.text.split(" "),
      today: line(today),
      source: {
        name: plain(line({ tokens: link.tokens })),
        version: at[1],
        path: at[2],
        line: Number(at[3]),
      },
      here: place,
    };
  });
}

function line({ tokens }: Pick<Tokens.TableCell, "tokens">): (string | Code)[] {
  return tokens.map((token) =>
    token.type === "codespan"
      ? { type: "code", text: decode((token as Tokens.Codespan).text) }
      : decode((token as Tokens.Text).text),
  );
}

function wrong(cells: readonly Tokens.TableCell[], what: string): Error {
  return new Error(`docs/editions.md: "${cells[0]?.text ?? ""}": ${what}`);
}
