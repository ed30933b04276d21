import { html, LitElement, nothing } from "lit";
import { difference } from "../../editor/difference.ts";
import type {
  EtcdEntry,
  EtcdHistory,
  EtcdObject,
  EtcdPage,
  EtcdVersion,
  EtcdWatching,
} from "../../rpc/protocol.ts";
import { reason } from "../../rpc/reason.ts";
import type { Disposable } from "../../state/disposable.ts";
import type { Readable } from "../../state/store.ts";
import type { Session } from "../../session/session.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { counted, heldIn } from "./counted.ts";
import { named } from "./named.ts";
import { etcdStyle } from "./style.ts";

/** Milliseconds between two looks at what changes by itself, while somebody looks. */
const EVERY = 2000;

/** What it stands over. */
export interface EtcdNeeds {
  session: { cluster: Pick<Session["cluster"], "serving">; etcd: Session["etcd"] };
  /** Opens the trace's step of that number. */
  lookAt(step: number): void;
  /** The key that the address names; empty for none. */
  readonly chosen: Readable<string>;
  choose(key: string): void;
}

/** What lies in the store: keys as a tree, an object decoded, its history, and who watches. */
export class EtcdView extends LitElement {
  static override properties = {
    pages: { state: true },
    key: { state: true },
    object: { state: true },
    history: { state: true },
    older: { state: true },
    watching: { state: true },
    problem: { state: true },
  };
  static override styles = [base, etcdStyle];
  /** The directories that are open, with what is in them. */
  declare pages: ReadonlyMap<string, EtcdPage>;
  declare key: string;
  declare object: EtcdObject | undefined;
  declare history: EtcdHistory | undefined;
  /** The version before the one that is shown, for the difference. */
  declare older: EtcdObject | undefined;
  declare watching: EtcdWatching | undefined;
  declare problem: string;
  readonly #on: EtcdNeeds;
  #timer: ReturnType<typeof setInterval> | undefined;
  #address: Disposable | undefined;

  constructor(on: EtcdNeeds) {
    super();
    this.#on = on;
    this.pages = new Map();
    this.key = "";
    this.problem = "";
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const { serving } = this.#on.session.cluster;
    serving.then(
      () => void this.#refresh().then(() => this.#arrive()),
      () => undefined,
    );
    this.#address = this.#on.chosen.subscribe(() => void this.#arrive());
    this.#timer = setInterval(() => {
      if (this.checkVisibility() && !document.hidden && this.pages.size > 0) void this.#refresh();
    }, EVERY);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
    this.#address?.dispose();
  }

  override render() {
    const top = this.pages.get("");
    return html`<div class="head">
        ${
          top
            ? html`<span>revision <b class="mono">${top.revision}</b></span>
                <span>${heldIn(top)}</span>
                <span
                  >${top.compacted > 0 ? `compacted up to ${top.compacted}` : "nothing compacted yet"}</span
                >`
            : html`<span>Asking the store.</span>`
        }
        ${this.problem ? html`<span class="problem" role="alert">${this.problem}</span>` : nothing}
      </div>
      <nav class="tree" aria-label="Keys">${this.#directory("")}</nav>
      <div class="detail" tabindex="0" role="region" aria-label="Key and watchers">
        ${this.key ? this.#key() : html`<p>Choose a key to see its object, decoded, and its history.</p>`}
        ${this.#watchers()}
      </div>`;
  }

  #directory(prefix: string): unknown {
    const page = this.pages.get(prefix);
    if (!page) return nothing;
    return html`<ul>
      ${page.entries.map((entry) => html`<li>${this.#entry(entry, prefix)}</li>`)}
      ${
        page.more
          ? html`<li>
              <button class="entry" @click=${() => void this.#more(prefix, page)}>more</button>
            </li>`
          : nothing
      }
    </ul>`;
  }

  #entry(entry: EtcdEntry, prefix: string) {
    const { name, directory = false } = entry;
    const short = name.slice(prefix.length);
    if (!directory) {
      return html`<button
        class="entry"
        aria-current=${name === this.key}
        @click=${() => this.#on.choose(name)}
      >
        ${short} <span>${said(entry)}</span>
      </button>`;
    }
    const open = this.pages.has(name);
    return html`<button class="entry" aria-expanded=${open} @click=${() => void this.#toggle(name)}>
        <span aria-hidden="true">${open ? "▾" : "▸"}</span> ${short}
        <span>${said(entry)}</span>
      </button>
      ${open ? this.#directory(name) : nothing}`;
  }

  #key() {
    const { object, history, older } = this;
    return html`<h2 class="mono">${this.key}</h2>
      ${object ? this.#object(object) : nothing}
      ${
        object?.text && older?.text
          ? html`<h3>What revision ${object.modRevision} changed</h3>
              <pre tabindex="0">
${difference(older.text, object.text).map(({ mark, text }) => line(mark, text))}</pre>`
          : nothing
      }
      ${history ? this.#versions(history) : nothing}
      ${
        object?.text
          ? html`<h3>Object</h3>
              <pre tabindex="0">${object.text}</pre>`
          : nothing
      }`;
  }

  #object(object: EtcdObject) {
    return html`<p>
        ${storedAs(object)}, ${object.bytes} bytes; made at revision ${object.createRevision},
        changed at ${object.modRevision}${object.lease ? `, lease ${object.lease}` : ""}.
      </p>
      ${object.problem ? html`<p class=${object.encryption ? nothing : "problem"}>${object.problem}</p>` : nothing}
      ${
        object.withheld
          ? html`<p>
              Values of the Secret are left out.
              <button class="quiet" @click=${() => void this.#show(object.modRevision, true)}>
                Show them
              </button>
            </p>`
          : nothing
      }`;
  }

  #versions({ versions, more, begins, compacted }: EtcdHistory) {
    return html`<h3>History</h3>
      <div class="scroll" tabindex="0" role="region" aria-label="History">
        <table>
          <thead>
            <tr>
              <th>Revision</th>
              <th>Change</th>
              <th>Bytes</th>
              <th>Step</th>
            </tr>
          </thead>
          <tbody>
            ${versions.map((version) => this.#version(version))}
          </tbody>
        </table>
      </div>
      ${more ? html`<p>Older versions are held, too.</p>` : !begins && compacted > 0 ? html`<p>Older versions are compacted.</p>` : nothing}`;
  }

  #version({ revision, change, bytes, step }: EtcdVersion) {
    return html`<tr>
      <td>
        ${
          change === "delete"
            ? revision
            : html`<button
                class="quiet"
                aria-pressed=${this.object?.modRevision === revision}
                @click=${() => void this.#show(revision)}
              >
                ${revision}
              </button>`
        }
      </td>
      <td>${change}</td>
      <td>${bytes}</td>
      <td>
        ${step ? html`<button class="quiet" @click=${() => this.#on.lookAt(step)}>Show the step</button>` : nothing}
      </td>
    </tr>`;
  }

  #watchers() {
    const { watching } = this;
    if (!watching) return nothing;
    return html`<h2>Watchers</h2>
      <p>
        Who is told of changes, and how far. Most are kube-apiserver itself, which watches each
        resource for all its clients.
      </p>
      <div class="scroll" tabindex="0" role="region" aria-label="Watchers">
        <table class="watchers">
          <thead>
            <tr>
              <th>Watches</th>
              <th>Since</th>
              <th>From</th>
              <th>Events</th>
              <th>Not told yet</th>
            </tr>
          </thead>
          <tbody>
            ${watching.watchers.map(
              ({ key, prefix, end, began, from, events, lag }) =>
                html`<tr>
                  <td class="mono">${key}${prefix ? "*" : end ? ` … ${end}` : ""}</td>
                  <td>${new Date(began).toLocaleTimeString("en-GB")}</td>
                  <td>${from}</td>
                  <td>${events}</td>
                  <td>
                    ${lag === 0 ? "nothing" : `${lag} ${lag === 1 ? "revision" : "revisions"}`}
                  </td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      ${watching.more ? html`<p>and ${watching.more} more</p>` : nothing}`;
  }

  async #toggle(name: string): Promise<void> {
    if (this.pages.has(name)) {
      this.pages = new Map([...this.pages].filter(([open]) => !open.startsWith(name)));
      return;
    }
    await this.#try(async () => this.#put(name, await this.#on.session.etcd.keys(name)));
  }

  async #more(prefix: string, page: EtcdPage): Promise<void> {
    await this.#try(async () => {
      const next = await this.#on.session.etcd.keys(prefix, page.entries.at(-1)?.name);
      this.#put(prefix, { ...next, entries: [...page.entries, ...next.entries] });
    });
  }

  /** Shows the key that the address names, with the directories that it lies in. */
  async #arrive(): Promise<void> {
    const key = this.#on.chosen.state;
    if (key === this.key || this.pages.size === 0) return;
    const loaded = this.#load(key);
    let directory = "";
    while (key === this.#on.chosen.state) {
      const inside = this.pages
        .get(directory)
        ?.entries.find((entry) => entry.directory && key.startsWith(entry.name));
      if (!inside) break;
      directory = inside.name;
      if (this.pages.has(directory)) continue;
      const name = directory;
      await this.#try(async () => this.#put(name, await this.#on.session.etcd.keys(name)));
      if (!this.pages.has(name)) break;
    }
    await loaded;
  }

  async #load(key: string): Promise<void> {
    this.key = key;
    this.object = undefined;
    this.history = undefined;
    this.older = undefined;
    if (key === "") return;
    await this.#try(async () => {
      const history = await this.#on.session.etcd.history(key);
      if (this.key !== key) return;
      this.history = history;
      await this.#show(history.versions.find(({ change }) => change !== "delete")?.revision ?? 0);
    });
  }

  /** One version of the key, and the one before it if there is one. */
  async #show(revision: number, secrets = false): Promise<void> {
    const { key, history } = this;
    await this.#try(async () => {
      const { etcd } = this.#on.session;
      const versions = history?.versions ?? [];
      const older = versions[versions.findIndex((v) => v.revision === revision) + 1];
      const [object, before] = await Promise.all([
        etcd.object(key, { revision, secrets }),
        older && older.change !== "delete"
          ? etcd.object(key, { revision: older.revision, secrets })
          : undefined,
      ]);
      if (this.key !== key) return;
      this.object = object;
      this.older = before;
    });
  }

  /** What changes by itself: what is open of the tree, the history, and who watches. */
  async #refresh(): Promise<void> {
    await this.#try(async () => {
      const { etcd } = this.#on.session;
      const { key } = this;
      const names = this.pages.size > 0 ? [...this.pages.keys()] : [""];
      const [watching, history, ...pages] = await Promise.all([
        etcd.watchers(),
        key ? etcd.history(key) : undefined,
        ...names.map((name) => etcd.keys(name, "", this.pages.get(name)?.entries.length ?? 0)),
      ]);
      const next = new Map(this.pages);
      names.forEach((name, i) => {
        const page = pages[i];
        if (page && (name === "" || this.pages.has(name))) next.set(name, page);
      });
      this.pages = next;
      this.watching = watching;
      if (history && this.key === key) this.history = history;
    });
  }

  #put(name: string, page: EtcdPage): void {
    this.pages = new Map(this.pages).set(name, page);
  }

  async #try(run: () => Promise<void>): Promise<void> {
    try {
      await run();
      this.problem = "";
    } catch (error) {
      this.problem = `The store could not be read: ${reason(error)}`;
    }
  }
}

/** What lies there, and in which form: of a Secret, that nobody encrypted it. */
function storedAs({ kind, apiVersion, encoding, encryption }: EtcdObject): string {
  if (encryption) {
    const { provider, key } = encryption;
    return `Encrypted by ${provider}, ${provider.startsWith("kms") ? key : `with the key ${key}`}`;
  }
  const what = [kind, apiVersion].filter(Boolean).join(", ") || "no object";
  return `${what}; stored as ${encoding}${kind === "Secret" ? ", not encrypted" : ""}`;
}

function line(mark: string, text: string) {
  const said = `${mark} ${text}\n`;
  return mark === "+" ? html`<ins>${said}</ins>` : mark === "-" ? html`<del>${said}</del>` : said;
}

/** What a key holds if its name does not say it, and how many there are. */
function said(entry: EtcdEntry): string {
  return [named(entry.name), counted(entry)].filter(Boolean).join(" · ");
}

define("tn-etcd", EtcdView);
