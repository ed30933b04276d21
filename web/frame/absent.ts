import type { Lack } from "./wire.ts";

/**
 * What a document on an opaque origin cannot have: most programs only want it to be there, and go on
 * with what is gone when the document is. Each is told to the page when it is used.
 */
export function standIn(lacks: (what: Lack) => void): void {
  for (const name of ["localStorage", "sessionStorage"]) {
    const value = memory(() => lacks("storage"));
    Object.defineProperty(window, name, { value, configurable: true });
  }
  let cookie = "";
  Object.defineProperty(document, "cookie", {
    get: () => cookie,
    set: (text: unknown) => {
      lacks("cookies");
      const [pair = ""] = String(text).split(";");
      const [name] = pair.split("=");
      const others = cookie.split("; ").filter((one) => one && one.split("=")[0] !== name);
      cookie = [...others, pair].join("; ");
    },
    configurable: true,
  });
  for (const name of ["Worker", "SharedWorker"]) refuse(name, () => lacks("workers"));
  refuse("EventSource", () => lacks("streams"));
  // Ways to others that no policy of a document rules.
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"]) {
    refuse(name, () => undefined);
  }
  for (const [name, answer] of Object.entries({ alert: undefined, confirm: false, prompt: null })) {
    const value = () => {
      lacks("dialogs");
      return answer;
    };
    Object.defineProperty(window, name, { value, configurable: true, writable: true });
  }
}

function refuse(name: string, tell: () => void): void {
  if (!(name in window)) return;
  const value = function () {
    tell();
    throw new DOMException(`${name} is not there in this view`, "NotSupportedError");
  };
  Object.defineProperty(window, name, { value, configurable: true, writable: true });
}

/** A Storage that ends with the document. */
function memory(tell: () => void): Storage {
  const all = new Map<string, string>();
  return {
    get length() {
      return all.size;
    },
    key: (i) => [...all.keys()][i] ?? null,
    getItem: (key: unknown) => all.get(String(key)) ?? null,
    setItem: (key: unknown, value: unknown) => {
      tell();
      all.set(String(key), String(value));
    },
    removeItem: (key: unknown) => void all.delete(String(key)),
    clear: () => all.clear(),
  };
}
