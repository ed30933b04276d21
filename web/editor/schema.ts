import { ITEM } from "./context.ts";

/** As much of an OpenAPI v3 schema as is read (https://spec.openapis.org/oas/v3.0.0#schema-object). */
export interface Schema {
  $ref?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  type?: string;
  format?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[];
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
}

export interface OpenApi {
  components?: { schemas?: Record<string, Schema> };
}

/** The schema of a kind in the document of its group and version. */
export function schemaOfKind(api: OpenApi, kind: string): Schema | undefined {
  const named = Object.values(api.components?.schemas ?? {}).filter((schema) =>
    schema["x-kubernetes-group-version-kind"]?.some((gvk) => gvk.kind === kind),
  );
  // DeleteOptions and the like carry every group's kinds; the kind's own carries one.
  return named.sort(
    (a, b) =>
      (a["x-kubernetes-group-version-kind"]?.length ?? 0) -
      (b["x-kubernetes-group-version-kind"]?.length ?? 0),
  )[0];
}

/** Follows references; a description beside a reference goes before that of what it points to. */
function resolve(api: OpenApi, schema: Schema | undefined): Schema | undefined {
  let resolved = schema;
  let description = schema?.description;
  for (let depth = 0; resolved && depth < 16; depth++) {
    const inner: Schema | undefined = resolved.$ref ? resolved : resolved.allOf?.[0];
    if (!inner) break;
    const { $ref } = inner;
    const next: Schema | undefined = $ref
      ? api.components?.schemas?.[$ref.slice($ref.lastIndexOf("/") + 1)]
      : inner;
    description ??= next?.description;
    const own = resolved.default === undefined ? {} : { default: resolved.default };
    resolved = next && { ...next, ...own };
  }
  return resolved && (description === undefined ? resolved : { ...resolved, description });
}

/** The schema at a path of keys and ITEMs. */
export function schemaAt(
  api: OpenApi,
  root: Schema | undefined,
  path: readonly string[],
): Schema | undefined {
  let schema = resolve(api, root);
  for (const step of path) {
    if (!schema) return undefined;
    const { items, properties, additionalProperties } = schema;
    if (step === ITEM) schema = resolve(api, items);
    else if (properties?.[step]) schema = resolve(api, properties[step]);
    else if (typeof additionalProperties === "object") schema = resolve(api, additionalProperties);
    else return undefined;
  }
  return schema;
}

/** One thing that can be typed. */
export interface Offer {
  label: string;
  /** The type, and whether it is required. */
  detail: string;
  description: string;
  /** What is put in, where that is more than the label. */
  insert: string;
}

/** What keys a mapping can have; required ones first, then as the alphabet has them. */
export function keysOf(api: OpenApi, schema: Schema | undefined): Offer[] {
  const required = new Set(schema?.required ?? []);
  return Object.entries(schema?.properties ?? {})
    .map(([label, raw]): Offer & { needed: boolean } => {
      const property = resolve(api, raw);
      const needed = required.has(label);
      return {
        label,
        detail: `${typeName(api, property)}${needed ? ", required" : ""}`,
        description: describe(property),
        insert: `${label}:${opensBlock(property) ? "" : " "}`,
        needed,
      };
    })
    .sort((a, b) => Number(b.needed) - Number(a.needed) || a.label.localeCompare(b.label, "en"));
}

/** What values a field can have, where the schema names them. */
export function valuesOf(schema: Schema | undefined): Offer[] {
  const values = schema?.enum ?? (schema?.type === "boolean" ? [true, false] : []);
  return values.map((value) => ({
    label: String(value),
    detail: schema?.default === value ? "default" : "",
    description: "",
    insert: String(value),
  }));
}

/** What a schema says of itself, with its default and its values. */
export function describe(schema: Schema | undefined): string {
  if (!schema) return "";
  const { description = "", enum: values } = schema;
  const isPlain = schema.default !== undefined && typeof schema.default !== "object";
  return [
    description,
    values ? `One of: ${values.map(String).join(", ")}.` : "",
    isPlain && schema.default !== "" ? `Default: ${String(schema.default)}.` : "",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** A type in the words of `kubectl explain`: "[]Object", "map[string]string", "integer". */
export function typeName(api: OpenApi, schema: Schema | undefined): string {
  const resolved = resolve(api, schema);
  if (!resolved) return "Object";
  if (resolved["x-kubernetes-int-or-string"] || resolved.oneOf) return "IntOrString";
  if (resolved.type === "array") return `[]${typeName(api, resolved.items)}`;
  if (resolved.properties) return "Object";
  if (typeof resolved.additionalProperties === "object") {
    return `map[string]${typeName(api, resolved.additionalProperties)}`;
  }
  if (resolved.type === "object" || resolved.type === undefined) return "Object";
  return resolved.type;
}

function opensBlock(schema: Schema | undefined): boolean {
  return schema?.type === "array" || schema?.type === "object" || schema?.properties !== undefined;
}
