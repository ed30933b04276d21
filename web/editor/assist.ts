import {
  autocompletion,
  snippetCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { hoverTooltip, type EditorView, type Tooltip } from "@codemirror/view";
import type { Catalog } from "../kube/catalog.ts";
import { apiVersionOf } from "../kube/apipath.ts";
import type { Resource } from "../kube/discovery.ts";
import { contextAt, type YamlContext } from "./context.ts";
import { EXAMPLES } from "./examples.ts";
import { describe, keysOf, schemaAt, typeName, valuesOf, type Offer } from "./schema.ts";
import type { Schemas } from "./schemas.ts";

/** Where kinds are described. */
type Described = Pick<Schemas, "of">;

/**
 * Completion and hover, from what the cluster itself says of its kinds; without a catalog of what it
 * serves, from what somebody else says, and of fields only.
 */
export function assist(schemas: Described, catalog?: Catalog): Extension {
  return [
    autocompletion({
      override: [(context) => complete(context, schemas, catalog)],
      icons: false,
      closeOnBlur: true,
    }),
    hoverTooltip((view, position) => hover(view, position, schemas), { hoverTime: 400 }),
  ];
}

async function complete(
  context: CompletionContext,
  schemas: Described,
  catalog: Catalog | undefined,
): Promise<CompletionResult | null> {
  const text = context.state.doc.toString();
  const at = contextAt(text, context.pos);
  const typed = text.slice(at.from, context.pos);
  // An empty line offers nothing by itself: somebody who thinks must not be talked to.
  if (!context.explicit && typed === "" && !at.inValue) return null;
  const offers = await offersFor(at, schemas, catalog);
  if (offers.length === 0 || context.aborted) return null;
  return {
    from: at.from,
    options: offers.map((offer, i) => toCompletion(offer, offers.length - i)),
    validFor: /^[\w./-]*$/,
  };
}

async function offersFor(
  { path, key, inValue, apiVersion, kind }: YamlContext,
  schemas: Described,
  catalog: Catalog | undefined,
): Promise<Offer[]> {
  const resources = (await catalog?.use()) ?? [];
  if (path.length === 0 && inValue && key === "kind") return kinds(resources, apiVersion);
  if (path.length === 0 && inValue && key === "apiVersion") return versions(resources, kind);
  if (apiVersion === "" || kind === "") {
    return catalog && path.length === 0 && !inValue ? skeletons() : [];
  }
  const found = await schemas.of(apiVersion, kind);
  if (!found) return [];
  const { api, schema } = found;
  if (inValue) return valuesOf(schemaAt(api, schema, [...path, key]));
  return keysOf(api, schemaAt(api, schema, path));
}

function kinds(resources: readonly Resource[], apiVersion: string): Offer[] {
  const served = resources.filter((r) => apiVersion === "" || apiVersionOf(r) === apiVersion);
  return unique(
    served
      .filter((r) => r.verbs.includes("create"))
      .map((r) => ({ label: r.kind, detail: apiVersionOf(r), description: "", insert: r.kind })),
  );
}

function versions(resources: readonly Resource[], kind: string): Offer[] {
  return unique(
    resources
      .filter((r) => kind === "" || r.kind === kind)
      .map(apiVersionOf)
      .map((label) => ({ label, detail: "", description: "", insert: label })),
  );
}

/** Whole manifests to begin with, by the kind they are of. */
function skeletons(): Offer[] {
  return [
    { label: "apiVersion", detail: "string", description: "", insert: "apiVersion: " },
    { label: "kind", detail: "string", description: "", insert: "kind: " },
    ...EXAMPLES.map(({ name, text }) => ({
      label: name,
      detail: "example",
      description: text,
      insert: text,
    })),
  ];
}

function unique(offers: Offer[]): Offer[] {
  const seen = new Set<string>();
  return offers.filter(({ label }) => !seen.has(label) && seen.add(label));
}

function toCompletion({ label, detail, description, insert }: Offer, boost: number): Completion {
  const completion: Completion = {
    label,
    detail,
    ...(description ? { info: description } : {}),
    boost: Math.min(99, boost),
  };
  // Braces mean something in a snippet; a block is entered with its indentation.
  return insert.endsWith(":")
    ? snippetCompletion(`${insert}\n\t`, completion)
    : { ...completion, apply: insert };
}

async function hover(
  view: EditorView,
  position: number,
  schemas: Described,
): Promise<Tooltip | null> {
  const line = view.state.doc.lineAt(position);
  const match = /^(\s*(?:- +)*)(["']?[\w./-]+["']?):/.exec(line.text);
  if (!match) return null;
  const [, lead = "", key = ""] = match;
  const from = line.from + lead.length;
  const to = from + key.length;
  if (position < from || position > to) return null;
  const { path, apiVersion, kind } = contextAt(view.state.doc.toString(), to);
  const found = apiVersion && kind ? await schemas.of(apiVersion, kind) : undefined;
  if (!found) return null;
  const field = schemaAt(found.api, found.schema, [...path, key.replace(/["']/g, "")]);
  if (!field) return null;
  return {
    pos: from,
    end: to,
    create: () => {
      const dom = document.createElement("div");
      dom.className = "cm-field";
      const title = document.createElement("b");
      title.textContent = `${key} <${typeName(found.api, field)}>`;
      const text = document.createElement("p");
      text.textContent = describe(field) || "Its schema says nothing of it.";
      dom.append(title, text);
      return { dom };
    },
  };
}
