/*
 * What the frame of the browser view and the page say to each other, over one MessagePort. In the
 * frame a stranger's scripts run, which may have taken the port: the page reads what comes by
 * web/browser/check.ts only.
 */

/** What the frame says once it is there, to its parent: it waits for the port. */
export const HELLO = "tabernetes-frame";

/** What a page wants and does not get here. */
export const LACKS = [
  "modules",
  "workers",
  "frames",
  "cookies",
  "streams",
  "dialogs",
  "storage",
  "policy",
] as const;
export type Lack = (typeof LACKS)[number];

export type Redirect = "follow" | "error" | "manual";

export type FromFrame =
  /** A request of the document's: for what it is made of, or of its scripts. */
  | {
      type: "ask";
      id: number;
      url: string;
      method: string;
      headers: [string, string][];
      body?: ArrayBuffer;
      redirect: Redirect;
    }
  /** A WebSocket is wanted. */
  | { type: "socket"; id: number; url: string; protocols: string[] }
  /** A message of a WebSocket's. */
  | { type: "say"; id: number; data: string | ArrayBuffer }
  /** So many bytes of what was said have been taken. */
  | { type: "heard"; id: number; bytes: number }
  /** A WebSocket is closed: with nothing, with a code, with a code and a reason. */
  | { type: "close"; id: number; code?: number; reason: string }
  /** Whoever asked wants no answer any more. */
  | { type: "stop"; id: number }
  /** Another document is wanted: a link or a form. */
  | {
      type: "go";
      url: string;
      method: string;
      headers: [string, string][];
      body?: ArrayBuffer;
      replace: boolean;
    }
  /** The document has given itself another address. */
  | { type: "at"; url: string; replace: boolean }
  /** So many steps through the history. */
  | { type: "step"; by: number }
  | { type: "scroll"; x: number; y: number }
  | { type: "title"; text: string }
  | { type: "lacks"; what: Lack }
  /** The document is there, with its styles and scripts. */
  | { type: "drawn" }
  /** The document goes away, by no message of its own. */
  | { type: "left" };

export type ToFrame =
  | { type: "document"; url: string; contentType: string; bytes: ArrayBuffer; x: number; y: number }
  | {
      type: "head";
      id: number;
      status: number;
      statusText: string;
      headers: [string, string][];
      url: string;
      redirected: boolean;
    }
  | { type: "chunk"; id: number; bytes: Uint8Array<ArrayBuffer> }
  /** A WebSocket is open. */
  | { type: "opened"; id: number; protocol: string }
  | { type: "said"; id: number; data: string | ArrayBuffer; bytes: number }
  /** So many bytes of what was sent have gone. */
  | { type: "took"; id: number; bytes: number }
  | { type: "closed"; id: number; code: number; reason: string; clean: boolean }
  /** With an error: there is no answer, or no more of it. */
  | { type: "end"; id: number; error?: string };
