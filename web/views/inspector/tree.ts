import { reason } from "../../rpc/reason.ts";
import { define } from "../../ui/define.ts";
import { css, html, nothing, type TemplateResult } from "lit";
import { objectRoute } from "../../page/address.ts";
import { age } from "../../kube/age.ts";
import { placeOf } from "../../kube/apipath.ts";
import { podState } from "../../kube/podstate.ts";
import { scan } from "../../kube/scan.ts";
import { byKind, type Resource } from "../../kube/discovery.ts";
import { endpointsOf, type EndpointSlice } from "../../kube/endpoints.ts";
import { getObject } from "../../kube/request.ts";
import { nodesOf, ownerTree, type OwnerNode } from "../../kube/tree.ts";
import { formatRoute } from "../../page/route.ts";
import { base } from "../../ui/base.ts";
import { glyph, glyphStyle } from "../../ui/glyph.ts";
import { ObjectTab } from "./tab.ts";
import { tabStyle } from "./tab-style.ts";

/** Slices that are read: each has up to a hundred endpoints. */
const MOST_SLICES = 20;

/** Milliseconds after a change of the object before its tree is read again. */
const SETTLES = 700;

/** Who owns the object and what it owns, by ownerReferences alone, whatever the kinds. */
export class TreeTab extends ObjectTab {
  static override properties = {
    ...ObjectTab.properties,
    tree: { state: true },
    problem: { state: true },
  };
  static override styles = [
    base,
    glyphStyle,
    tabStyle,
    css`
      ul {
        margin: 0;
        padding: 0 0 0 16px;
        list-style: none;
      }
      .scroll > ul {
        padding: 0;
      }
      li ul {
        border-left: 1px solid var(--line);
        margin-left: 6px;
      }
      .line {
        display: flex;
        align-items: center;
        gap: 8px;
        min-height: 26px;
      }
      a {
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        color: var(--text);
        text-decoration: none;
      }
      a:hover {
        text-decoration: underline;
      }
      a[aria-current="true"] {
        font-weight: 700;
      }
      .kind,
      .age,
      .status {
        color: var(--text-2);
      }
      .age {
        margin-left: auto;
      }
    `,
  ];
  declare tree: OwnerNode | undefined;
  declare problem: string;
  #read = "";
  #stop = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#stop = new AbortController();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop.abort();
    clearTimeout(this.#timer);
    this.#read = "";
  }

  override render() {
    if (this.problem) return html`<p class="problem" role="alert">${this.problem}</p>`;
    if (!this.tree) return html`<p class="note">Asking for the owners and what they own.</p>`;
    return html`<div class="scroll">
      <ul>
        ${this.#node(this.tree)}
      </ul>
    </div>`;
  }

  protected override updated(): void {
    const { uid, resourceVersion } = this.subject.row.object.metadata;
    const version = `${uid} ${resourceVersion}`;
    if (version === this.#read) return;
    const same = this.#read.startsWith(uid);
    this.#read = version;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#load(uid), same ? SETTLES : 0);
  }

  async #load(uid: string): Promise<void> {
    const { namespace } = this.subject.row.object.metadata;
    try {
      const resources = await this.on.session.catalog.use();
      const listed = await scan(this.on.session.fetch, resources, namespace, this.#stop.signal);
      const tree = ownerTree(listed, uid);
      if (tree) await this.#lead(tree, resources);
      this.tree = tree;
      this.problem = this.tree ? "" : "The API lists it nowhere: it has been deleted.";
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.problem = reason(error);
    }
  }

  /** A Service owns slices, and slices own nothing: what they lead to are pods. */
  async #lead(tree: OwnerNode, resources: readonly Resource[]): Promise<void> {
    const pods = byKind(resources, "v1", "Pod");
    const slices = nodesOf(tree).filter(({ resource }) => resource.kind === "EndpointSlice");
    if (!pods) return;
    const read = slices.slice(0, MOST_SLICES).map(async (node) => {
      const { namespace, name } = node.metadata;
      const place = placeOf(node.resource, namespace, name);
      const slice = (await getObject(this.on.session.fetch, place)) as EndpointSlice;
      for (const { target } of endpointsOf([slice])) {
        if (target?.kind !== "Pod") continue;
        const metadata = { ...target, resourceVersion: "" };
        node.children.push({ resource: pods, metadata, children: [], led: true });
      }
    });
    await Promise.all(read);
  }

  #node({ resource, metadata, children, led = false }: OwnerNode): TemplateResult {
    const place = placeOf(resource, metadata.namespace, metadata.name);
    const pod = this.on.session.pods.state.rows.get(metadata.uid);
    const here = metadata.uid === this.subject.row.object.metadata.uid;
    return html`<li>
      <div class="line mono">
        ${pod ? glyph(podState(pod)) : nothing}
        <a
          href=${formatRoute(objectRoute(place, "tree"))}
          aria-current=${here}
          title=${metadata.name}
          ><span class="kind">${resource.kind}/</span>${metadata.name}</a
        >
        ${pod ? html`<span class="status">${podState(pod) === "standin" ? "stand-in" : pod.cells.Status}</span>` : nothing}
        <span class="age">${led ? "serves" : age(metadata.creationTimestamp, Date.now())}</span>
      </div>
      ${
        children.length > 0
          ? html`<ul>
              ${children.map((child) => this.#node(child))}
            </ul>`
          : nothing
      }
    </li>`;
  }
}

define("tn-object-tree", TreeTab);
