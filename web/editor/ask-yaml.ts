import { parse } from "yaml";
import { placePath, type ApiPlace } from "../kube/apipath.ts";
import type { Fetch } from "../kube/reflector.ts";
import { ApiError, ask, type Request } from "../kube/request.ts";
import type { Status } from "../kube/types.ts";

/** Asks for YAML, the server's own. A refusal then comes as YAML, too, and is read here. */
export async function askYaml(fetch: Fetch, path: string, request: Request): Promise<Response> {
  try {
    return await ask(fetch, path, { ...request, accept: "application/yaml" });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const status = statusIn(error.body);
    throw status ? new ApiError(error.code, status, error.body) : error;
  }
}

/** Reads one object as the server's own YAML. */
export async function getYaml(fetch: Fetch, place: ApiPlace): Promise<string> {
  return (await askYaml(fetch, placePath(place), {})).text();
}

function statusIn(body: string): Status | undefined {
  try {
    const status = parse(body) as Partial<Status> | null;
    return status?.kind === "Status" ? (status as Status) : undefined;
  } catch {
    return undefined;
  }
}
