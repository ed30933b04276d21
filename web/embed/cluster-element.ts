import { clusterBehind, type EmbeddedCluster } from "../sdk/create.ts";
import type { ClusterOptions } from "../sdk/options.ts";
import type { OverCluster } from "../sdk/terminal.ts";
import { define } from "../ui/define.ts";
import type { Disposable } from "../state/disposable.ts";
import { mayStartItself } from "./before.ts";
import { whenIdle } from "./idle.ts";
import { SharedCluster, sharedOfPage, sharedOver } from "./shared.ts";

/**
 * `<tabernetes-cluster nodes="2" start="visible">`: the cluster of the elements inside of it, and of
 * those that name its id by `for`. It draws nothing. It starts when one of them wants it, when
 * `start()` is called, or, with `start="visible"`, once it is near what is in sight and the page idle,
 * unless the reader saves data or the device has little memory. It sleeps while none of them is in sight and
 * nobody waits for it, unless it has the attribute `awake`. Manifests stand in
 * `<script type="application/yaml">`, files of its configuration in such with `data-config`, "scheduler" or
 * "admission". `lesson` is the address of a lesson that it is made for. Taken out of the page it ends.
 */
export class ClusterElement extends HTMLElement {
  #shared: SharedCluster | undefined;
  #near: IntersectionObserver | undefined;
  #idle: Disposable | undefined;

  /**
   * What its elements share. Its attributes are read when it is first asked for.
   * @internal
   */
  get shared(): SharedCluster {
    this.#shared ??= new SharedCluster(optionsOf(this), this.hasAttribute("awake"));
    return this.#shared;
  }

  /** The cluster, once it is ready; starts it if need be. Rejects with what went wrong. */
  async start(): Promise<EmbeddedCluster> {
    return this.shared.started(() => undefined, new AbortController().signal);
  }

  connectedCallback(): void {
    if (!this.style.display) this.style.display = "contents";
    if (this.getAttribute("start") !== "visible" || !mayStartItself()) return;
    // What has no box is seen by what it holds (its manifests have none either), or by the place it stands at.
    const seen = this.querySelector(":scope > :not(script)") ?? this.parentElement ?? this;
    this.#near = new IntersectionObserver(
      (entries) => {
        this.#idle?.dispose(); // who only scrolled by
        if (!entries.at(-1)?.isIntersecting) return;
        this.#idle = whenIdle(() => {
          this.#near?.disconnect();
          this.start().catch(() => undefined); // its elements say so
        });
      },
      { rootMargin: "200px" },
    );
    this.#near.observe(seen);
  }

  disconnectedCallback(): void {
    this.#near?.disconnect();
    this.#idle?.dispose();
    // An element that is only moved is back by then.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#shared?.dispose();
      this.#shared = undefined;
    });
  }
}

/** The cluster that an element is over; throws if it names one that is not there. */
export function sharedOf(element: Element & Partial<OverCluster>): SharedCluster {
  const { cluster } = element;
  if (cluster !== undefined) {
    clusterBehind(cluster); // throws for what is none
    return sharedOver(cluster);
  }
  const id = element.getAttribute("for");
  if (id !== null) return sharedBy(element.getRootNode() as Document | ShadowRoot, "for", id);
  const around = element.closest("tabernetes-cluster");
  if (around instanceof ClusterElement) return around.shared;
  return sharedOfPage();
}

/** The cluster of the `<tabernetes-cluster>` with an id, as `says` names it; throws if there is none. */
export function sharedBy(root: Document | ShadowRoot, says: string, id: string): SharedCluster {
  const named = root.getElementById(id);
  if (named instanceof ClusterElement) return named.shared;
  throw new Error(`${says}="${id.slice(0, 80)}" names no <tabernetes-cluster> of this page.`);
}

/** What attributes say; createCluster refuses what cannot be. */
function optionsOf(element: Element): ClusterOptions {
  const options: ClusterOptions = {};
  const assets = element.getAttribute("assets");
  // As any address in a page: from where the page is.
  if (assets !== null) options.assets = new URL(assets, element.ownerDocument.baseURI);
  for (const [attribute, name] of NUMBERS) {
    const text = element.getAttribute(attribute);
    if (text !== null) options[name] = text.trim() === "" ? Number.NaN : Number(text);
  }
  if (element.hasAttribute("refuse-images")) options.refuseImages = true;
  const lesson = element.getAttribute("lesson");
  if (lesson !== null) options.lesson = new URL(lesson, element.ownerDocument.baseURI);
  const manifests: string[] = [];
  for (const { dataset, textContent } of element.querySelectorAll<HTMLScriptElement>(
    ':scope > script[type="application/yaml"]',
  )) {
    // A name that is none is refused as any option of createCluster.
    if (dataset.config === undefined) manifests.push(textContent);
    else Object.assign(options, { [`${dataset.config}Config`]: textContent });
  }
  if (manifests.length > 0) options.manifests = manifests;
  return options;
}

const NUMBERS = [
  ["nodes", "nodes"],
  ["node-cpu", "nodeCPU"],
  ["node-memory", "nodeMemory"],
] as const;

define("tabernetes-cluster", ClusterElement);
