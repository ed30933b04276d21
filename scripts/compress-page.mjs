/*
 * Writes a brotli twin (name.br) beside each text of out/site, which our own servers send in its place
 * (nodehost/site). The module's is wasm/build's. Other hosts compress by themselves: scripts/publish
 * leaves twins out.
 */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const SITE = "out/site";
const TEXT = /\.(css|html|js|json|md|svg|txt|ya?ml)$/;
/** Below it the answer's head weighs more than what would be saved. */
const LEAST_BYTES = 1024;
const QUALITY = Number(process.env.BROTLI ?? 9);

const names = readdirSync(SITE, { recursive: true }).map((name) => `${SITE}/${name}`);
const all = new Set(names);
for (const name of names) {
  // What it was the twin of went with an earlier build.
  if (name.endsWith(".br") && !all.has(name.slice(0, -3))) rmSync(name);
  if (!TEXT.test(name) || statSync(name).size < LEAST_BYTES) continue;
  const twin = `${name}.br`;
  if (all.has(twin) && statSync(twin).mtimeMs >= statSync(name).mtimeMs) continue;
  const text = readFileSync(name);
  writeFileSync(
    twin,
    brotliCompressSync(text, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
      },
    }),
  );
}
