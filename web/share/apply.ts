import type { Tabernetes } from "../cluster/api.ts";
import { sh } from "../kube/shell-line.ts";
import { agree } from "./agree.ts";
import { isDefinition, type Content, type Held } from "./content.ts";
import { ShareError } from "./pack.ts";

/** Seconds that the API server has to serve new kinds. */
const PATIENCE = 60;

/**
 * Puts a manifest into the terminal's home directory and returns the line that applies it. Nothing is
 * applied by this. Kinds are defined first, as kubectl looks up all of a file's kinds before it begins.
 * Throws ShareError where kubectl reads other objects in it than were shown.
 */
export async function applyLine(
  { objects, definitions, rest }: Content,
  api: Pick<Tabernetes, "shell">,
  now = new Date(),
): Promise<string> {
  // The time keeps it apart from what somebody has there.
  const name = `shared-${now
    .toISOString()
    .replace(/\.\d+Z$/, "")
    .replace(/\D/g, "")}`;
  const file = `${name}.yaml`;
  const apart = definitions !== "";
  await put(file, rest, apart ? objects.filter((one) => !isDefinition(one)) : objects, api);
  if (!apart) return sh`kubectl apply -f ~/${file}`;
  const kinds = `${name}-kinds.yaml`;
  await put(kinds, definitions, objects.filter(isDefinition), api);
  return sh`kubectl apply -f ~/${kinds} && kubectl wait --for=condition=Established --timeout=${PATIENCE}s -f ~/${kinds} && kubectl apply -f ~/${file}`;
}

async function put(
  file: string,
  text: string,
  shown: readonly Held[],
  api: Pick<Tabernetes, "shell">,
): Promise<void> {
  const { code, stderr } = await api.shell(sh`cat > ~/${file}`, { stdin: text, session: "open" });
  if (code !== 0) throw new ShareError(`Write ~/${file}: ${stderr.trim()}`);
  await agree(file, shown, api);
}
