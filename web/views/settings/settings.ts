import { messageOf } from "../../rpc/reason.ts";
import { define } from "../../ui/define.ts";
import { css, html, LitElement, nothing } from "lit";
import { imageSentence } from "../../image/sentence.ts";
import type { Session } from "../../session/session.ts";
import { listKept, type Kept } from "../../kept/kept.ts";
import { persist } from "../../kept/clusters.ts";
import type { Offline } from "../../offline/offline.ts";
import type { Page } from "../../page/page.ts";
import type { ClusterConfig, ConfigFiles } from "../../rpc/protocol.ts";
import { clusterConfig, type Settings } from "../../page/settings.ts";
import { Watched } from "../../ui/watched.ts";
import { base } from "../../ui/base.ts";
import { tableStyle } from "../../ui/table-style.ts";

const NOTHING: ConfigFiles = { schedulerConfig: "", admissionConfig: "" };

/** What it stands over. */
export interface SettingsNeeds {
  session: Pick<Session, "api" | "cluster">;
  page: Pick<Page, "offline" | "restart" | "settings">;
}

/** What the page remembers, and what the next cluster is made of. */
export class SettingsView extends LitElement {
  static override properties = {
    said: { state: true },
    refused: { state: true },
    kept: { state: true },
  };
  static override styles = [
    base,
    tableStyle,
    css`
      .page {
        max-width: 760px;
        gap: 4px;
      }
      h2 {
        margin: 12px 0 4px;
        font-size: var(--size-m);
        font-weight: 600;
      }
      .row {
        display: grid;
        grid-template-columns: 160px 1fr;
        align-items: baseline;
        gap: 4px 16px;
        padding: 4px 0;
      }
      input,
      select,
      textarea {
        padding: 2px 6px;
        border: 1px solid var(--line-strong);
        border-radius: 4px;
        background: var(--raised);
        color: var(--text);
        font: var(--size-s) var(--mono);
      }
      input[type="number"] {
        width: 10ch;
      }
      textarea {
        width: 100%;
        min-height: 96px;
      }
      .refused {
        grid-column: 2;
        color: var(--failing);
        font-size: var(--size-s);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .buttons {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
        margin-top: 8px;
      }
      @media (max-width: 799px) {
        .row {
          grid-template-columns: 1fr;
        }
        .refused {
          grid-column: 1;
        }
      }
    `,
  ];
  declare said: string;
  /** What a new cluster would refuse of its files. */
  declare refused: ConfigFiles;
  /** What this browser keeps; undefined where it cannot be asked. */
  declare kept: Kept[] | undefined;
  readonly #on: SettingsNeeds;
  readonly #settings;
  readonly #offline;
  readonly #image;
  #pressed: Promise<void> = Promise.resolve();

  constructor(on: SettingsNeeds) {
    super();
    this.#on = on;
    this.said = "";
    this.refused = NOTHING;
    this.kept = undefined;
    this.#settings = new Watched(this, on.page.settings);
    this.#offline = new Watched(this, on.page.offline);
    this.#image = new Watched(this, on.session.cluster.image);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    listKept().then(
      (kept) => (this.kept = kept),
      () => (this.kept = undefined),
    );
  }

  override render() {
    const settings = this.#settings.state;
    const runs = this.#on.session.cluster.config;
    const waits = Object.entries(clusterConfig(settings)).some(
      ([key, value]) => runs[key as keyof ClusterConfig] !== value,
    );
    return html`<div class="page">
      <h2>Page</h2>
      <label class="row"
        ><span>Theme</span>
        <select @change=${this.#set("theme", String)}>
          ${(["auto", "light", "dark"] as const).map(
            (theme) =>
              html`<option value=${theme} ?selected=${theme === settings.theme}>${theme}</option>`,
          )}
        </select></label
      >
      ${this.#number("Terminal type, px", "fontSize", settings, 9, 28)}
      ${offlineRow(this.#offline.state)}
      <label class="row"
        ><span>Hints below kubectl get</span
        ><span
          ><input
            type="checkbox"
            .checked=${settings.hints}
            @change=${(event: Event) =>
              this.#on.page.settings.dispatch({
                hints: (event.target as HTMLInputElement).checked,
              })}
          />
          <span class="quiet-text"
            >One line where its table shows something that fails: why, and what looks further.</span
          ></span
        ></label
      >
      <h2>This cluster</h2>
      <p class="quiet-text">
        <a href="#/configuration">Configuration</a> changes who is let in, who may do what, what is
        admitted and recorded, while it runs.
      </p>
      <h2>Next cluster</h2>
      <p class="quiet-text">
        What follows is taken when a cluster starts: after a reset. One that is kept goes on with
        what it was configured to.
      </p>
      ${this.#number("Nodes", "nodes", settings, 0, 50)}
      ${this.#number("Cores of each", "nodeCPU", settings, 1, 64)}
      ${this.#number("Memory of each, MiB", "nodeMemory", settings, 256, 65536)}
      <label class="row"
        ><span>Images not in the tab</span
        ><span
          ><select @change=${this.#set("refuseImages", (value) => value === "true")}>
            <option value="false" ?selected=${!settings.refuseImages}>run a stand-in</option>
            <option value="true" ?selected=${settings.refuseImages}>fail to pull</option>
          </select>
          <span class="quiet-text"
            >A stand-in has a shell and its tools and otherwise idles. Its pod has a sign and a
            warning of its own.</span
          ></span
        ></label
      >
      <label class="row"
        ><span>Keep it in this browser</span
        ><span
          ><input type="checkbox" .checked=${settings.keep} @change=${this.#keep} />
          <span class="quiet-text"
            >As <b>${settings.cluster}</b>: its objects, keys, nodes and volumes survive a reload, a
            crash and a closed tab. <a href="#/clusters">Clusters</a> has all of them.
            ${this.kept
              ?.filter(({ name }) => name === settings.cluster)
              .map(({ bytes }) => `It takes ${(bytes / 1e6).toFixed(1)} MB now.`)}</span
          ></span
        ></label
      >
      ${
        settings.keep
          ? html`<label class="row"
              ><span>Keep its memory, too</span
              ><span
                ><input type="checkbox" .checked=${settings.resume} @change=${this.#resume} />
                <span class="quiet-text"
                  >An attempt: the whole of the cluster's memory, Secrets and all, lies in this
                  browser as well, and a reload goes on from there where it can. Where it cannot,
                  the cluster starts anew, and the step of the store says
                  why.${this.#on.session.cluster.config.resume ? ` ${imageSentence(this.#image.state, Date.now())}` : nothing}</span
                ></span
              ></label
            >`
          : nothing
      }
      ${this.#file(
        "Scheduler",
        "schedulerConfig",
        settings,
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: []",
      )}
      ${this.#file(
        "Admission",
        "admissionConfig",
        settings,
        "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: []",
      )}
      <div class="buttons" @pointerdown=${this.#press}>
        <button class="button primary" @click=${() => void this.#restart()}>
          ${waits ? "Start a new cluster with these settings" : "Reset: start a new cluster"}
        </button>
        <button class="button" @click=${() => void this.#download()}>
          Download everything as YAML
        </button>
      </div>
      <p role="status">${this.said}</p>
      <p class="quiet-text">
        A new cluster forgets every object of this one. Command history and settings stay in this
        browser.
      </p>
    </div>`;
  }

  #number(
    label: string,
    key: "fontSize" | "nodes" | "nodeCPU" | "nodeMemory",
    settings: Settings,
    min: number,
    max: number,
  ) {
    return html`<label class="row"
      ><span>${label}</span
      ><input
        type="number"
        min=${min}
        max=${max}
        .value=${String(settings[key])}
        @change=${this.#set(key, Number)}
    /></label>`;
  }

  #file(
    label: string,
    key: "schedulerConfig" | "admissionConfig",
    settings: Settings,
    placeholder: string,
  ) {
    return html`<label class="row"
      ><span>${label}</span
      ><textarea
        spellcheck="false"
        placeholder=${placeholder}
        .value=${settings[key]}
        aria-invalid=${this.refused[key] !== ""}
        @change=${this.#changeFile(key)}
      ></textarea>
      ${
        this.refused[key] === ""
          ? nothing
          : html`<span class="refused mono" role="alert">${this.refused[key]}</span>`
      }
    </label>`;
  }

  #changeFile(key: keyof ConfigFiles) {
    const set = this.#set(key, String);
    return (event: Event) => {
      set(event);
      void this.#check();
    };
  }

  /** Whether a new cluster would start with these settings; true, too, when nobody can say. */
  async #check(): Promise<boolean> {
    const { schedulerConfig, admissionConfig } = this.#settings.state;
    let refused = NOTHING; // a cluster that has broken down has nothing to lose
    try {
      const files = { schedulerConfig, admissionConfig };
      refused = await this.#on.session.cluster.client.call("check", files).result;
    } catch {
      // Nobody can say.
    }
    await this.#pressed;
    this.refused = refused;
    return this.refused.schedulerConfig === "" && this.refused.admissionConfig === "";
  }

  /**
   * Keeps what is said of a file back until the pointer is up. Pressing a button leaves the file's field,
   * which has it checked; an answer above the button would move it away before the click.
   */
  readonly #press = () => {
    this.#pressed = new Promise((released) => {
      const end = () => {
        removeEventListener("pointerup", end);
        removeEventListener("pointercancel", end);
        setTimeout(released); // the click comes after this event
      };
      addEventListener("pointerup", end);
      addEventListener("pointercancel", end);
    });
  };

  async #restart(): Promise<void> {
    if (await this.#check()) this.#on.page.restart(this.#on.session.cluster.config.keep);
    else this.said = "This cluster stays: a new one would not start with the files above.";
  }

  readonly #resume = (event: Event) => {
    this.#on.page.settings.dispatch({ resume: (event.target as HTMLInputElement).checked });
  };

  readonly #keep = (event: Event) => {
    const keep = (event.target as HTMLInputElement).checked;
    this.#on.page.settings.dispatch({ keep });
    // Without this the browser may delete what is kept when space becomes scarce.
    if (keep) void persist().then(this.#sayPersistent, () => this.#sayPersistent(false));
  };

  readonly #sayPersistent = (granted: boolean) => {
    this.said = granted
      ? "The next cluster is kept until you reset it."
      : "The next cluster is kept, but this browser may delete it when space becomes scarce.";
  };

  #set(key: keyof Settings, convert: (text: string) => unknown) {
    return (event: Event) => {
      const { value } = event.target as HTMLInputElement;
      this.#on.page.settings.dispatch({ [key]: convert(value) });
      this.requestUpdate();
    };
  }

  async #download(): Promise<void> {
    this.said = "Reading every object …";
    try {
      const yaml = await everything(this.#on.session);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([yaml], { type: "application/yaml" }));
      link.download = "tabernetes.yaml";
      link.click();
      URL.revokeObjectURL(link.href);
      this.said = `${yaml.split("\n---\n").length} kinds, ${Math.round(yaml.length / 1024)} kB`;
    } catch (error) {
      this.said = `Read every object: ${messageOf(error)}. Try again once the cluster is ready.`;
    }
  }
}

function offlineRow(offline: Offline) {
  if (offline.is === "unknown") return nothing;
  const words =
    offline.is === "refused"
      ? `Each visit needs the network: ${offline.why}.`
      : `A visit needs none: all of it is in this browser.${offline.newer ? " A newer version is, too; it is taken once all tabs of this page are closed." : ""}`;
  return html`<div class="row"><span>Network</span><span class="quiet-text">${words}</span></div>`;
}

/** Every object that can be listed, kind after kind, as kubectl prints it. */
async function everything({ api }: Pick<Session, "api">): Promise<string> {
  const { stdout, stderr, code } = await api.shell(
    `for kind in $(kubectl api-resources --verbs=list,create -o name | grep -v '^events'); do
       kubectl get "$kind" -A -o yaml --ignore-not-found | sed '1i---'
     done`,
    { session: "download" },
  );
  if (code !== 0) throw new Error(stderr.trim() || `exit code ${code}`);
  return stdout;
}

define("tn-settings", SettingsView);
