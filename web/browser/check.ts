import { LACKS, type FromFrame, type Lack, type Redirect } from "../frame/wire.ts";
import {
  LONGEST_ADDRESS,
  LONGEST_BODY,
  LONGEST_HEADERS,
  LONGEST_MESSAGE,
  MOST_HEADERS,
  MOST_PROTOCOLS,
} from "./bounds.ts";

/** Characters of a title. */
const LONGEST_TITLE = 200;
/** Bytes of the reason with which a WebSocket is closed, and so characters. */
const LONGEST_REASON = 123;

/**
 * Reads what came from a frame, in which a stranger's scripts may have written it: undefined for
 * whatever is not of a message's shape, or too long.
 */
export function checked(data: unknown): FromFrame | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const from = data as Record<string, unknown>;
  switch (from.type) {
    case "ask": {
      const { id, redirect } = from;
      const request = requestOf(from);
      if (!request || !isId(id) || !isRedirect(redirect)) return undefined;
      return { type: "ask", id, redirect, ...request };
    }
    case "go": {
      const request = requestOf(from);
      return request && { type: "go", replace: from.replace === true, ...request };
    }
    case "socket": {
      const { id, url, protocols } = from;
      if (!isId(id) || !isAddress(url) || !isProtocols(protocols)) return undefined;
      return { type: "socket", id, url, protocols: [...protocols] };
    }
    case "say": {
      const { id, data } = from;
      return isId(id) && isMessage(data) ? { type: "say", id, data } : undefined;
    }
    case "heard": {
      const { id, bytes } = from;
      return isId(id) && isId(bytes) ? { type: "heard", id, bytes } : undefined;
    }
    case "close": {
      const { id, code, reason } = from;
      if (!isId(id) || typeof reason !== "string" || reason.length > LONGEST_REASON) {
        return undefined;
      }
      if (code === undefined) return { type: "close", id, reason };
      return isCode(code) ? { type: "close", id, code, reason } : undefined;
    }
    case "stop":
      return isId(from.id) ? { type: "stop", id: from.id } : undefined;
    case "at":
      return isAddress(from.url)
        ? { type: "at", url: from.url, replace: from.replace === true }
        : undefined;
    case "step":
      return Number.isSafeInteger(from.by) ? { type: "step", by: from.by as number } : undefined;
    case "scroll": {
      const { x, y } = from;
      return isPlace(x) && isPlace(y) ? { type: "scroll", x, y } : undefined;
    }
    case "title":
      return typeof from.text === "string"
        ? { type: "title", text: from.text.slice(0, LONGEST_TITLE) }
        : undefined;
    case "lacks":
      return LACKS.includes(from.what as Lack)
        ? { type: "lacks", what: from.what as Lack }
        : undefined;
    case "drawn":
    case "left":
      return { type: from.type };
    default:
      return undefined;
  }
}

function requestOf({ url, method, headers, body }: Record<string, unknown>) {
  if (!isAddress(url) || typeof method !== "string" || !/^[A-Za-z]{1,20}$/.test(method)) {
    return undefined;
  }
  if (body !== undefined && !(body instanceof ArrayBuffer && body.byteLength <= LONGEST_BODY)) {
    return undefined;
  }
  const read = headersOf(headers);
  return read && { url, method, headers: read, ...(body ? { body } : {}) };
}

function headersOf(headers: unknown): [string, string][] | undefined {
  if (!Array.isArray(headers) || headers.length > MOST_HEADERS) return undefined;
  const all: [string, string][] = [];
  let length = 0;
  for (const pair of headers as unknown[]) {
    if (!Array.isArray(pair)) return undefined;
    const [name, value] = pair as unknown[];
    if (typeof name !== "string" || typeof value !== "string") return undefined;
    length += name.length + value.length;
    if (length > LONGEST_HEADERS) return undefined;
    // As HTTP has them: no line ends in a value, no separators in a name.
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || /[\0\r\n]/.test(value)) return undefined;
    all.push([name, value]);
  }
  return all;
}

function isAddress(url: unknown): url is string {
  return typeof url === "string" && url.length <= LONGEST_ADDRESS && URL.canParse(url);
}

function isId(id: unknown): id is number {
  return Number.isSafeInteger(id) && (id as number) > 0;
}

/** Tokens, as HTTP has them, no two the same. */
function isProtocols(list: unknown): list is string[] {
  return (
    Array.isArray(list) &&
    list.length <= MOST_PROTOCOLS &&
    list.every((one) => typeof one === "string" && /^[!#$%&'*+.^_`|~\w-]{1,200}$/.test(one)) &&
    new Set(list).size === list.length
  );
}

function isMessage(data: unknown): data is string | ArrayBuffer {
  return typeof data === "string"
    ? data.length <= LONGEST_MESSAGE
    : data instanceof ArrayBuffer && data.byteLength <= LONGEST_MESSAGE;
}

/** What a page may close a WebSocket with. */
function isCode(code: unknown): code is number {
  const n = code as number;
  return Number.isSafeInteger(n) && (n === 1000 || (n >= 3000 && n <= 4999));
}

function isPlace(at: unknown): at is number {
  return typeof at === "number" && at >= 0 && at < 1e9;
}

function isRedirect(redirect: unknown): redirect is Redirect {
  return redirect === "follow" || redirect === "error" || redirect === "manual";
}
