/*
 * Runs the code blocks of somebody's page: `runBlocks()` puts a button below each of them. All of
 * them share one cluster, with elements if there are any; it starts when the first is run.
 * docs/embedding.md tells how.
 */
import type { EmbeddedCluster } from "../sdk/create.ts";
import type { ClusterOptions } from "../sdk/options.ts";
import type { Disposable } from "../state/disposable.ts";
import { ClusterElement, sharedBy } from "./cluster-element.ts";
import { RunBlock } from "./run-block.ts";
import { SharedCluster, sharedOfPage, sharedOver } from "./shared.ts";

export { ClusterElement };
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
  /**
   * A cluster that there is already; a `<tabernetes-cluster>`, or its id; or what one is made with, for
   * these blocks alone. By default it is that of the page's elements that name none.
   */
  cluster?: EmbeddedCluster | ClusterElement | string | ClusterOptions;
}

const SELECTOR = ["shell", "sh", "bash", "console"]
  .map((language) => `pre > code.language-${language}`)
  .join(",");

/** Blocks of a page at most: more are left as they are. */
const MAX_BLOCKS = 1000;

/**
 * Makes the code blocks of a page run on a click. A block is done when its last line ended with 0 and
 * what its attribute `data-until` (or `until`, of `code` or `pre`) names has come: "deploy/nginx
 * Available". Until disposed, which ends the cluster if it was made here, or if it is the page's and no
 * element shows it. Throws an Error for an id that names no cluster.
 */
export function runBlocks({
  root = document,
  selector = SELECTOR,
  cluster,
}: RunBlocksOptions = {}): Disposable {
  const { shared, end } = sharedOf(cluster);
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
      end();
    },
  };
}

/** The cluster that blocks share, and what their end is to it. */
function sharedOf(cluster: RunBlocksOptions["cluster"]): {
  shared: SharedCluster;
  end: () => void;
} {
  const others = () => undefined; // it goes on
  if (cluster === undefined) {
    const shared = sharedOfPage();
    return { shared, end: () => shared.endUnused() };
  }
  if (typeof cluster === "string")
    return { shared: sharedBy(document, "cluster", cluster), end: others };
  if (cluster instanceof ClusterElement) return { shared: cluster.shared, end: others };
  if ("kubectl" in cluster) return { shared: sharedOver(cluster), end: others };
  const shared = new SharedCluster(cluster);
  return { shared, end: () => shared.dispose() };
}
