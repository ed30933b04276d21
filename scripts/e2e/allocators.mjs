/* What a page's process holds, by who asked the machine for it, as Chromium's own memory dump has it. */
import { readFileSync } from "node:fs";

/**
 * Bytes of the process `pid`: `heaps`, which are V8's and Blink's with what is garbage in them, `malloc`, and `code` that V8
 * compiled. A module's memory is in none of them. `collect`: garbage is collected first.
 */
export async function allocators(browser, pid, collect = false) {
  const cdp = await browser.newBrowserCDPSession();
  const found = {};
  cdp.on("Tracing.dataCollected", ({ value }) => {
    for (const { ph, pid: of, args } of value)
      if (ph === "v" && of === pid) Object.assign(found, args.dumps.allocators);
  });
  await cdp.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: {
      includedCategories: ["disabled-by-default-memory-infra"],
      excludedCategories: ["*"],
      memoryDumpConfig: { allowed_dump_modes: ["light"], triggers: [] },
    },
  });
  await cdp.send("Tracing.requestMemoryDump", { deterministic: collect, levelOfDetail: "light" });
  const complete = new Promise((resolve) => cdp.once("Tracing.tracingComplete", resolve));
  await cdp.send("Tracing.end");
  await complete;
  await cdp.detach();
  const size = (name) => Number.parseInt(found[name]?.attrs.size?.value ?? "0", 16);
  return {
    heaps: size("v8") + size("blink_gc"),
    malloc: size("malloc") + size("partition_alloc"),
    code: compiled(pid),
  };
}

/** Bytes resident of what may be executed and is of no file; 0 where there is no /proc. */
function compiled(pid) {
  let [bytes, ours] = [0, false];
  for (const line of smaps(pid).split("\n")) {
    const mapping = /^[\da-f]+-[\da-f]+ (\S+) \S+ \S+ \S+\s*(.*)$/.exec(line);
    if (mapping) ours = mapping[1].includes("x") && mapping[2] === "";
    else if (ours) bytes += 1024 * Number(/^Rss:\s+(\d+) kB/.exec(line)?.[1] ?? 0);
  }
  return bytes;
}

function smaps(pid) {
  try {
    return readFileSync(`/proc/${pid}/smaps`, "utf8");
  } catch {
    return "";
  }
}
