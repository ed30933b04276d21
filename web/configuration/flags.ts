/** The list of flags that admission plugins are switched in. */
export const FLAGS = "kube-apiserver.flags";

const LISTS = { on: "enable-admission-plugins", off: "disable-admission-plugins" } as const;

/**
 * A list of flags with an admission plugin switched on or off. Where that is what would be without a
 * word, no word is left; everything else stays as it is written.
 */
export function switchPlugin(
  flags: string,
  name: string,
  wanted: boolean,
  byDefault: boolean,
): string {
  let lines = flags === "" ? [] : flags.replace(/\n$/, "").split("\n");
  for (const list of Object.values(LISTS)) lines = without(lines, list, name);
  if (wanted !== byDefault) lines = withPlugin(lines, wanted ? LISTS.on : LISTS.off, name);
  return lines.map((line) => `${line}\n`).join("");
}

/** What the flags say of a plugin: undefined if nothing. */
export function switched(flags: string, name: string): boolean | undefined {
  const lines = flags.split("\n");
  const has = (list: string) => lines.some((line) => namesIn(line, list)?.includes(name) ?? false);
  return has(LISTS.on) ? true : has(LISTS.off) ? false : undefined;
}

/** The plugins that a line names, if it is that flag. */
function namesIn(line: string, list: string): string[] | undefined {
  const [flag = "", value] = line.trim().split("=", 2);
  if (value === undefined || flag.replaceAll("_", "-") !== `--${list}`) return undefined;
  return value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function without(lines: string[], list: string, name: string): string[] {
  return lines.flatMap((line) => {
    const names = namesIn(line, list);
    if (!names?.includes(name)) return [line];
    const left = names.filter((other) => other !== name);
    return left.length > 0 ? [`--${list}=${left.join(",")}`] : [];
  });
}

function withPlugin(lines: string[], list: string, name: string): string[] {
  const at = lines.findIndex((line) => namesIn(line, list) !== undefined);
  if (at < 0) return [...lines, `--${list}=${name}`];
  const names = [...(namesIn(lines[at] ?? "", list) ?? []), name];
  return lines.toSpliced(at, 1, `--${list}=${names.join(",")}`);
}
