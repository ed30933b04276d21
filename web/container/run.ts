import { Answers, type Answering } from "./answers.ts";
import { Files } from "./files.ts";
import {
  creditOf,
  decode,
  FROM,
  text,
  TO,
  type Message,
  type Post,
  type RequestHead,
  type Start,
} from "./message.ts";
import { describe, Output } from "./output.ts";

/** What `start` of a module is given. */
export interface Context {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly hostname: string;
  readonly files: Pick<Files, "read" | "text" | "list">;
  /** Ends the container, once what it has printed is in its log. */
  readonly exit: (code?: number) => void;
}

/** What a module of an image exports by default; docs/images.md. */
export interface ContainerModule {
  start?(context: Context): unknown;
  fetch?: Answering;
  signal?(name: string, context: Context): unknown;
}

/** Signals that end nobody who does not take them (signal(7)). */
const HARMLESS = new Set([17, 18, 19, 20, 21, 22, 23, 28]);

/** One container: a module between the cluster's messages. */
export class Run {
  readonly output: Output;
  readonly #post: Post;
  readonly #load: (address: string) => Promise<unknown>;
  readonly #answers: Answers;
  readonly #files: Files;
  /** Heads of requests whose bodies are to come. */
  readonly #heads = new Map<number, RequestHead>();
  #module: ContainerModule | undefined;
  #context: Context | undefined;
  #ends = false;

  constructor(post: Post, load: (address: string) => Promise<unknown>) {
    this.#post = post;
    this.#load = load;
    this.output = new Output(post);
    this.#answers = new Answers(post, this.output);
    this.#files = new Files(post);
  }

  hear(bytes: Uint8Array<ArrayBuffer>): void {
    const message = decode(bytes);
    const { kind, id, data } = message;
    switch (kind) {
      case FROM.start:
        void this.#start(JSON.parse(text(data)) as Start);
        break;
      case FROM.request:
        this.#request(id, JSON.parse(text(data)) as RequestHead);
        break;
      case FROM.body: {
        const head = this.#heads.get(id);
        this.#heads.delete(id);
        if (head) this.#answer(id, head, data);
        break;
      }
      case FROM.credit:
        this.#credit(message);
        break;
      case FROM.cancel:
        this.#answers.cancel(id);
        break;
      case FROM.signal:
        void this.#signal(id, text(data));
        break;
      case FROM.ping:
        this.#post(TO.pong, id);
        break;
      case FROM.file:
      case FROM.noFile:
        this.#files.answered(message, kind === FROM.file);
        break;
    }
  }

  /** What was thrown and nobody has caught ends the container, as it ends a process. */
  fail(error: unknown): void {
    this.output.stderr(`${describe(error)}\n`);
    this.#exit(1);
  }

  async #start({ module, args, env, hostname }: Start): Promise<void> {
    const files = this.#files;
    const context: Context = Object.freeze({
      args: Object.freeze(args.slice(1)),
      env: Object.freeze(Object.fromEntries(env.map(pair))),
      hostname,
      files: Object.freeze({
        read: (path: string) => files.read(path),
        text: (path: string) => files.text(path),
        list: (path: string) => files.list(path),
      }),
      exit: (code: unknown = 0) => this.#exit(Number(code)),
    });
    this.#context = context;
    try {
      this.#module = moduleOf(await this.#load(module));
    } catch (error) {
      this.output.stderr(
        `The module ${module} cannot be loaded: ${describe(error)}\n${hint(error)}`,
      );
      this.#exit(1);
      return;
    }
    this.#post(TO.ready, 0);
    try {
      const code = await this.#module.start?.(context);
      if (typeof code === "number") this.#exit(code);
      else if (this.#module.fetch) this.#post(TO.ready, 1);
      else this.#exit(0);
    } catch (error) {
      this.fail(error);
    }
  }

  #request(id: number, head: RequestHead): void {
    if (head.body) this.#heads.set(id, head);
    else this.#answer(id, head, undefined);
  }

  #answer(id: number, head: RequestHead, body: Uint8Array<ArrayBuffer> | undefined): void {
    const module = this.#module;
    void this.#answers.answer(id, head, body, (request) => {
      if (!module?.fetch) throw new TypeError("The module has no fetch()");
      return module.fetch(request);
    });
  }

  #credit(message: Message): void {
    if (message.id === 0) this.output.give(creditOf(message));
    else this.#answers.give(message.id, creditOf(message));
  }

  async #signal(number: number, name: string): Promise<void> {
    if (!this.#module?.signal || !this.#context) {
      if (!HARMLESS.has(number)) this.#exit(128 + number);
      return;
    }
    try {
      const code = await this.#module.signal(name, this.#context);
      if (typeof code === "number") this.#exit(code);
    } catch (error) {
      this.fail(error);
    }
  }

  #exit(code: number): void {
    if (this.#ends) return;
    this.#ends = true;
    void this.output.drained().then(() => this.#post(TO.exit, code & 0xff));
  }
}

/** A browser says of a file that it may not or cannot load no more than that. */
function hint(error: unknown): string {
  if (!(error instanceof TypeError)) return "";
  return "Look whether its address answers with a script, whether the page's policy allows it (script-src) and, on another origin, whether that lets it be read (CORS).\n";
}

function pair(variable: string): [string, string] {
  const at = variable.indexOf("=");
  return at < 0 ? [variable, ""] : [variable.slice(0, at), variable.slice(at + 1)];
}

function moduleOf(namespace: unknown): ContainerModule {
  const exported = (namespace as { default?: unknown } | undefined)?.default;
  if (typeof exported !== "object" || exported === null) {
    throw new Error("it exports no object by default: export default { fetch(request) { … } }");
  }
  const module = exported as Record<string, unknown>;
  for (const name of ["start", "fetch", "signal"]) {
    if (module[name] !== undefined && typeof module[name] !== "function") {
      throw new Error(`${name} of what it exports is no function`);
    }
  }
  if (!module.start && !module.fetch) throw new Error("it has neither start() nor fetch()");
  return module;
}
