import { Lexer, Parser } from "yaml";
import { documentsOf, type ManifestDocument } from "../editor/documents.ts";
import { messageOf } from "../rpc/reason.ts";
import { ShareError } from "./pack.ts";
import { seen } from "./seen.ts";

/** Objects of a manifest that are opened at most. */
export const MOST_OBJECTS = 500;

/** One object that a manifest holds, as the manifest says it: text of a stranger's. */
export interface Held {
  apiVersion: string;
  kind: string;
  namespace: string;
  /** Empty where the API server gives it. */
  name: string;
}

/** What a manifest holds, and the texts in which it is applied, one after the other. */
export interface Content {
  objects: readonly Held[];
  /** Definitions of kinds, which have to be established before objects of them; "" if there are none. */
  definitions: string;
  /** All else, in its order; the whole text where there are no definitions. */
  rest: string;
}

/** Reads a manifest. Throws ShareError for what is none. */
export function contentOf(text: string): Content {
  const documents = read(text);
  if (documents.length === 0) throw new ShareError("It is empty: there is nothing to apply.");
  if (documents.length > MOST_OBJECTS) {
    throw new ShareError(
      `It has ${documents.length} objects; ${MOST_OBJECTS} are the most that is opened by a link.`,
    );
  }
  for (const [i, { errors, kind, apiVersion }] of documents.entries()) {
    const which = documents.length === 1 ? "It" : `Its document ${i + 1}`;
    const [error] = errors;
    if (error) {
      throw new ShareError(
        `${which} is no YAML: ${seen(error.message)}, in line ${text.slice(0, error.from).split("\n").length}.`,
      );
    }
    if (!kind || !apiVersion) {
      throw new ShareError(
        `${which} is no manifest of Kubernetes: it has no ${kind ? "apiVersion" : "kind"}. An address has to give the file itself, not a page that shows it.`,
      );
    }
  }
  const objects = documents.map(({ apiVersion, kind, namespace, name }) => ({
    apiVersion,
    kind,
    namespace,
    name,
  }));
  const defines = documents.filter(isDefinition);
  const others = documents.filter((document) => !isDefinition(document));
  const alone = defines.length === 0 || others.length === 0;
  return {
    objects,
    definitions: alone ? "" : joined(defines),
    rest: alone ? text : joined(others),
  };
}

/** How deep lists and maps may stand in one another: no manifest comes near it. */
const DEEPEST = 200;

/**
 * Whether a text is nested deeper than is read. What builds documents calls itself for each level, and
 * a browser may end the page where its stack does; this does not.
 */
function isDeep(text: string): boolean {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    const tokens = parser.next(lexeme);
    // Nothing is done with the tokens: the parser's own stack is what counts.
    while (!tokens.next().done);
    if (parser.stack.length > DEEPEST) return true;
  }
  return false;
}

function read(text: string): ManifestDocument[] {
  if (isDeep(text)) {
    throw new ShareError(`It is nested more than ${DEEPEST} levels deep, as no manifest is.`);
  }
  try {
    return documentsOf(text);
  } catch (error) {
    throw new ShareError(`It cannot be read as YAML: ${seen(messageOf(error))}`);
  }
}

/** Whether an object defines a kind. */
export function isDefinition({ apiVersion, kind }: Held): boolean {
  return kind === "CustomResourceDefinition" && apiVersion.startsWith("apiextensions.k8s.io/");
}

function joined(documents: readonly ManifestDocument[]): string {
  return documents.map(({ text }) => `---\n${text.trimEnd()}\n`).join("");
}
