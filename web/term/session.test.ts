import { describe, expect, test, vi } from "vitest";
import type { Call } from "../rpc/client.ts";
import type { Completion } from "../rpc/protocol.ts";
import { History } from "./line/history.ts";
import type { Mark } from "./ran.ts";
import type { Screen } from "./screen.ts";
import { Session } from "./session.ts";
import type { Shell } from "./shell.ts";

/** A screen that keeps what was written, without the escape sequences that move the cursor. */
class FakeScreen implements Screen {
  readonly cols = 80;
  readonly rows = 24;
  readonly inSight = 80;
  written = "";
  marks: number[] = [];
  raw = false;
  clears = 0;
  restored = 0;

  column(): Promise<number> {
    return Promise.resolve(this.written.split(/[\r\n]/).at(-1)?.length ?? 0);
  }
  write(data: string | Uint8Array): Promise<void> {
    this.written += typeof data === "string" ? data : new TextDecoder().decode(data);
    return Promise.resolve();
  }
  mark(up: number): Promise<Mark> {
    this.marks.push(up);
    return Promise.resolve({ line: 0 });
  }
  line = { text: "", cursor: 0 };
  typed(text: string, cursor: number): void {
    this.line = { text, cursor };
  }
  clear(): void {
    this.clears++;
  }
  setRaw(on: boolean): void {
    this.raw = on;
  }
  restore(): void {
    this.restored++;
  }
}

/** Promise.withResolvers, which Node 20 lacks. */
function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

type Handlers = Parameters<Shell["exec"]>[1];

interface Running {
  line: string;
  on: Handlers;
  sent: string[];
  exit(code: number): void;
  fail(error: Error): void;
  out(text: string): Promise<void>;
}

class FakeShell implements Shell {
  name = "1";
  ready: Promise<void> = Promise.resolve();
  completion: Completion = { from: 0, words: [] };
  readonly commands: Running[] = [];

  exec(params: { line: string }, on: Handlers): Call<{ code: number }> {
    const sent: string[] = [];
    const { promise, resolve, reject } = deferred<{ code: number }>();
    this.commands.push({
      line: params.line,
      on,
      sent,
      exit: (code) => resolve({ code }),
      fail: reject,
      out: (text) => on.data(new TextEncoder().encode(text)),
    });
    return {
      result: promise,
      send: (chunk) => void sent.push(new TextDecoder().decode(chunk)),
      end: () => void sent.push("<end>"),
      resize: (cols, rows) => void sent.push(`<${cols}x${rows}>`),
      signal: (signal) => void sent.push(`<${signal}>`),
      order: () => undefined,
      cancel: () => void sent.push("<cancel>"),
    };
  }

  closed = 0;
  close(): void {
    this.closed++;
  }

  complete(): Promise<Completion> {
    return Promise.resolve(this.completion);
  }

  get lines(): string[] {
    return this.commands.map((c) => c.line);
  }

  get last(): Running {
    const last = this.commands.at(-1);
    if (!last) throw new Error("no command was run");
    return last;
  }
}

function setUp() {
  const screen = new FakeScreen();
  const shell = new FakeShell();
  const session = new Session(screen, shell, new History(undefined));
  session.start("hello\r\n");
  return { screen, shell, session };
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("Session", () => {
  test("a hint stands dim below the output, once, and before the prompt", async () => {
    const { screen, shell, session } = setUp();
    const asked: string[] = [];
    session.hint = ({ line }) => {
      asked.push(line);
      return line === "broken" ? Promise.reject(new Error("no hint")) : Promise.resolve("it fails");
    };
    session.input("kubectl get pods\r");
    await settle();
    screen.written = "";
    await shell.last.out("NAME\r\n");
    shell.last.exit(0);
    await settle();
    expect(screen.written).toMatch(/^NAME\r\n.*it fails.*\r\n.*\$ /s);
    expect(asked).toEqual(["kubectl get pods"]);
    // One that fails is none, and the prompt comes all the same.
    session.input("broken\r");
    await settle();
    screen.written = "";
    shell.last.exit(0);
    await settle();
    expect(screen.written).not.toContain("hint");
    expect(session.busy).toBe(false);
  });

  test("a hint is one row where there is room, else its command stands by itself", async () => {
    const { screen, shell, session } = setUp();
    const command = "kubectl logs web-1 -n broken-crash-loop -c busybox --previous";
    session.hint = ({ line }) =>
      Promise.resolve(
        line === "short" ? "it fails\nkubectl logs x" : `${"word ".repeat(30)}end\n${command}`,
      );
    const hinted = async (line: string) => {
      session.input(`${line}\r`);
      await settle();
      screen.written = "";
      shell.last.exit(0);
      await settle();
      return screen.written;
    };
    expect(await hinted("short")).toContain("it fails kubectl logs x\x1b[0m\r\n");
    const long = await hinted("long");
    expect(long).toContain(`end\r\n${command}\x1b[0m\r\n`);
    for (const row of long.split("\r\n").slice(0, -2)) {
      expect(row.replace("\x1b[90m", "").length).toBeLessThanOrEqual(screen.inSight);
    }
  });

  test("what was interrupted has no hint", async () => {
    const { screen, shell, session } = setUp();
    session.hint = () => Promise.resolve("it fails");
    session.input("kubectl get pods\r");
    await settle();
    session.input("\x03");
    screen.written = "";
    shell.last.exit(130);
    await settle();
    expect(screen.written).not.toContain("it fails");
  });

  test("a line runs, its output is shown, and a prompt follows on a line of its own", async () => {
    const { screen, shell, session } = setUp();
    session.input("echo hi\r");
    await settle();
    expect(shell.lines).toEqual(["echo hi"]);
    screen.written = "";
    await shell.last.out("hi");
    shell.last.exit(0);
    await settle();
    expect(screen.written.startsWith("hi\r\n")).toBe(true);
    // Whatever the command has left on is off at the prompt.
    expect(screen.restored).toBe(1);
    expect(screen.written).toContain("$ ");
    expect(session.busy).toBe(false);
  });

  test("lines typed before the cluster is ready run in order once it is", async () => {
    const { shell, session } = setUp();
    const gate = deferred<undefined>();
    shell.ready = gate.promise;
    session.input("one\rtwo\r");
    await settle();
    expect(shell.lines).toEqual([]);
    gate.resolve(undefined);
    await vi.waitFor(() => expect(shell.lines).toEqual(["one"]));
    shell.last.exit(0);
    await vi.waitFor(() => expect(shell.lines).toEqual(["one", "two"]));
  });

  test("Ctrl-C while waiting for the cluster gives the prompt back", async () => {
    const { shell, session } = setUp();
    shell.ready = new Promise(() => undefined);
    session.input("one\r");
    await settle();
    session.input("\x03");
    await vi.waitFor(() => expect(session.busy).toBe(false));
    expect(shell.lines).toEqual([]);
  });

  test("a cluster that cannot start is said so, in place of a command's output", async () => {
    const { screen, shell, session } = setUp();
    shell.ready = Promise.reject(new Error("no memory"));
    session.input("one\r");
    await vi.waitFor(() => expect(screen.written).toContain("no memory"));
    await vi.waitFor(() => expect(session.busy).toBe(false));
  });

  test("what is typed while a command runs is the next line", async () => {
    const { shell, session } = setUp();
    session.input("slow\r");
    await settle();
    session.input("next\r");
    await settle();
    expect(shell.lines).toEqual(["slow"]);
    expect(shell.last.sent).toEqual([]);
    shell.last.exit(0);
    await vi.waitFor(() => expect(shell.lines).toEqual(["slow", "next"]));
  });

  test("a command that asks gets whole lines, what was typed ahead first, then its end", async () => {
    const { shell, session } = setUp();
    session.input("cat\rahead\r");
    await settle();
    shell.last.on.stdin();
    await settle();
    expect(shell.last.sent).toEqual(["ahead\n"]);
    session.input("x");
    shell.last.on.stdin();
    await settle();
    session.input("y\x7fz\r");
    shell.last.on.stdin();
    await settle();
    session.input("\x04");
    expect(shell.last.sent).toEqual(["ahead\n", "xz\n", "<end>"]);
  });

  test("a command's question stays before what is typed, also while that is corrected", async () => {
    const { screen, shell, session } = setUp();
    session.input("read -p\r");
    await settle();
    await shell.last.out("name? ");
    shell.last.on.stdin();
    await settle();
    screen.written = "";
    session.input("an");
    session.input("\x7fda\r");
    await settle();
    expect(shell.last.sent).toEqual(["ada\n"]);
    expect(screen.written.split("\x1b[J").slice(0, -1)).toEqual(
      expect.arrayContaining(["\r\x1b[6C"]),
    );
    expect(screen.written).not.toContain("\r\x1b[J");
  });

  test.each([
    ["before the command's question", "x", "y? ", "\x1b[4C"],
    ["after it", "", "y? ", "\x1b[3C"],
  ])("what is typed ahead %s does not move the answer into it", async (_, ahead, asked, to) => {
    const { screen, shell, session } = setUp();
    session.input("slow\r");
    await settle();
    session.input(ahead);
    await vi.waitFor(() => expect(screen.written.endsWith(`\n${ahead}`)).toBe(true), 2000);
    await shell.last.out(asked);
    if (ahead === "") session.input("x");
    if (ahead === "") await vi.waitFor(() => expect(screen.written).toMatch(/x$/), 2000);
    screen.written = screen.written.slice(screen.written.lastIndexOf("\n"));
    shell.last.on.stdin();
    await settle();
    expect(screen.written).toContain(`\r${to}\x1b[Jx`);
  });

  test("Ctrl-C signals, and the third one cancels", async () => {
    const { shell, session } = setUp();
    session.input("sleep 100\r");
    await settle();
    session.input("junk\x03");
    session.input("\x03");
    session.input("\x03");
    expect(shell.last.sent).toEqual(["<INT>", "<INT>", "<cancel>"]);
    shell.last.exit(130);
    await settle();
    expect(shell.lines).toEqual(["sleep 100"]);
  });

  test("a raw program gets every keystroke as it is, and the size when it changes", async () => {
    const { screen, shell, session } = setUp();
    session.input("kubectl exec -it x -- sh\r");
    await settle();
    shell.last.on.raw(true);
    expect(screen.raw).toBe(true);
    session.input("l\x1b[A\x03");
    session.resized();
    expect(shell.last.sent).toEqual(["l\x1b[A\x03", "<80x24>"]);
    shell.last.on.raw(false);
    shell.last.exit(0);
    await settle();
    expect(screen.raw).toBe(false);
    expect(session.busy).toBe(false);
  });

  test("a program that ends while raw leaves the terminal usable", async () => {
    const { screen, shell, session } = setUp();
    session.input("sh\r");
    await settle();
    shell.last.on.raw(true);
    shell.last.fail(new Error("connection lost"));
    await settle();
    expect(screen.raw).toBe(false);
    session.input("again\r");
    await settle();
    expect(shell.lines).toEqual(["sh", "again"]);
  });

  test("Tab puts in what the shell offers; the second Tab lists", async () => {
    const { screen, shell, session } = setUp();
    shell.completion = { from: 8, words: [{ text: "get" }] };
    session.input("kubectl g\t");
    await settle();
    shell.completion = { from: 12, words: [{ text: "pods" }, { text: "podtemplates" }] };
    session.input("po\t");
    await settle();
    screen.written = "";
    session.input("\t");
    await settle();
    session.input("\t");
    await settle();
    expect(screen.written).toContain("pods          podtemplates\r\n");
    session.input("s\r");
    await settle();
    expect(shell.lines).toEqual(["kubectl get pods"]);
  });

  test("a pasted manifest is offered to kubectl apply, and not run line by line", async () => {
    const { shell, session } = setUp();
    const yaml = "# a comment\n---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: EOF\nEOF\n";
    session.input(`\x1b[200~${yaml}\x1b[201~`);
    await settle();
    expect(shell.lines).toEqual([]);
    session.input("\r");
    await settle();
    expect(shell.lines[0]?.split("\n")).toEqual([
      "kubectl apply -f - <<'EOFF'",
      ...yaml.trim().split("\n"),
      "EOFF",
    ]);
  });

  test("commands that are pasted run as they are, and so does what another command reads", async () => {
    const { shell, session } = setUp();
    session.input("\x1b[200~echo apiVersion: v1\n\x1b[201~");
    await settle();
    expect(shell.lines).toEqual(["echo apiVersion: v1"]);
    shell.last.on.stdin();
    await settle();
    session.input("\x1b[200~apiVersion: v1\n\x1b[201~");
    expect(shell.last.sent).toEqual(["apiVersion: v1\n"]);
  });

  test("lines typed ahead of a command that reads them are shown once", async () => {
    const { screen, shell, session } = setUp();
    session.input("cat\r");
    await settle();
    screen.written = "";
    session.input("kind: Pod\rmetadata:\r");
    await vi.waitFor(() => expect(screen.written).toContain("metadata:"), 2000);
    shell.last.on.stdin();
    await settle();
    shell.last.on.stdin();
    await settle();
    expect(shell.last.sent).toEqual(["kind: Pod\n", "metadata:\n"]);
    await settle();
    expect(screen.written.match(/kind: Pod/g)).toHaveLength(1);
    expect(screen.written.match(/metadata:/g)).toHaveLength(1);
  });

  test("what is typed while the cluster starts stands below the word that it waits", async () => {
    const { screen, shell, session } = setUp();
    const { promise, resolve } = deferred<undefined>();
    shell.ready = promise;
    session.input("kubectl get nodes\r");
    await settle();
    session.input("kubectl get pods\r");
    await vi.waitFor(() => expect(screen.written).toContain("kubectl get pods"), 2000);
    expect(screen.written).toContain("ready)\x1b[0m\r\n");
    resolve(undefined);
    await settle();
    expect(shell.lines[0]).toBe("kubectl get nodes");
  });

  test("a line from a button replaces what is half typed", async () => {
    const { shell, session } = setUp();
    session.input("half");
    session.run("kubectl get pods");
    await settle();
    expect(shell.lines).toEqual(["kubectl get pods"]);
  });

  test("lines that are executed are typed, and tell how they end", async () => {
    const { screen, shell, session } = setUp();
    const never = new AbortController().signal;
    session.input("half");
    const ended = session.execute("x=1\nls $x", never);
    await settle();
    expect(shell.lines).toEqual(["x=1\nls $x"]);
    expect(screen.written).toContain("ls $x");
    await expect(session.execute("ls", never)).rejects.toThrow("Something runs in the terminal");
    shell.last.exit(4);
    await expect(ended).resolves.toBe(4);
    expect(session.busy).toBe(false);

    await expect(session.execute("echo 'half", never)).rejects.toThrow("no whole command");
    expect([session.busy, shell.lines.length]).toEqual([false, 1]);

    const broken = session.execute("ls", never);
    await settle();
    shell.last.fail(new Error("the worker is gone"));
    await expect(broken).rejects.toThrow("the worker is gone");
    // What is typed later is nobody's.
    session.input("ls\r");
    await settle();
    shell.last.exit(0);
  });

  test("lines that are executed end at once when they are not wanted any more", async () => {
    const { shell, session } = setUp();
    const abort = new AbortController();
    const ended = session.execute("sleep 60", abort.signal);
    await settle();
    abort.abort();
    expect(shell.last.sent).toEqual(["<cancel>"]);
    shell.last.exit(130);
    await expect(ended).rejects.toThrow("abort");
    await expect(session.execute("ls", abort.signal)).rejects.toThrow("abort");
    expect(shell.lines).toEqual(["sleep 60"]);
  });

  test("exit, and Ctrl-D at an empty prompt, leave the shell; Ctrl-D in a line does not", async () => {
    const { shell, session } = setUp();
    let left = 0;
    session.onExit = () => left++;
    session.input("ab\x01\x04");
    expect(left).toBe(0);
    session.input("\x0b\x04");
    expect(left).toBe(1);
    session.input("exit 3\r");
    await settle();
    shell.last.exit(3);
    await vi.waitFor(() => expect(left).toBe(2));
  });

  test("a command's edit goes to the page's editor", async () => {
    const { shell, session } = setUp();
    session.edit = (name, text) => Promise.resolve(`${name} ${text}`);
    session.input("vi f\r");
    await settle();
    await expect(shell.last.on.edit("f", "old")).resolves.toBe("f old");
  });

  test("Ctrl-L clears, Ctrl-C at the prompt drops the line", async () => {
    const { screen, shell, session } = setUp();
    session.input("abc\x0c");
    expect(screen.clears).toBe(1);
    session.input("\x03x\r");
    await settle();
    expect(shell.lines).toEqual(["x"]);
  });
});
