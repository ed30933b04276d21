/*
 * Goes on from an image of a cluster's memory: finds one that fits, opens what its program held, and has it run. In
 * every doubt it says why not, and leaves everything as it was.
 */
import type { WorkerInit } from "../worker/init.ts";
import { LOCK } from "../kept/kept.ts";
import { messageOf } from "../rpc/reason.ts";
import { access, type OpenFile } from "./access.ts";
import { filesOf, folderOf, IMAGES, sameFiles, TRIED } from "./folder.ts";
import { Damaged, describe, read, type Description } from "./format.ts";
import { grow, putBack, type Running } from "./state.ts";
import type { Known, Maker, Role } from "./values.ts";

/** An image that has been found, open. */
export interface Found {
  about: Description;
  file: OpenFile;
  /** Its size. */
  bytes: number;
}

/** Why a cluster is started anew. */
export class Anew extends Error {}

/** The newest image of a cluster; undefined if there is none. Throws Anew where there is one that is damaged. */
export async function findImage(cluster: string): Promise<Found | undefined> {
  let best: Found | undefined;
  let why: string | undefined;
  let folder: FileSystemDirectoryHandle;
  try {
    folder = await folderOf(cluster);
  } catch {
    return undefined;
  }
  if (await folder.getFileHandle(TRIED).then(Boolean, () => false)) {
    throw new Anew("the last time that it was tried, it ended at once");
  }
  for (const name of IMAGES) {
    let file: OpenFile | undefined;
    try {
      file = await access(await folder.getFileHandle(name));
      const about = describe(file);
      if (about && about.serial > (best?.about.serial ?? -1)) {
        best?.file.close();
        best = { about, file, bytes: file.getSize() };
        continue;
      }
    } catch (error) {
      if (error instanceof DOMException && error.name === "NotFoundError") continue;
      why = messageOf(error);
    }
    file?.close();
  }
  if (!best && why !== undefined) throw new Anew(why);
  return best;
}

/** The file that says which revisions were given out (core/store/persist); a little of its end is enough, but it is small. */
async function revisionsOf(cluster: string): Promise<Uint8Array> {
  const file = await (await folderOf(cluster)).getFileHandle("revisions");
  return new Uint8Array(await (await file.getFile()).arrayBuffer());
}

/** After so many milliseconds a program that goes on is taken to be well. */
const WELL_MS = 1000;

/** Notes that an image is tried: one whose program did not live to take the note away is not tried again. */
async function sayTried(cluster: string, tried: boolean, after = 0): Promise<void> {
  if (after > 0) await new Promise((resolve) => setTimeout(resolve, after));
  const folder = await folderOf(cluster);
  if (tried) await folder.getFileHandle(TRIED, { create: true });
  else await folder.removeEntry(TRIED);
}

const TRIES = 20;
const BETWEEN_MS = 100;

/** Opens what a program held of the browser's storage. Whatever it opens is in `open`, to be closed. */
async function openRoles(about: Description, open: OpenFile[]): Promise<Map<string, object>> {
  const folder = await folderOf(about.cluster);
  const made = new Map<string, object>();
  const roles = about.state.values.flatMap((v) => (v && "role" in v ? [v.role] : []));
  // The lock first: nobody else may have the cluster.
  roles.sort((a, b) => Number(isLock(b)) - Number(isLock(a)));
  if (!roles.some(isLock)) throw new Anew("its program did not have the cluster");
  for (const role of roles) {
    if (role.kind === "folder" || role.kind === "file") {
      if (role.cluster !== about.cluster) throw new Anew("it had another cluster open");
    }
    if (role.kind === "folder") made.set(keyOf(role), folder);
    if (role.kind !== "file") continue;
    const handle = await folder.getFileHandle(role.name).catch((error: unknown) => {
      throw new Anew(`${role.name} is not there: ${messageOf(error)}`);
    });
    const file = await patiently(() => access(handle));
    open.push(file);
    made.set(keyOf(role), file);
    if (isLock(role) && !sameFiles(about.files, await filesOf(folder))) {
      throw new Anew("the cluster's files are others than when the image was taken");
    }
  }
  return made;
}

const isLock = (role: Role) => role.kind === "file" && role.name === LOCK;

async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left <= 1) throw new Anew(messageOf(error));
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    }
  }
}

export interface Resuming {
  found: Found;
  init: WorkerInit;
  build: string;
  protocol: number;
  module: WebAssembly.Module;
  /** Makes the program's class, with a clock that goes on at a time and throws once it was refused. */
  begin(state: Description["state"]): {
    go: Running;
    imports: WebAssembly.Imports;
    refused: () => string | undefined;
    /** Ends its clock and its timers. */
    stop: () => void;
  };
  known: Known;
  /** Leaves on globalThis what the program looks for. */
  host(): void;
  /** Called when all is in place, before the program runs. */
  prepared(
    go: Running,
    instance: WebAssembly.Instance,
    functions: { resumed: unknown; taken: (why: string) => void },
  ): void;
}

/** One role as text. */
function keyOf(role: Role): string {
  switch (role.kind) {
    case "page":
      return role.kind;
    case "near":
    case "far":
      return `${role.kind} ${role.channel}`;
    case "folder":
      return `folder ${role.cluster}`;
    case "file":
      return `file ${role.cluster}/${role.name}`;
  }
}

/** Has the program go on; throws Anew if it does not. */
export async function resume(by: Resuming): Promise<void> {
  const { found, init } = by;
  const { about, file } = found;
  const open: OpenFile[] = [];
  const channels: MessagePort[] = [];
  const far: MessagePort[] = [];
  const began = performance.now();
  let stop: (() => void) | undefined;
  let goesOn: () => void;
  try {
    if (about.build !== by.build) throw new Anew("it is of another version of Tabernetes");
    if (about.cluster !== init.config.keep) throw new Anew("it is another cluster's");
    if (about.config !== JSON.stringify(init.config)) throw new Anew("the settings are others");
    const made = await openRoles(about, open);
    const { state } = about;
    const program = by.begin(state);
    const { go } = program;
    stop = program.stop;
    const instance = await WebAssembly.instantiate(by.module, program.imports);
    const bytes = read(file, about, grow(instance, state));
    const took = performance.now() - began;
    const role = (r: Role): object => {
      if ((r.kind === "near" || r.kind === "far") && !made.has(keyOf(r))) {
        const { port1, port2 } = new MessageChannel();
        channels.push(port1, port2);
        far.push(port2);
        made.set(keyOf({ kind: "near", channel: r.channel }), port1);
        made.set(keyOf({ kind: "far", channel: r.channel }), port2);
      }
      const value = r.kind === "page" ? init.port : made.get(keyOf(r));
      if (!value) throw new Anew(`there is no ${r.kind} any more`);
      by.known.roles.set(value, r);
      return value;
    };
    const revisions = await revisionsOf(about.cluster);
    await sayTried(about.cluster, true);
    // From here on nothing else may run before the program has taken over what was written since.
    by.host();
    let hearPage: () => void = () => undefined;
    const listen: Maker["listen"] = (r, value, onmessage) => {
      const hear = () => void Object.assign(value, { onmessage });
      // What the page says waits in its port until somebody listens; whoever listens must stay.
      if (r.kind === "page") hearPage = hear;
      else hear();
    };
    const goFunction = putBack(go, instance, state, { role, listen });
    by.prepared(go, instance, {
      resumed: goFunction(state.resumed),
      taken: goFunction(state.taken),
    });
    const told = `gone on from memory: ${(bytes / 1e6).toFixed(0)} MB read in ${(took / 1000).toFixed(2)} s`;
    try {
      goFunction(state.resumed)({
        about: { protocol: by.protocol, now: performance.now(), told },
        revisions,
      });
    } catch (error) {
      throw new Anew(program.refused() ?? messageOf(error));
    }
    goesOn = () => {
      // A turn that was under way ends (wasm/jsx Turns).
      for (const port of far) port.postMessage(0);
      hearPage();
      // Whatever becomes of the note, the program runs.
      void sayTried(about.cluster, false, WELL_MS).catch(() => undefined);
    };
  } catch (error) {
    stop?.();
    for (const handle of open) handle.close();
    for (const port of channels) port.close();
    if (error instanceof Damaged)
      throw new Anew(`the image of its memory is damaged: ${error.message}`);
    throw error instanceof Anew ? error : new Anew(messageOf(error));
  } finally {
    file.close();
  }
  goesOn();
}
