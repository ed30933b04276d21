import type { Catalog } from "../kube/catalog.ts";
import type { Fetch } from "../kube/reflector.ts";
import { ask } from "../kube/request.ts";
import { schemaOfKind, type OpenApi, type Schema } from "./schema.ts";

/** A kind's schema with the document that its references point into. */
export interface KindSchema {
  api: OpenApi;
  schema: Schema;
}

interface Index {
  paths?: Record<string, { serverRelativeURL: string }>;
}

/** The cluster's OpenAPI v3: one document for each group and version, asked for when needed. */
export class Schemas {
  readonly #fetch: Fetch;
  readonly #catalog: Catalog;
  /** By the address of the document, which names its hash: one that changed is another one. */
  readonly #documents = new Map<string, Promise<OpenApi>>();
  #index: Promise<Index> | undefined;
  /** What was served when the index was asked for. */
  #served: readonly unknown[] | undefined;

  constructor(fetch: Fetch, catalog: Catalog) {
    this.#fetch = fetch;
    this.#catalog = catalog;
  }

  /** Undefined when the API serves no such kind. */
  async of(apiVersion: string, kind: string): Promise<KindSchema | undefined> {
    const name = apiVersion.includes("/") ? `apis/${apiVersion}` : `api/${apiVersion}`;
    const { paths } = await this.#paths();
    const url = paths?.[name]?.serverRelativeURL;
    if (url === undefined) {
      // A CustomResourceDefinition's schema comes a moment after its resource.
      this.#index = undefined;
      return undefined;
    }
    const api = await this.#document(url);
    const schema = schemaOfKind(api, kind);
    if (!schema) this.#index = undefined;
    return schema && { api, schema };
  }

  #paths(): Promise<Index> {
    const { resources } = this.#catalog.served.state;
    if (!this.#index || this.#served !== resources) {
      this.#served = resources;
      this.#index = this.#json<Index>("/openapi/v3");
      this.#index.catch(() => (this.#index = undefined));
    }
    return this.#index;
  }

  #document(url: string): Promise<OpenApi> {
    const known = this.#documents.get(url);
    if (known) return known;
    const document = this.#json<OpenApi>(url);
    this.#documents.set(url, document);
    document.catch(() => this.#documents.delete(url));
    return document;
  }

  async #json<T>(path: string): Promise<T> {
    return (await ask(this.#fetch, path)).json() as Promise<T>;
  }
}
