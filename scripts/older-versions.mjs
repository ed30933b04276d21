/*
 * What an earlier publish has left at addresses that never change: v/DIGEST, and the parts of the module that
 * its manifest names. Hosts of files replace a site as a whole, so what stays has to be in the next folder, too.
 */
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/** Versions that stay, the newest ones. */
const VERSIONS = 12;
/** Bytes of them that stay: GitHub Pages takes a site of 1 GB, and a version has 30 to 40 MB. */
const BYTES = 600 << 20;

/**
 * Copies versions of an earlier publish, the newest first, as long as they are within the bounds.
 *
 * @param {string} from the folder of the earlier publish
 * @param {string} to the folder of this one, whose own files win
 * @param {readonly string[]} history digests, the newest first; any other in `from` is older than these
 * @param {{versions?: number, bytes?: number}} bounds
 * @returns {{kept: string[], left: {version: string, why: string}[]}} digests, and what is gone from now on
 */
export function keepOlder(from, to, history, { versions = VERSIONS, bytes = BYTES } = {}) {
  const kept = [];
  const left = [];
  let room = bytes;
  for (const version of byAge(from, history)) {
    if (existsSync(join(to, "v", version))) continue; // published again, as it was
    try {
      const names = filesOf(from, version).filter((name) => !existsSync(join(to, name)));
      const size = names.reduce((sum, name) => sum + statSync(join(from, name)).size, 0);
      // An older one has no more right to what is left than one that was too large for it.
      if (kept.length === versions || size > room) room = -1;
      if (room < 0)
        throw new Error(`${versions} older versions and ${bytes} bytes are kept at most`);
      room -= size;
      for (const name of names) cpSync(join(from, name), join(to, name), { recursive: true });
      kept.push(version);
    } catch (error) {
      left.push({ version, why: error.message });
    }
  }
  return { kept, left };
}

/** The digests below v, the newest first. */
function byAge(from, history) {
  const v = join(from, "v");
  const there = existsSync(v) ? readdirSync(v).filter((name) => /^[0-9a-f]{12}$/.test(name)) : [];
  const known = history.filter((version) => there.includes(version));
  return [...known, ...there.filter((version) => !known.includes(version))];
}

/** What a version consists of, relative to the site; throws if anything of it is not there. */
function filesOf(from, version) {
  const below = `v/${version}`;
  const { wasm, exec } = JSON.parse(
    readFileSync(join(from, below, "assets/manifest.json"), "utf8"),
  );
  const named = [...wasm.parts, exec].map(({ url, size }) => {
    const name = posix.join(below, "assets", url);
    const file = statSync(join(from, name), { throwIfNoEntry: false });
    if (posix.dirname(name) !== "assets" || !file?.isFile()) throw new Error(`${name} is missing`);
    if (size !== undefined && file.size !== size) throw new Error(`${name} is not whole`);
    return name;
  });
  const own = readdirSync(join(from, below), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      posix.join(below, posix.relative(join(from, below), entry.parentPath), entry.name),
    );
  return [...own, ...new Set(named)];
}
