import { placePath, type ApiPlace } from "../kube/apipath.ts";
import type { Fetch } from "../kube/reflector.ts";
import { ApiError } from "../kube/request.ts";
import { askYaml, getYaml } from "./ask-yaml.ts";
import { withoutManagedFields } from "./managed.ts";
import { problemsOf, type Problem } from "./problems.ts";
import { warningsIn } from "./warnings.ts";

/** The name under which the page owns the fields it applies. */
const FIELD_MANAGER = "tabernetes-editor";

/** How a manifest is handed in. */
export type Way =
  /** Server-side apply: the fields in the text become the page's. */
  | { how: "apply"; force: boolean }
  /** The whole object in place of the one there is, of the version that the text names. */
  | { how: "replace" };

/** What became of a manifest, or would. */
export type Answer =
  /** `yaml` is the object as the server has it then; `warnings` are what it says besides. */
  | { ok: true; created: boolean; yaml: string; warnings: Problem[] }
  | { ok: false; code: number; problems: Problem[] };

/** Hands a manifest in; with `dryRun` the server does everything but keep it. */
export async function submit(
  fetch: Fetch,
  place: ApiPlace,
  text: string,
  way: Way,
  options: { dryRun: boolean; signal?: AbortSignal },
): Promise<Answer> {
  const query: Record<string, string> = {
    fieldManager: FIELD_MANAGER,
    fieldValidation: "Strict",
    ...(options.dryRun ? { dryRun: "All" } : {}),
    ...(way.how === "apply" && way.force ? { force: "true" } : {}),
  };
  try {
    const response = await askYaml(fetch, placePath(place), {
      method: way.how === "apply" ? "PATCH" : "PUT",
      type: way.how === "apply" ? "application/apply-patch+yaml" : "application/yaml",
      body: text,
      query,
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const warnings = warningsIn(response.headers);
    return { ok: true, created: response.status === 201, yaml: await response.text(), warnings };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ok: false, code: error.code, problems: problemsOf(error.status) };
  }
}

/** The server's YAML of an object that is there, without what nobody writes; "" when it is not. */
export async function current(fetch: Fetch, place: ApiPlace): Promise<string> {
  try {
    return comparable(await getYaml(fetch, place));
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return "";
    throw error;
  }
}

/** What of an object counts in a comparison: not its version, nor who owns which field. */
export function comparable(yaml: string): string {
  return withoutManagedFields(yaml)
    .split("\n")
    .filter((line) => !/^ {2}(resourceVersion|generation|uid|creationTimestamp):/.test(line))
    .join("\n");
}
