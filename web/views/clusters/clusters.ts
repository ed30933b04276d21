import type { BootState } from "../../boot/boot.ts";
import { imageSentence } from "../../image/sentence.ts";
import type { MemoryImage } from "../../rpc/protocol.ts";
import { reason } from "../../rpc/reason.ts";
import { Watched } from "../../ui/watched.ts";
import { css, html, LitElement, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import {
  isOpen,
  nameProblem,
  persist,
  rename,
  storageState,
  type StorageState,
} from "../../kept/clusters.ts";
import { forget, listKept, type Kept } from "../../kept/kept.ts";
import type { Page } from "../../page/page.ts";
import type { Session } from "../../session/session.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { keptTableStyle, tableStyle } from "../../ui/table-style.ts";

/** What it stands over. */
export interface ClustersNeeds {
  session: Pick<Session, "api" | "cluster">;
  page: Pick<Page, "restart" | "settings">;
}

interface Listed extends Kept {
  /** A tab has it open: this one, or another. */
  open: "" | "here" | "elsewhere";
}

/** How much is sent at a time of a file that is imported, in bytes. */
const CHUNK = 256 << 10;

/** The clusters that this browser keeps, and what can be done with each. */
export class ClustersView extends LitElement {
  static override properties = {
    clusters: { state: true },
    storage: { state: true },
    said: { state: true },
    busy: { state: true },
    asking: { state: true },
    name: { state: true },
    secrets: { state: true },
  };
  static override styles = [
    base,
    tableStyle,
    keptTableStyle,
    css`
      .page {
        max-width: 900px;
      }
      input[type="text"] {
        width: 22ch;
      }
      td.name {
        overflow-wrap: anywhere;
        white-space: normal;
      }
    `,
  ];
  /** Undefined until they are read, or where nothing can be kept. */
  declare clusters: readonly Listed[] | undefined;
  declare storage: StorageState | undefined;
  declare said: { text: string; failed: boolean };
  declare busy: boolean;
  /** What is asked of one of them. */
  declare asking: { what: "rename" | "delete"; of: string } | undefined;
  declare name: string;
  declare secrets: boolean;
  readonly #on: ClustersNeeds;
  readonly #boot: Watched<BootState>;
  readonly #image: Watched<MemoryImage | undefined>;
  #ticker: ReturnType<typeof setInterval> | undefined;

  constructor(on: ClustersNeeds) {
    super();
    this.#on = on;
    this.#boot = new Watched(this, on.session.cluster.boot);
    this.#image = new Watched(this, on.session.cluster.image);
    this.clusters = undefined;
    this.storage = undefined;
    this.said = { text: "", failed: false };
    this.busy = false;
    this.asking = undefined;
    this.name = "";
    this.secrets = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#try("", () => Promise.resolve(""));
    if (this.#on.session.cluster.config.resume) {
      this.#ticker = setInterval(() => this.requestUpdate(), 1000);
    }
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#ticker);
  }

  get #here(): string {
    return this.#on.session.cluster.config.keep ?? "";
  }

  override render() {
    return html`<div class="page">
      <h2>Clusters in this browser</h2>
      <p class="quiet-text">
        ${
          this.#here
            ? html`This tab runs <b>${this.#here}</b>. ${this.#keeps()}`
            : "The cluster of this tab is not kept: it ends with the tab. Keep a copy of it below, or switch on in Settings that the next one is kept."
        }
      </p>
      ${
        this.#on.session.cluster.config.resume
          ? html`<p class="quiet-text" data-image>
              ${imageSentence(this.#image.state, Date.now())}
            </p>`
          : nothing
      }
      ${this.#list()}
      <h2>This cluster</h2>
      <div class="row">
        <input
          type="text"
          aria-label="Name of the copy"
          placeholder="Name, such as my-copy"
          maxlength="40"
          .value=${this.name}
          @input=${(event: Event) => (this.name = (event.target as HTMLInputElement).value)}
        />
        <button class="button" ?disabled=${this.busy || this.name === ""} @click=${this.#duplicate}>
          Keep a copy
        </button>
        <span class="quiet-text"
          >All objects, the configuration, up to 64 MiB of what is in volumes of nodes in the tab,
          new keys, and no moments to go back to: another cluster, that this one's kubeconfigs and
          nodes do not know.</span
        >
      </div>
      <div class="row">
        <button class="button" ?disabled=${this.busy} @click=${this.#export}>Export a file</button>
        <label
          ><input
            type="checkbox"
            .checked=${this.secrets}
            @change=${(event: Event) => (this.secrets = (event.target as HTMLInputElement).checked)}
          />
          with Secrets and keys</label
        >
        <span class="quiet-text"
          >${
            this.secrets
              ? "Whoever has the file has the cluster: its CA's key is in it. Files of volumes and moments to go back to are not."
              : "Nothing secret is in it: no Secrets, no keys, no configuration that has any; and no files of volumes, and no moments to go back to."
          }</span
        >
      </div>
      <div class="row">
        <button class="button" ?disabled=${this.busy} @click=${this.#manifest}>
          Download as YAML
        </button>
        <span class="quiet-text"
          >What people made, in order, for kubectl apply on any other
          cluster${this.secrets ? ", Secrets too" : ", without Secrets"}.</span
        >
      </div>
      <div class="row">
        <a href="#/checkpoints">Go back to an earlier moment of this cluster</a>
      </div>
      <h2>Import</h2>
      <div class="row">
        <input
          type="text"
          aria-label="Name of the imported cluster"
          placeholder="Name, such as demo"
          maxlength="40"
          id="import-name"
        />
        <input
          type="file"
          aria-label="File of a cluster"
          accept=".tar"
          ?disabled=${this.busy}
          @change=${this.#import}
        />
        <span class="quiet-text"
          >A file that Export wrote, or <code>tar -cf FILE store cluster</code> in nodehost's
          --data-dir.</span
        >
      </div>
      <h2>Storage</h2>
      ${this.#storageState()}
      <p role="status" ?data-failed=${this.said.failed}>${this.said.text}</p>
    </div>`;
  }

  /** Whether it went on from its memory, or why it did not. */
  #began() {
    const { detail } = this.#boot.state.steps.store;
    return this.#on.session.cluster.config.resume && detail !== undefined
      ? ` In this tab it has ${detail}.`
      : "";
  }

  /** What happens with the cluster that this tab was to keep. */
  #keeps() {
    const refused = /not kept, it ends with this tab: (.*?)\.?$/.exec(
      this.#boot.state.steps.store.detail ?? "",
    )?.[1];
    return refused !== undefined
      ? `It was to be kept, and is not: it ends with this tab. The reason: ${refused}.`
      : `What happens in it is kept as it happens.${this.#began()}`;
  }

  #list() {
    const { clusters } = this;
    if (!clusters) return nothing;
    if (clusters.length === 0) return html`<p class="quiet-text">None is kept yet.</p>`;
    return html`<table>
      <thead>
        <tr>
          <th>Name</th>
          <th>Size</th>
          <th></th>
        </tr>
      </thead>
      <tbody>
        ${repeat(
          clusters,
          ({ name }) => name,
          (cluster) =>
            html`<tr>
              <td class="name mono">${cluster.name}</td>
              <td class="mono">${megabytes(cluster.bytes)}</td>
              <td><div class="acts">${this.#acts(cluster)}</div></td>
            </tr>`,
        )}
      </tbody>
    </table>`;
  }

  #acts({ name, open }: Listed) {
    const { asking } = this;
    if (open === "here") return html`<span class="quiet-text">runs in this tab</span>`;
    if (open === "elsewhere") {
      return html`<span class="quiet-text">runs in another tab</span>
        <button class="button" ?disabled=${this.busy} @click=${() => this.#open(name)}>
          Open here
        </button>`;
    }
    if (asking?.of === name && asking.what === "delete") {
      return html`<span>Everything in it is lost.</span>
        <button
          class="button primary"
          data-loses
          ?disabled=${this.busy}
          @click=${() => this.#delete(name)}
        >
          Delete ${name}
        </button>
        <button class="quiet" @click=${() => (this.asking = undefined)}>Keep it</button>`;
    }
    if (asking?.of === name) {
      return html`<input type="text" aria-label="New name" maxlength="40" .value=${name} />
        <button
          class="button"
          ?disabled=${this.busy}
          @click=${(event: Event) => this.#rename(name, event)}
        >
          Rename
        </button>
        <button class="quiet" @click=${() => (this.asking = undefined)}>Cancel</button>`;
    }
    return html`<button class="button" ?disabled=${this.busy} @click=${() => this.#open(name)}>
        Open
      </button>
      <button class="quiet" @click=${() => (this.asking = { what: "rename", of: name })}>
        Rename
      </button>
      <button class="quiet" @click=${() => (this.asking = { what: "delete", of: name })}>
        Delete
      </button>`;
  }

  #storageState() {
    const { storage } = this;
    if (!storage) return html`<p class="quiet-text">This browser does not say.</p>`;
    const room =
      storage.usage !== undefined && storage.quota !== undefined
        ? `${megabytes(storage.usage)} of ${megabytes(storage.quota)} are used by this page.`
        : "";
    if (storage.persisted) {
      return html`<p class="quiet-text">${room} The browser keeps it until you delete it.</p>`;
    }
    return html`<p class="quiet-text">
        ${room} The browser may delete it when space becomes scarce, and private windows forget it
        when they close. Export what you cannot lose.
      </p>
      <div class="row">
        <button class="button" ?disabled=${this.busy} @click=${this.#persist}>
          Ask the browser to keep it
        </button>
      </div>`;
  }

  /** Does something, says how it went, and reads what there is then. */
  async #try(doing: string, work: () => Promise<string>): Promise<void> {
    this.busy = true;
    if (doing) this.said = { text: `${doing} …`, failed: false };
    let said: { text: string; failed: boolean };
    try {
      said = { text: await work(), failed: false };
    } catch (error) {
      said = { text: `${doing}: ${reason(error)}`, failed: true };
    }
    try {
      const kept = await listKept();
      const open = async ({ name }: Kept) =>
        name === this.#here ? "here" : (await isOpen(name)) ? "elsewhere" : "";
      this.clusters = await Promise.all(
        kept.map(async (one) => ({ ...one, open: await open(one) })),
      );
      this.storage = await storageState();
    } catch (error) {
      this.clusters = undefined;
      said = { text: `Nothing can be kept here: ${reason(error)}`, failed: true };
    }
    this.said = said;
    this.busy = false;
  }

  #open(name: string): void {
    this.#on.page.settings.dispatch({ keep: true, cluster: name });
    this.#on.page.restart();
  }

  readonly #delete = (name: string) => {
    this.asking = undefined;
    void this.#try(`Delete ${name}`, async () => {
      await forget(name);
      return `${name} is deleted.`;
    });
  };

  #rename(name: string, event: Event): void {
    const to = (event.target as HTMLElement).parentElement?.querySelector("input")?.value ?? "";
    void this.#try(`Rename ${name}`, async () => {
      await rename(name, to);
      this.asking = undefined;
      const { keep, cluster } = this.#on.page.settings.state;
      if (keep && cluster === name) this.#on.page.settings.dispatch({ cluster: to });
      return `${name} is called ${to} now.`;
    });
  }

  readonly #duplicate = () => {
    const { name } = this;
    void this.#try(`Keep a copy as ${name}`, async () => {
      await this.#free(name);
      const { left } = await this.#on.session.cluster.client.call("copyCluster", { name }).result;
      this.name = "";
      const files = left ? `, and not all that is in its volumes: ${left}` : " and its volumes";
      return `${name} has all objects of this cluster${files}. Open it when you like.`;
    });
  };

  async #free(name: string): Promise<void> {
    const problem = nameProblem(name, await listKept());
    if (problem) throw new Error(problem);
  }

  readonly #export = () => {
    void this.#try("Export", async () => {
      const parts: BlobPart[] = [];
      await this.#on.session.cluster.client.call(
        "exportCluster",
        { secrets: this.secrets },
        { data: (chunk) => void parts.push(chunk.slice()) },
      ).result;
      const file = new Blob(parts, { type: "application/x-tar" });
      download(file, `${this.#here || "tabernetes"}.tar`);
      return `${megabytes(file.size)}, without the files of volumes. A native cluster goes on from it: mkdir DIR && tar -xf FILE -C DIR && nodehost serve --control-plane=native --data-dir DIR`;
    });
  };

  readonly #manifest = () => {
    void this.#try("Read every object", async () => {
      const parts: BlobPart[] = [];
      const { objects } = await this.#on.session.cluster.client.call(
        "manifest",
        { secrets: this.secrets },
        { data: (chunk) => void parts.push(chunk.slice()) },
      ).result;
      download(new Blob(parts, { type: "application/yaml" }), `${this.#here || "tabernetes"}.yaml`);
      return `${objects} objects. Apply them elsewhere: kubectl apply --server-side -f FILE`;
    });
  };

  readonly #import = (event: Event) => {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    if (!file) return;
    const name = this.renderRoot.querySelector<HTMLInputElement>("#import-name")?.value ?? "";
    void this.#try(`Import ${file.name}`, async () => {
      try {
        await this.#free(name);
        const call = this.#on.session.cluster.client.call("importCluster", { name });
        const sending = { failed: false };
        call.result.catch(() => (sending.failed = true));
        for (let at = 0; at < file.size && !sending.failed; at += CHUNK) {
          call.send(new Uint8Array(await file.slice(at, at + CHUNK).arrayBuffer()));
        }
        call.end();
        const { revision, objects } = await call.result;
        return `${name} has ${objects} objects, at revision ${revision}. Open it when you like.`;
      } finally {
        input.value = "";
      }
    });
  };

  readonly #persist = () => {
    void this.#try("Ask the browser", async () =>
      (await persist())
        ? "The browser keeps it until you delete it."
        : "The browser refuses for now. Browsers agree to pages that are bookmarked, installed, or visited often.",
    );
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function download(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

define("tn-clusters", ClustersView);
