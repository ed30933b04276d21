/*
 * Asks for the module that the page's cluster runs, and compiles it, which costs nothing where V8 has it already
 * (web/offline/code.ts says why). A Worker of its own: its script comes from the service worker, so that the module does,
 * too, on a first visit as well, whose page the service worker does not answer for.
 */

/** What the page sends it: the module's address. */
export type Ask = string;
/** What it answers: "" once the module is compiled, or what went wrong. */
export type Answer = string;

/** They must be reachable until their code is handed over, which nobody is told of. */
const modules: WebAssembly.Module[] = [];

addEventListener("message", ({ data: url }: MessageEvent<Ask>) => {
  compile(url).then(
    (module) => {
      modules.push(module);
      postMessage("" satisfies Answer);
    },
    (error: unknown) => postMessage(String(error) satisfies Answer),
  );
});

async function compile(url: string): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the cache does not have it: ${response.status}`);
  return WebAssembly.compileStreaming(response);
}
