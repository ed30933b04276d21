import { messageOf } from "../rpc/reason.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";
import { Store } from "../state/store.ts";
import { discover, type Resource } from "./discovery.ts";
import { reflect, type Fetch } from "./reflector.ts";

/** What the API serves, as far as it is known. */
export interface Served {
  /** False until the first answer. */
  known: boolean;
  resources: readonly Resource[];
  /** Why the list may be old; empty when it is not. */
  problem: string;
}

/** Milliseconds after a change of what is served before discovery is asked again. */
const SETTLES = [300, 1500, 4000];

/**
 * The resources that the API serves, live: discovery is asked again whenever a
 * CustomResourceDefinition or an APIService changes. Nothing is asked before `use`.
 */
export class Catalog implements Disposable {
  readonly served = new Store<Served, Partial<Served>>((old, change) => ({ ...old, ...change }), {
    known: false,
    resources: [],
    problem: "",
  });
  readonly #fetch: Fetch;
  readonly #held = new Disposables();
  #first: Promise<void> | undefined;
  #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  /** Begins to follow what is served; resolves when it is known the first time. */
  use(): Promise<readonly Resource[]> {
    this.#first ??= this.#begin();
    return this.#first.then(() => this.served.state.resources);
  }

  /** Asks again now, for whoever has just found something missing. */
  async refresh(): Promise<readonly Resource[]> {
    await this.#read();
    return this.served.state.resources;
  }

  dispose(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#held.dispose();
  }

  async #begin(): Promise<void> {
    await this.#read();
    for (const path of [
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      "/apis/apiregistration.k8s.io/v1/apiservices",
    ]) {
      this.#held.add(
        reflect({ fetch: this.#fetch, path, include: "Metadata", onChange: () => this.#changed() }),
      );
    }
  }

  /** The server's own discovery follows a change a little later: look more than once. */
  #changed(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = SETTLES.map((after) => setTimeout(() => void this.#read(), after));
  }

  async #read(): Promise<void> {
    try {
      const resources = await discover(this.#fetch);
      const same = JSON.stringify(resources) === JSON.stringify(this.served.state.resources);
      this.served.dispatch({ known: true, problem: "", ...(same ? {} : { resources }) });
    } catch (error) {
      this.served.dispatch({ problem: messageOf(error) });
    }
  }
}
