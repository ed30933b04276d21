import { placePath, type ApiPlace } from "./apipath.ts";
import type { Fetch } from "./reflector.ts";
import type { KubeObject, Status } from "./types.ts";

/** An answer of the API that is no success: its Status, with the words the server chose. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status code. */
  readonly code: number;
  readonly status: Status;
  /** The answer as it came; a Status may come as YAML to who asks for YAML. */
  readonly body: string;

  constructor(code: number, status: Status, body: string) {
    super(status.message ?? `HTTP ${code}`);
    this.body = body;
    this.code = code;
    this.status = status;
  }
}

export interface Request {
  method?: string;
  /** Content type of the body. */
  type?: string;
  body?: string;
  query?: Readonly<Record<string, string>>;
  accept?: string;
  signal?: AbortSignal;
}

/** Asks the API and throws ApiError for anything but success. */
export async function ask(fetch: Fetch, path: string, request: Request = {}): Promise<Response> {
  const { method = "GET", type, body, query, accept = "application/json", signal } = request;
  const search = query ? `?${new URLSearchParams(query).toString()}` : "";
  const response = await fetch(`${path}${search}`, {
    method,
    headers: { accept, ...(type ? { "content-type": type } : {}) },
    ...(body === undefined ? {} : { body }),
    ...(signal ? { signal } : {}),
  });
  if (response.ok) return response;
  const text = await response.text();
  let status: Status = { kind: "Status", message: text.slice(0, 400) };
  try {
    const answer = JSON.parse(text) as Status;
    if (answer.message !== undefined) status = answer;
  } catch {
    // No Status: the text itself says most.
  }
  throw new ApiError(response.status, status, text);
}

/** Reads one object. */
export async function getObject(fetch: Fetch, place: ApiPlace): Promise<KubeObject> {
  return (await (await ask(fetch, placePath(place))).json()) as KubeObject;
}
