/*
 * Runs the code blocks of somebody's page: `runBlocks()` puts a button below each of them. All of
 * them share one cluster, which starts when the first is run. docs/embedding.md tells how.
 */
import type { EmbeddedCluster } from "../sdk/create.ts";
import type { ClusterOptions } from "../sdk/options.ts";
import type { Disposable } from "../state/disposable.ts";
import { RunBlock } from "./run-block.ts";
import { SharedCluster } from "./shared.ts";

export * from "../sdk/index.ts";

/** Which blocks, in which cluster. */
export interface RunBlocksOptions {
  /** Where to look; by default the document. */
  root?: ParentNode;
  /**
   * Which `code` elements are run. By default those that Markdown makes of ```shell, ```sh, ```bash
   * and ```console.
   */
  selector?: string;
  /** A cluster that there is already, or what one is made with. */
  cluster?: EmbeddedCluster | ClusterOptions;
}

const SELECTOR = ["shell", "sh", "bash", "console"]
  .map((language) => `pre > code.language-${language}`)
  .join(",");

/** Blocks of a page at most: more are left as they are. */
const MAX_BLOCKS = 1000;

/**
 * Makes the code blocks of a page run on a click. A block is done when its last line ended with 0 and
 * what its attribute `data-until` (or `until`, of `code` or `pre`) names has come: "deploy/nginx
 * Available". Until disposed, which ends the cluster if it was made here.
 */
export function runBlocks({
  root = document,
  selector = SELECTOR,
  cluster = {},
}: RunBlocksOptions = {}): Disposable {
  const shared = new SharedCluster(cluster);
  const made: RunBlock[] = [];
  for (const code of [...root.querySelectorAll<HTMLElement>(selector)].slice(0, MAX_BLOCKS)) {
    const pre = code.closest("pre") ?? code;
    if (pre.nextElementSibling instanceof RunBlock) continue; // called twice
    const until = [code, pre]
      .map((element) => element.dataset.until ?? element.getAttribute("until"))
      .find((given) => given !== null);
    try {
      const block = new RunBlock(shared, code.textContent, until ?? undefined);
      pre.after(block);
      made.push(block);
    } catch (error) {
      reportError(error); // for who wrote the page: the block stays as it is
    }
  }
  return {
    dispose: () => {
      for (const block of made) block.remove();
      if (!("kubectl" in cluster)) shared.dispose();
    },
  };
}
