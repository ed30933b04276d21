import { documentsOf } from "../editor/documents.ts";
import type { Completion, ExecParams, ToPage, ToWorker } from "../rpc/protocol.ts";
import { BACKED_OFF, type FakeCluster } from "./fake-cluster.ts";
import type { FakeTrace } from "./fake-trace.ts";

const encoder = new TextEncoder();
const WORDS = ["create", "delete", "describe", "get", "logs", "scale"];

type Post = (message: ToPage) => void;

/** A few lines of a shell: enough to fill the map and to try every kind of terminal traffic. */
export class FakeShell {
  readonly #cluster: FakeCluster;
  readonly #trace: FakeTrace;
  /** What was last written by `cat`: a manifest that is opened by a link. */
  #written = "";
  readonly #receivers = new Map<number, (message: ToWorker) => void>();

  constructor(cluster: FakeCluster, trace: FakeTrace) {
    this.#cluster = cluster;
    this.#trace = trace;
  }

  receive(message: ToWorker): void {
    if (message.type !== "call") this.#receivers.get(message.id)?.(message);
  }

  /** One command after the other; a list of arguments is one, whatever they are. */
  async exec(
    { line = "", args, tty, session }: ExecParams,
    id: number,
    post: Post,
    stop: AbortSignal,
  ): Promise<{ code: number }> {
    let code = 0;
    this.#trace.session = session;
    for (const words of args ? [args] : commandsOf(line)) {
      ({ code } = await this.#run(words, tty, id, post, stop));
    }
    return { code };
  }

  async #run(
    all: readonly string[],
    tty: boolean,
    id: number,
    post: Post,
    stop: AbortSignal,
  ): Promise<{ code: number }> {
    const out = (text: string, stream: "stdout" | "stderr" = "stdout") =>
      post({ type: "data", id, stream, chunk: encoder.encode(text) });
    const words = all[0] === "k" || all[0] === "kubectl" ? all : ["", ...all];
    const [, verb, first, name] = words;
    const flag = (name: string) =>
      words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
    switch (verb) {
      case "create": {
        if (first === "ns") {
          this.#cluster.addNamespaces(name ?? "");
          return { code: 0 };
        }
        const replicas = Number(flag("replicas") ?? 1);
        const image = flag("image") ?? "nginx";
        const fate = {
          missing: "ImagePullBackOff",
          huge: "Pending",
          loop: "CrashLoopBackOff",
          waits: BACKED_OFF,
        }[image];
        if (all.includes("--namespace=nowhere")) {
          this.#trace.refused(all.join(" "), name ?? "");
          out('error: failed to create deployment: namespaces "nowhere" not found\n', "stderr");
          return { code: 1 };
        }
        // Markup is taken for a name, which no apiserver does: what shows it is tried with it.
        if (name !== undefined && /^[\w-]*[A-Z][\w-]*$/.test(name)) {
          this.#trace.invalid(all.join(" "), name);
          out(`The Deployment "${name}" is invalid: metadata.name: Invalid value\n`, "stderr");
          return { code: 1 };
        }
        const pods: { name: string; node: string }[] = [];
        for (let i = 0; i < replicas; i++) pods.push(this.#cluster.addPod(name ?? "nginx", fate));
        this.#trace.created(all.join(" "), name ?? "nginx", fate === undefined ? pods : []);
        out(`deployment.apps/${name ?? ""} created\n`);
        return { code: 0 };
      }
      case "describe":
        out(`Name:         ${first?.slice(first.indexOf("/") + 1) ?? ""}\n`);
        return { code: 0 };
      case "miss":
        this.#trace.miss(Number(first));
        return { code: 0 };
      case "get":
        this.#trace.looked(all.join(" "));
        for (const cells of [
          { Name: "NAME", Ready: "READY", Status: "STATUS", Age: "AGE" },
          ...[...this.#cluster.rows.pods.values()].map((row) => row.cells),
        ]) {
          const { Name = "", Ready = "", Status = "", Age = "3s" } = cells;
          out(`${Name.padEnd(32)} ${Ready.padEnd(7)} ${Status.padEnd(20)} ${Age}\n`);
        }
        return { code: 0 };
      case "delete":
        if (this.#cluster.deletePod(name ?? "")) {
          out(`pod "${name ?? ""}" deleted\n`);
          return { code: 0 };
        }
        out(`Error from server (NotFound): ${first ?? ""} "${name ?? ""}" not found\n`, "stderr");
        return { code: 1 };
      case "minikube": {
        const [, , , action, node = ""] = words;
        const known = { stop: "stop", start: "heal", delete: "remove" } as const;
        this.#cluster.manage({ action: known[action as keyof typeof known], name: node });
        return { code: 0 };
      }
      case "cordon":
      case "uncordon":
        this.#cluster.cordon(first ?? "", verb === "cordon");
        out(`node/${first ?? ""} ${verb}ed\n`);
        return { code: 0 };
      case "nodes":
        this.#cluster.addNodes(Number(first));
        return { code: 0 };
      case "flood":
        for (let i = 0; i < 2000; i++) out(`line ${i} `.repeat(8) + "\n");
        return { code: 0 };
      case "echo":
        out(`${words.slice(2).join(" ")}\n`);
        return { code: 0 };
      case "annotate": // --local: what kubectl reads in a manifest (web/share/agree.ts)
        for (const { apiVersion, kind, namespace, name } of documentsOf(this.#written)) {
          out(`${[apiVersion, kind, namespace, name].map(encodeURIComponent).join(" ")}\n`);
        }
        return { code: 0 };
      case "cat":
        this.#written = "";
        return this.#cat(id, tty, out, post, stop);
      case "vi":
      case "nano":
        return this.#edit(id, first ?? "", out, post);
      case "sh":
        return this.#raw(id, out, post);
      case "sleep":
        return this.#sleep(id, Number(first) * 1000, stop);
      default:
        out(`sh: ${verb ?? ""}: not found\n`, "stderr");
        return { code: 127 };
    }
  }

  complete({ line, cursor }: { line: string; cursor: number }): Completion {
    const from = line.lastIndexOf(" ", cursor - 1) + 1;
    const typed = line.slice(from, cursor);
    const all = from === 0 ? ["kubectl", "k"] : WORDS;
    return { from, words: all.filter((w) => w.startsWith(typed)).map((text) => ({ text })) };
  }

  #cat(id: number, tty: boolean, out: (t: string) => void, post: Post, stop: AbortSignal) {
    return this.#until(id, (message, end) => {
      stop.addEventListener("abort", () => end(130));
      if (message?.type === "data") {
        const text = new TextDecoder().decode(message.chunk);
        this.#written += text;
        out(text);
        if (tty) post({ type: "stdin", id });
      } else if (message?.type === "end") end(0);
      else if (message?.type === "signal") end(130);
      else if (!message && tty) post({ type: "stdin", id });
    });
  }

  /** Asks the page to edit a file and prints what came back. */
  #edit(id: number, name: string, out: (t: string) => void, post: Post) {
    return this.#until(id, (message, end) => {
      if (!message) post({ type: "edit", id, ask: 1, name, text: `# ${name}\n` });
      else if (message.type === "edited") {
        out(message.text ?? "left as it was\n");
        end(0);
      }
    });
  }

  /** Echoes each keystroke as its code until "q": what `exec -it` needs of the page. */
  #raw(id: number, out: (t: string) => void, post: Post) {
    return this.#until(id, (message, end) => {
      if (!message) {
        post({ type: "raw", id, on: true });
        out("/ # ");
      } else if (message.type === "data") {
        const text = new TextDecoder().decode(message.chunk);
        if (text !== "q") {
          out(`<${[...message.chunk].join(" ")}>`);
          return;
        }
        out("\r\n");
        post({ type: "raw", id, on: false });
        end(0);
      } else if (message.type === "resize") out(`[${message.cols}x${message.rows}]`);
    });
  }

  #sleep(id: number, milliseconds: number, stop: AbortSignal) {
    return this.#until(id, (message, end) => {
      stop.addEventListener("abort", () => end(130));
      if (!message) setTimeout(() => end(0), milliseconds);
      else if (message.type === "signal") end(130);
    });
  }

  /** Gives `step` nothing once, then every message, until it calls `end`. */
  #until(
    id: number,
    step: (message: ToWorker | undefined, end: (code: number) => void) => void,
  ): Promise<{ code: number }> {
    return new Promise((resolve) => {
      const end = (code: number) => {
        this.#receivers.delete(id);
        resolve({ code });
      };
      this.#receivers.set(id, (message) => step(message, end));
      step(undefined, end);
    });
  }
}

/** Lines taken apart at ; and spaces that no quote protects: '…', "…", \x and $'\ooo'. */
function commandsOf(line: string): string[][] {
  const commands: string[][] = [[]];
  const token = /;|\s+|(?:'[^']*'|\$'[^']*'|"[^"]*"|\\.|[^\s;'"\\])+/gs;
  for (const [text] of line.trim().matchAll(token)) {
    if (text === ";") commands.push([]);
    else if (text.trim() !== "") commands.at(-1)?.push(unquote(text));
  }
  return commands;
}

function unquote(word: string): string {
  return word.replace(/\$'([^']*)'|'([^']*)'|"([^"]*)"|\\(.)/gs, (...found: string[]) => {
    const [, octal, single, double, char] = found as (string | undefined)[];
    if (octal === undefined) return single ?? double ?? char ?? "";
    const bytes = octal.match(/\\[0-7]{3}/g) ?? [];
    return new TextDecoder().decode(Uint8Array.from(bytes, (b) => parseInt(b.slice(1), 8)));
  });
}
