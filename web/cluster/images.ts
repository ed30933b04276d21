import type { DefineImageParams } from "../rpc/protocol.ts";
import type { Cluster } from "./cluster.ts";
import { measureContainers } from "./measure.ts";

/** What an image in JavaScript is made of (docs/images.md). */
export interface ImageDefinition {
  /**
   * The whole address of a module: `new URL("app.js", import.meta.url)`. A container's Worker imports it: the page's policy
   * has to allow that (`script-src`), and another origin, too (CORS). One that every origin may read runs in a process
   * of its own where the browser gives it one.
   */
  module: string | URL;
  /** Where its containers serve HTTP. Default port 80. */
  ports?: readonly number[];
  /** Variables that its containers have, if a pod says nothing else. */
  env?: Readonly<Record<string, string>>;
}

/** The images of a cluster's in-tab nodes. */
export interface Images {
  /**
   * A JavaScript module becomes an image, under a name without a tag; any tag of it exists. Defined
   * again, containers that start from then on run the new module. It is there before a node runs if
   * nothing was waited for, and as long as the page: a cluster that goes on in another page has it
   * defined again. Rejects if the cluster refuses it.
   */
  define(name: string, definition: ImageDefinition): Promise<void>;
}

export function imagesOf({ client, measure }: Pick<Cluster, "client" | "measure">): Images {
  let measured = false;
  return {
    define: async (name, definition) => {
      const params = paramsOf(name, definition);
      // A page that defines none has nothing that could be measured.
      if (!measured && measure) measureContainers(client, measure);
      measured = true;
      await client.call("defineImage", params).result;
    },
  };
}

const KNOWN = ["module", "ports", "env"];

/** Throws a TypeError that says what cannot be; the cluster checks all of it again. */
export function paramsOf(name: string, definition: ImageDefinition): DefineImageParams {
  const options: unknown = definition;
  if (typeof name !== "string") throw new TypeError("images.define: the name is a text");
  if (typeof options !== "object" || options === null) {
    throw new TypeError("images.define: what defines an image is { module: address }");
  }
  const unknown = Object.keys(definition).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) {
    throw new TypeError(
      `images.define knows no option "${unknown.slice(0, 80)}": ${KNOWN.join(", ")}`,
    );
  }
  const given: unknown = definition.module;
  if (typeof given === "function" || !given) {
    throw new TypeError(
      "images.define: module is the address of a module, as a function cannot be sent to a Worker",
    );
  }
  const ports: unknown = definition.ports ?? [80];
  const numbers = (list: unknown): list is number[] =>
    Array.isArray(list) && list.every((port) => Number.isInteger(port));
  if (!numbers(ports)) {
    throw new TypeError("images.define: ports is a list of numbers");
  }
  const env: [string, unknown][] = Object.entries(definition.env ?? {});
  return {
    name,
    module: addressOf(given),
    ports,
    env: env.map(([key, value]) => `${key}=${String(value)}`),
  };
}

function addressOf(given: unknown): string {
  let url: URL;
  try {
    url = new URL(String(given));
  } catch {
    throw new TypeError(
      `images.define: module is no whole address: new URL("app.js", import.meta.url) is one`,
    );
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`images.define: module is loaded by http or https, not ${url.protocol}`);
  }
  return url.href;
}
