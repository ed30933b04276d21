/* What a page's process holds of the machine's memory, from /proc: Chromium does not tell. */
import { readdirSync, readFileSync } from "node:fs";

/** Bytes resident of the largest renderer that this process started; 0 where there is no /proc. */
export const residentOfRenderer = () => renderer()?.bytes ?? 0;

/** That renderer, as `{ pid, bytes }`. */
export function renderer() {
  const parents = new Map();
  const renderers = [];
  for (const pid of list("/proc").filter((name) => /^\d+$/.test(name))) {
    const status = read(`/proc/${pid}/status`);
    parents.set(pid, /^PPid:\s+(\d+)/m.exec(status)?.[1]);
    if (read(`/proc/${pid}/cmdline`).includes("--type=renderer"))
      renderers.push({ pid, bytes: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024 });
  }
  const ours = ({ pid }) => {
    for (let at = pid; at; at = parents.get(at)) if (at === String(process.pid)) return true;
    return false;
  };
  return renderers
    .filter(ours)
    .map(({ pid, bytes }) => ({ pid: Number(pid), bytes }))
    .sort((a, b) => b.bytes - a.bytes)[0];
}

/** A process may have ended since it was listed. */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function list(directory) {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
