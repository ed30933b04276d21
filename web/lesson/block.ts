/** A condition of an object, as `kubectl wait` waits for it. */
export interface Until {
  /** "deploy/nginx". */
  readonly object: string;
  /** "condition=Available", "jsonpath=…", "delete" or "create". */
  readonly reached: string;
  readonly namespace: string | undefined;
}

/**
 * The lines of a block that are commands. Where one begins with a prompt, "$ ", only those that do
 * are, with what continues them: the others are what was printed.
 */
export function scriptOf(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  if (!lines.some((line) => PROMPT.test(line))) return text.trim();
  const script: string[] = [];
  let goesOn = false;
  for (const line of lines) {
    if (!goesOn && !PROMPT.test(line)) continue;
    const command: string = line.replace(goesOn ? /^> ?/ : PROMPT, "");
    script.push(command);
    goesOn = command.endsWith("\\");
  }
  return script.join("\n").trim();
}

const PROMPT = /^\s*\$ /;

/**
 * Reads "deploy/nginx Available", "pod/web Ready -n demo", "job/pi jsonpath={.status.active}=1" or
 * "pod/web delete". Throws an Error that says what it may be.
 */
export function parseUntil(text: string): Until {
  const words = text.trim().split(/\s+/);
  const at = words.indexOf("-n");
  const namespace = at === -1 ? undefined : words.splice(at, 2)[1];
  const [object, what, ...more] = words;
  if (!object || !what || more.length > 0 || !OBJECT.test(object) || !WHAT.test(what)) {
    throw new Error(
      `until="${text.slice(0, 80)}" is not understood: write KIND/NAME and a condition, such as "deploy/nginx Available"`,
    );
  }
  if (at !== -1 && !NAME.test(namespace ?? "")) {
    throw new Error(`until="${text.slice(0, 80)}" names no namespace after -n`);
  }
  const reached = /^(jsonpath|delete|create)\b/.test(what) ? what : `condition=${what}`;
  return { object, reached, namespace };
}

// A word that begins with "-" would be taken for a flag.
const OBJECT = /^[a-z][a-z0-9.]*\/[a-zA-Z0-9][\w.:-]*$/;
const WHAT = /^(?:[A-Za-z][\w./-]*(?:=\w+)?|jsonpath=\S+)$/;
const NAME = /^[a-z0-9][a-z0-9-]*$/;

/** kubectl's arguments that wait for it. */
export function waitFor({ object, reached, namespace }: Until, seconds: number): string[] {
  return [
    "kubectl",
    "wait",
    object,
    `--for=${reached}`,
    `--timeout=${seconds}s`,
    ...(namespace === undefined ? [] : ["-n", namespace]),
  ].slice(1);
}
