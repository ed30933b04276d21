import { html, LitElement, nothing } from "lit";
import { changed, fileNames, fileOf, nameProblem, says } from "../../configuration/draft.ts";
import { FLAGS, switchPlugin } from "../../configuration/flags.ts";
import { filesOf, FORMS, TEMPLATES, type Template } from "../../configuration/tables.ts";
import type { ConfigurationFiles, Configured } from "../../rpc/protocol.ts";
import { reason } from "../../rpc/reason.ts";
import type { Session } from "../../session/session.ts";
import type { Disposable } from "../../state/disposable.ts";
import type { Readable } from "../../state/store.ts";
import { ask } from "../../ui/ask.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { AuditView } from "./audit.ts";
import { AccessControlsView } from "./access-controls.ts";
import { openFile, type FileText } from "./file-text.ts";
import { RightsView } from "./rights.ts";
import { configurationStyle } from "./style.ts";
import { configuredWords, inForceWords } from "./words.ts";

/** What it stands over. */
export interface ConfigurationNeeds {
  session: Pick<Session, "controlPlane" | "fetch" | "trace"> & {
    cluster: Pick<Session["cluster"], "config">;
  };
  /** What the address names: "files/audit.yaml", "access", "rights", "audit"; empty for the beginning. */
  readonly chosen: Readable<string>;
  choose(part: string): void;
  /** Opens the trace's step of that number. */
  lookAt(step: number): void;
  /** Writes a line into the terminal without running it. */
  write(line: string): void;
  /** Ends this cluster, and starts a new one with these files. */
  startAnew(files: ConfigurationFiles): void;
}

/** Of core/cluster's Configure, about flags that a running cluster does not take. */
const AT_START = "takes effect only when a cluster starts";

const PARTS = [
  ["", "Begin"],
  ["access", "What a request passes"],
  ["rights", "Who may do what"],
  ["audit", "Audit"],
] as const;

/** The control plane's files: edited as a draft, checked, put into force, and taken back. */
export class ConfigurationView extends LitElement {
  static override properties = {
    place: { state: true },
    inForce: { state: true },
    draft: { state: true },
    undoable: { state: true },
    busy: { state: true },
    said: { state: true },
    problems: { state: true },
  };
  static override styles = [base, configurationStyle];
  declare place: string;
  /** Undefined until the cluster has said it. */
  declare inForce: ConfigurationFiles | undefined;
  declare draft: ConfigurationFiles;
  /** How many configurations there are to go back to. */
  declare undoable: number;
  /** What is being done; empty for nothing. */
  declare busy: string;
  declare said: { text: string; failed: boolean };
  /** What upstream would refuse of the draft, as it was when it was checked. */
  declare problems: readonly string[];
  readonly #on: ConfigurationNeeds;
  readonly #accessControls: AccessControlsView;
  readonly #rights: RightsView;
  readonly #audit: AuditView;
  #address: Disposable | undefined;
  /** A line to see a file's template with, by the file's name. */
  readonly #tries = new Map<string, string>();
  #text: (FileText & { name: string }) | undefined;
  /** What #text marks. */
  #marked: readonly string[] = [];

  constructor(on: ConfigurationNeeds) {
    super();
    this.#on = on;
    this.place = on.chosen.state;
    this.inForce = undefined;
    this.draft = {};
    this.undoable = 0;
    this.busy = "";
    this.said = { text: "", failed: false };
    this.problems = [];
    const { session } = on;
    this.#accessControls = new AccessControlsView({
      session,
      lookAt: (step) => on.lookAt(step),
      flags: () => this.draft[FLAGS] ?? "",
      switch: (name, wanted, byDefault) =>
        this.#put({ [FLAGS]: switchPlugin(this.draft[FLAGS] ?? "", name, wanted, byDefault) }),
    });
    this.#rights = new RightsView({ session });
    this.#audit = new AuditView({ session, choose: (part) => on.choose(part) });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#address = this.#on.chosen.subscribe(() => (this.place = this.#on.chosen.state));
    void this.#read();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#address?.dispose();
    this.#text?.dispose();
    this.#text = undefined;
  }

  override render() {
    return html`${this.#head()}
      <label class="small"
        >Show
        <select
          @change=${(event: Event) => this.#on.choose((event.target as HTMLSelectElement).value)}
        >
          ${PARTS.map(([part, label]) => this.#option(part, label))}
          ${fileNames(this.inForce ?? {}, this.draft).map((name) => this.#option(`files/${name}`, name))}
        </select></label
      >
      <nav aria-label="Configuration">
        <ul>
          ${PARTS.map(([part, label]) => html`<li>${this.#link(part, label)}</li>`)}
        </ul>
        <h2>Files</h2>
        <ul>
          ${fileNames(this.inForce ?? {}, this.draft).map((name) => html`<li>${this.#link(`files/${name}`, name, this.#mark(name))}</li>`)}
        </ul>
      </nav>
      <div class="panel" role="region" aria-label=${this.#label} tabindex="0">
        ${this.#panel()}
      </div>`;
  }

  override updated(): void {
    const name = this.#file;
    if (this.#text && this.#text.name !== name) {
      this.#text.dispose();
      this.#text = undefined;
    }
    const parent = this.renderRoot.querySelector<HTMLElement>(".text");
    if (!parent || name === undefined || this.inForce === undefined) return;
    const text = this.draft[name] ?? "";
    if (this.#text) this.#text.show(text);
    else {
      const opened = openFile(parent, name, text, (next) => {
        if ((this.draft[name] ?? "") !== next) this.draft = { ...this.draft, [name]: next };
      });
      this.#text = { ...opened, name };
      this.#marked = [];
    }
    if (this.#marked === this.problems) return;
    this.#marked = this.problems;
    this.#text.mark(this.#problemsOf(name));
  }

  /** The file that is looked at; undefined for none. */
  get #file(): string | undefined {
    const [where, name = ""] = this.place.split("/", 2);
    return where === "files" && nameProblem(name) === "" ? name : undefined;
  }

  get #label(): string {
    return this.#file ?? PARTS.find(([part]) => part === this.place)?.[1] ?? "Begin";
  }

  get #changed(): string[] {
    return this.inForce ? changed(this.inForce, this.draft) : [];
  }

  #head() {
    const some = this.#changed;
    const idle = this.busy === "" && this.inForce !== undefined;
    return html`<div class="head">
      <span class="state"
        >${this.busy || inForceWords(this.inForce, some, this.#on.session.cluster.config.keep)}</span
      >
      <button class="button" ?disabled=${!idle} @click=${() => void this.#check()}>Check</button>
      <button
        class="button primary"
        ?disabled=${!idle || some.length === 0}
        @click=${() => void this.#configure()}
      >
        Put into force
      </button>
      <button class="button" ?disabled=${!idle || some.length === 0} @click=${this.#discard}>
        Discard
      </button>
      <button
        class="button"
        ?disabled=${!idle || this.undoable === 0}
        title="Puts the configuration before this one into force. It asks no API."
        @click=${() => void this.#restore()}
      >
        Undo
      </button>
      ${
        this.said.text === ""
          ? nothing
          : html`<p
              class="said"
              role=${this.said.failed ? "alert" : "status"}
              tabindex="0"
              ?data-failed=${this.said.failed}
            >
              <span class="lines">${this.said.text}</span>
            </p>`
      }
      ${
        this.problems.some((problem) => problem.includes(AT_START))
          ? html`<button class="button" ?disabled=${!idle} @click=${() => void this.#startAnew()}>
              Start a new cluster with it…
            </button>`
          : nothing
      }
    </div>`;
  }

  #link(part: string, label: string, mark: unknown = nothing) {
    return html`<button
      class=${part.startsWith("files/") ? "mono" : ""}
      aria-current=${part === this.place}
      @click=${() => this.#on.choose(part)}
    >
      <span>${label}</span> ${mark}
    </button>`;
  }

  #option(part: string, label: string) {
    return html`<option value=${part} ?selected=${part === this.place}>${label}</option>`;
  }

  #mark(name: string): unknown {
    if (this.#problemsOf(name).length > 0)
      return html`<span class="mark" data-failed>refused</span>`;
    if (this.#changed.includes(name)) return html`<span class="mark">changed</span>`;
    return says(this.inForce ?? {}, name) ? html`<span class="mark">in force</span>` : nothing;
  }

  #problemsOf(name: string): string[] {
    const names = fileNames(this.inForce ?? {}, this.draft);
    return this.problems.filter((problem) => fileOf(problem, names) === name);
  }

  #panel(): unknown {
    const name = this.#file;
    if (name !== undefined) return this.#fileOf(name);
    switch (this.place) {
      case "access":
        return this.#accessControls;
      case "rights":
        return this.#rights;
      case "audit":
        return this.#audit;
      default:
        return this.#begin();
    }
  }

  #fileOf(name: string) {
    const form = FORMS.find(({ file }) => file === name);
    const problems = this.#problemsOf(name);
    const line = this.#tries.get(name);
    return html`<div class="about">
        <h2>${form?.label ?? name}</h2>
        <p>
          ${
            form?.is ??
            html`What another file refers to, as <code class="mono">$(CONFIG_DIR)/${name}</code>.`
          }
        </p>
        ${
          line
            ? html`<p>
                Once it is in force: <code class="mono">${line}</code>
                <button class="quiet" @click=${() => this.#on.write(line)}>Type it</button>
              </p>`
            : nothing
        }
      </div>
      ${
        problems.length > 0
          ? html`<p class="problems" role="alert">
              <span class="lines">${problems.join("\n")}</span>
            </p>`
          : nothing
      }
      <div class="text"></div>`;
  }

  #begin() {
    return html`<div class="about">
        <h2>The control plane's configuration</h2>
        <p>
          Who is let in, who may do what, what is admitted, recorded and encrypted: files in
          Kubernetes' own forms. What you write is a draft. Check asks Kubernetes' own loaders; Put
          into force reloads the API server, or starts it anew in place: pods run on.
        </p>
        <p>
          ${
            this.#on.session.cluster.config.keep
              ? "It is kept with this cluster."
              : "This cluster is not kept: its configuration goes with the tab."
          }
          Undo goes back and asks no API, so that it works when nobody gets in any more.
        </p>
        <p>Something to begin with, put into the draft:</p>
      </div>
      <ul class="templates">
        ${TEMPLATES.map(
          (template) =>
            html`<li>
              <button class="button" @click=${() => this.#begins(template)}>
                ${template.title}
              </button>
              <span class="names mono">${Object.keys(template.files).join(", ")}</span>
            </li>`,
        )}
      </ul>
      <form class="about" @submit=${this.#add}>
        <label
          >A file that another one refers to
          <input name="name" placeholder="webhook.kubeconfig" maxlength="100" autocomplete="off"
        /></label>
        <button class="button">Add</button>
      </form>`;
  }

  /** Puts a template into the draft, and shows its first file. */
  #begins(template: Template): void {
    const files = filesOf(template);
    const names = Object.keys(files);
    const replaced = names.filter((name) => says(this.draft, name));
    this.#put(files);
    const [first = ""] = names;
    this.#tries.set(first, template.try ?? "");
    this.said = {
      text:
        replaced.length > 0
          ? `${replaced.join(", ")} said something else; Discard brings back what is in force.`
          : "",
      failed: false,
    };
    this.#on.choose(`files/${first}`);
  }

  #put(files: ConfigurationFiles): void {
    this.draft = { ...this.draft, ...files };
    this.#accessControls.requestUpdate();
  }

  readonly #add = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const name = form.querySelector("input")?.value.trim() ?? "";
    const problem = nameProblem(name);
    if (problem) {
      this.said = { text: `"${name}" is no name for a file. ${problem}`, failed: true };
      return;
    }
    form.reset();
    this.#put({ [name]: this.draft[name] ?? "" });
    this.#on.choose(`files/${name}`);
  };

  readonly #discard = () => {
    this.problems = [];
    this.said = { text: "", failed: false };
    this.draft = { ...this.inForce };
    this.#accessControls.requestUpdate();
  };

  /** What is in force; a draft without changes follows it. */
  async #read(): Promise<void> {
    try {
      const { files, before } = await this.#on.session.controlPlane.configuration();
      const follows = this.#changed.length === 0;
      // What was put into the draft before the first answer stays there.
      if (this.inForce === undefined) this.draft = { ...files, ...this.draft };
      else if (follows) this.draft = { ...files };
      this.inForce = files;
      this.undoable = before;
    } catch (error) {
      this.said = { text: `Read the configuration: ${reason(error)}`, failed: true };
    }
  }

  async #check(): Promise<void> {
    await this.#do("Kubernetes reads the draft.", async () => {
      this.problems = await this.#on.session.controlPlane.check(this.draft);
      return this.problems.length === 0
        ? { text: "Nothing to object to: it can be put into force.", failed: false }
        : { text: `It would be refused:\n${this.problems.join("\n")}`, failed: true };
    });
  }

  async #configure(): Promise<void> {
    await this.#do("Putting it into force.", async () => {
      try {
        const did = await this.#on.session.controlPlane.configure(this.draft);
        this.problems = [];
        return await this.#came(did);
      } catch (error) {
        this.problems = reason(error).split("\n");
        throw error;
      }
    });
  }

  async #startAnew(): Promise<void> {
    const { keep } = this.#on.session.cluster.config;
    const yes = await ask({
      title: "Start a new cluster with this configuration?",
      text: keep
        ? `This one ends, and what is kept of it as ${keep} is deleted: objects, keys and volumes. Keep a copy in the view Clusters first.`
        : "This one ends, with all its objects.",
      verb: "Start a new cluster",
      loses: true,
    });
    try {
      if (yes) this.#on.startAnew(this.draft);
    } catch (error) {
      this.said = { text: `Hand the configuration on: ${reason(error)}`, failed: true };
    }
  }

  async #restore(): Promise<void> {
    await this.#do("Going back.", async () => {
      const did = await this.#on.session.controlPlane.restore();
      this.problems = [];
      return this.#came(did);
    });
  }

  async #came(did: Configured): Promise<ConfigurationView["said"]> {
    const { files, before } = await this.#on.session.controlPlane.configuration();
    this.inForce = files;
    this.undoable = before;
    this.draft = { ...files };
    this.#accessControls.refresh();
    return { text: configuredWords(did), failed: false };
  }

  async #do(what: string, run: () => Promise<ConfigurationView["said"]>): Promise<void> {
    if (this.busy) return;
    this.busy = what;
    this.said = { text: "", failed: false };
    try {
      this.said = await run();
    } catch (error) {
      this.said = { text: reason(error), failed: true };
    } finally {
      this.busy = "";
    }
  }
}

define("tn-configuration", ConfigurationView);
