/*
 * The part of the cluster's Worker for a cluster whose memory is kept: it goes on from an image if there is one that
 * fits, and is begun otherwise; and it has images taken.
 */
import { VERSION } from "../rpc/protocol.ts";
import { messageOf } from "../rpc/reason.ts";
import type { GoRuntime } from "../worker/gohost.ts";
import { clocksOf, leaveHost, watchOver, type Clocks, type Program } from "../worker/program.ts";
import { dropImages } from "./folder.ts";
import { TakingImages, type ImageHost, type ImageReport } from "./host.ts";
import { Anew, findImage, resume } from "./resume.ts";
import type { Running } from "./state.ts";
import type { Known, Role } from "./values.ts";

type Run = (
  program: Program,
  before: (go: GoRuntime, clocks: Clocks) => ImageHost,
) => Promise<void>;

/** Returns when the program has ended. */
export async function goOnOrBegin(program: Program, run: Run): Promise<void> {
  const { init, loaded } = program;
  const cluster = init.config.keep ?? "";
  const build = [
    loaded.manifest.wasm.url,
    loaded.manifest.wasm.size,
    loaded.manifest.exec.url,
  ].join(" ");
  const report: ImageReport = { taken: 0, written: 0, told: {} };
  const tell = () => program.post({ type: "image", ...report.told });
  const known: Known = { roles: new WeakMap<object, Role>(), functions: new WeakMap() };
  Object.assign(globalThis, { tabernetesImage: report, tabernetesRoles: known.roles });
  known.roles.set(init.port, { kind: "page" });
  const about = { known, init, module: loaded.module, build, report, tell };

  let why = "";
  try {
    const found = await findImage(cluster);
    if (found) {
      let host: TakingImages | undefined;
      let restTimers: () => void = () => undefined;
      await resume({
        found,
        init,
        build,
        protocol: VERSION,
        module: loaded.module,
        known,
        begin: (state) => {
          const go = program.make();
          const offset = state.steady - performance.now();
          const { clock, timers } = clocksOf(program, go, {
            wall: () => Date.now(),
            steady: () => performance.now() + offset,
          });
          const running = noted(go, known);
          const taking = new TakingImages({
            ...about,
            go: running,
            steady: clock.look,
            timers,
            why: "",
          });
          host = taking;
          restTimers = () => timers.putBack(state.timers);
          return {
            go: running,
            imports: stopping(go, () => taking.refused),
            refused: () => taking.refused,
            stop: () => {
              clock.stop();
              timers.stop();
            },
          };
        },
        prepared: (go, instance, functions) => {
          program.compiled();
          host?.offer(functions.resumed, functions.taken);
          restTimers();
          // What it ended from it would end from again.
          watchOver(
            program,
            go as unknown as GoRuntime,
            instance,
            () => void dropImages(cluster).catch(() => undefined),
          );
        },
        host: () => leaveHost(program, host),
      });
      report.from = found.about.serial;
      report.told = { kept: { at: found.about.at, bytes: found.bytes } };
      tell();
      return; // it runs; what ends it is told by watchOver
    }
  } catch (error) {
    if (!(error instanceof Anew))
      console.warn("the cluster could not go on from its memory", error);
    why = messageOf(error);
  }
  await dropImages(cluster).catch((error: unknown) => {
    // It does not fit what is written from now on: the disks' file is another.
    console.warn("the image of the cluster's memory could not be deleted", error);
  });
  tell();
  await run(
    program,
    (go, { clock, timers }) =>
      new TakingImages({ ...about, go: noted(go, known), steady: clock.look, timers, why }),
  );
}

/** Has it noted which functions are Go's. */
function noted(go: GoRuntime, known: Known): Running {
  const running = go as unknown as Running;
  const make = running._makeFuncWrapper.bind(running);
  running._makeFuncWrapper = (id) => {
    const made = make(id);
    known.functions.set(made, id);
    return made;
  };
  return running;
}

/** The program's imports, with clocks that throw once it was refused: nothing of it runs any more. */
function stopping(
  { importObject }: GoRuntime,
  refused: () => string | undefined,
): WebAssembly.Imports {
  const gojs = { ...importObject.gojs };
  const clock = gojs["runtime.nanotime1"] as (sp: number) => void;
  gojs["runtime.nanotime1"] = (sp: number) => {
    const why = refused();
    if (why !== undefined) throw new Anew(why);
    clock(sp);
  };
  return { ...importObject, gojs };
}
