import { startWorker } from "../cluster/start-worker.ts";
import type { ImageHost } from "../image/host.ts";
import { VERSION, type Fault, type TabernetesHost, type ToPage } from "../rpc/protocol.ts";
import { installClock, type Clock, type Time } from "./clock.ts";
import { compileFault, exitFault, LoadError } from "./fault.ts";
import { Containers } from "./containers.ts";
import type { GoRuntime } from "./gohost.ts";
import type { WorkerInit, WorkerOrder } from "./init.ts";
import type { Loaded } from "./load.ts";
import type { StderrTail } from "./stderr.ts";
import { Timers } from "./timers.ts";

/** What a Go program is begun with. */
export interface Program {
  init: WorkerInit;
  loaded: Loaded;
  post: (message: ToPage) => void;
  /** Called when the module is in memory. */
  compiled: () => void;
  make: () => GoRuntime;
  tail: StderrTail;
}

/** Begins a program, and waits for its end. `before` is called when it is about to run. Throws LoadError. */
export async function run(
  program: Program,
  before?: (go: GoRuntime, clocks: Clocks) => ImageHost,
): Promise<void> {
  const { loaded } = program;
  const go = program.make();
  const clocks = clocksOf(program, go);
  let instance: WebAssembly.Instance;
  try {
    instance = await WebAssembly.instantiate(loaded.module, go.importObject);
  } catch (error) {
    throw new LoadError(compileFault(error));
  }
  program.compiled();
  const end = watchOver(program, go, instance);
  leaveHost(program, before?.(go, clocks));
  await go.run(instance);
  end(exitFault(undefined, program.tail.text()));
}

/** What tells a program the time. */
export interface Clocks {
  clock: Clock;
  timers: Timers;
}

/** Gives a program its clocks, which stand still while the page has the cluster sleep. */
export function clocksOf({ post }: Program, go: GoRuntime, time?: Time): Clocks {
  const onSleep = (milliseconds: number) => post({ type: "slept", at: Date.now(), milliseconds });
  const clock = installClock(go, onSleep, time);
  const timers = new Timers(go);
  addEventListener("message", ({ data }: MessageEvent<WorkerOrder>) => {
    if (data === "sleep") {
      clock.hold();
      timers.hold();
    } else {
      clock.release();
      timers.release();
    }
  });
  return { clock, timers };
}

/** Leaves on globalThis what the program looks for. */
export function leaveHost({ init }: Program, image?: ImageHost): void {
  const containers = new Containers(init.containers, (number) =>
    startWorker(new URL(`${init.containerUrl}${number}`), "container"),
  );
  const tabernetesHost: TabernetesHost = {
    port: init.port,
    protocol: VERSION,
    config: init.config,
    container: (number) => containers.begin(number),
    ...(image ? { image } : {}),
  };
  Object.assign(globalThis, { tabernetesHost });
}

/** Tells the page of whatever ends the program, and `ends` before; returns what tells it. */
export function watchOver(
  { post, tail }: Program,
  go: GoRuntime,
  instance: WebAssembly.Instance,
  ends: () => void = () => undefined,
): (fault: Fault) => void {
  // `make bench` reads its size.
  Object.assign(globalThis, { tabernetesMemory: instance.exports.mem });
  let ended = false;
  const end = (fault: Fault) => {
    // Whatever follows the first cause is noise: Go callbacks into a program that has ended.
    if (ended) return;
    ended = true;
    ends();
    post(fault);
  };
  go.exit = (code) => end(exitFault(code, tail.text()));
  addEventListener("error", (event) => {
    event.preventDefault();
    end(exitFault(undefined, tail.text(), event.error ?? event.message));
  });
  addEventListener("unhandledrejection", (event) => {
    // A trap inside wasm surfaces here or as an error event; any other rejection is not fatal.
    if (event.reason instanceof WebAssembly.RuntimeError) {
      end(exitFault(undefined, tail.text(), event.reason));
    }
  });
  return end;
}
