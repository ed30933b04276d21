/*
 * The Worker of one container whose image a page has defined (docs/images.md). It takes out of its
 * scope what a container has not, loads the module, and stands between it and the cluster.
 */
import { confine } from "./confine.ts";
import { encode } from "./message.ts";
import { describe, format } from "./output.ts";
import { Run } from "./run.ts";

type Heard = Uint8Array<ArrayBuffer>;

// Kept before the scope loses it. In a frame's Worker the port that it is given takes its place.
let post = globalThis.postMessage.bind(globalThis) as Worker["postMessage"];

const run = new Run(
  (kind, id, data) => {
    const message = encode(kind, id, data);
    post(message, [message.buffer]);
  },
  (address) => import(/* @vite-ignore */ address),
);

addEventListener("error", (event) => {
  event.preventDefault();
  run.fail(event.error ?? event.message);
});
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  run.fail(event.reason);
});

confine(globalThis, EventTarget.prototype);
// Not before: a scope that could not be emptied loads no module.
addEventListener("message", ({ data, ports: [port] }: MessageEvent<Heard | null>) => {
  if (data) run.hear(data);
  if (data || !port) return;
  post = port.postMessage.bind(port) as Worker["postMessage"];
  port.onmessage = ({ data }: MessageEvent<Heard>) => run.hear(data);
});

const printing = (print: (text: string) => void) => ({
  value: (...values: unknown[]) => print(format(values)),
});
const stdout = printing((text) => run.output.stdout(text));
const stderr = printing((text) => run.output.stderr(text));
Object.defineProperties(console, {
  ...{ log: stdout, info: stdout, debug: stdout },
  ...{ warn: stderr, error: stderr },
  trace: printing((text) => run.output.stderr(`${text}${describe(new Error("trace"))}\n`)),
});
