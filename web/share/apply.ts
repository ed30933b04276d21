import type { Tabernetes } from "../cluster/api.ts";
import { sh } from "../kube/shell-line.ts";
import type { Content } from "./content.ts";
import { ShareError } from "./pack.ts";

/** Seconds that the API server has to serve new kinds. */
const PATIENCE = 60;

/**
 * Puts a manifest into the terminal's home directory and returns the line that applies it. Nothing is
 * applied by this. Kinds are defined first, as kubectl looks up all of a file's kinds before it begins.
 */
export async function applyLine(
  { definitions, rest }: Content,
  api: Pick<Tabernetes, "shell">,
  now = new Date(),
): Promise<string> {
  // The time keeps it apart from what somebody has there.
  const name = `shared-${now
    .toISOString()
    .replace(/\.\d+Z$/, "")
    .replace(/\D/g, "")}`;
  const file = `${name}.yaml`;
  await put(file, rest, api);
  if (definitions === "") return sh`kubectl apply -f ~/${file}`;
  const kinds = `${name}-kinds.yaml`;
  await put(kinds, definitions, api);
  return sh`kubectl apply -f ~/${kinds} && kubectl wait --for=condition=Established --timeout=${PATIENCE}s -f ~/${kinds} && kubectl apply -f ~/${file}`;
}

async function put(file: string, text: string, api: Pick<Tabernetes, "shell">): Promise<void> {
  const { code, stderr } = await api.shell(sh`cat > ~/${file}`, { stdin: text, session: "open" });
  if (code !== 0) throw new ShareError(`Write ~/${file}: ${stderr.trim()}`);
}
