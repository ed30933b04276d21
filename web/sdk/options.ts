import type { ClusterConfig } from "../rpc/protocol.ts";

/** What a cluster is made with. Everything has a default. */
export interface ClusterOptions {
  /**
   * The folder with the cluster's module and its manifest.json: `assets/` of a published site of
   * Tabernetes. By default the one beside the folder that this script was loaded from. On another
   * origin it has to allow cross-origin requests (`Access-Control-Allow-Origin`).
   */
  assets?: string | URL;
  /** In-tab nodes at start: 0 to 50, by default 3. */
  nodes?: number;
  /** Whole cores of each node: 1 to 64. */
  nodeCPU?: number;
  /** MiB of memory of each node: 256 to 65,536. */
  nodeMemory?: number;
  /** Whether images that the tab does not have fail to pull; otherwise a stand-in runs. */
  refuseImages?: boolean;
  /** A KubeSchedulerConfiguration in YAML. */
  schedulerConfig?: string;
  /** An AdmissionConfiguration in YAML. */
  admissionConfig?: string;
  /**
   * Any files of the control plane's configuration, by their names (docs/configuration.md):
   * `{ "kube-apiserver.flags": "--etcd-prefix=/lab", "audit.yaml": "…" }`. What Kubernetes refuses of them
   * has the cluster not start, and `ready` says why.
   */
  configuration?: Readonly<Record<string, string>>;
  /** Manifests in YAML or JSON, applied one after the other before `ready` resolves. */
  manifests?: readonly string[];
  /**
   * A lesson that it is made for, by the whole address of its folder, or of a scenario's index.json:
   * `new URL("lessons/first/", document.baseURI)`. It has as many nodes as the lesson wants, if `nodes` does
   * not say, and after `manifests`, before `ready` resolves, the state that the first step begins with.
   */
  lesson?: string | URL;
}

/** The greatest manifest that is taken, in UTF-16 code units. */
const MAX_MANIFEST = 4 << 20;

const BOUNDS = { nodes: [0, 50], nodeCPU: [1, 64], nodeMemory: [256, 65_536] } as const;

const KNOWN: readonly string[] = [
  "assets",
  ...Object.keys(BOUNDS),
  "refuseImages",
  "schedulerConfig",
  "admissionConfig",
  "configuration",
  "manifests",
  "lesson",
] satisfies (keyof ClusterOptions)[] | string[];

/** What was given, checked: it may come from an attribute, an address or another script. */
export interface Checked {
  readonly assets: URL;
  readonly config: ClusterConfig;
  readonly manifests: readonly string[];
  readonly lesson: URL | undefined;
}

/** Throws a TypeError that names the option, what it was and what it may be. */
export function check(options: ClusterOptions, beside: URL): Checked {
  const unknown = Object.keys(options).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(
      `createCluster knows no option "${unknown.slice(0, 80)}": ${KNOWN.join(", ")}`,
    );
  }
  const config: ClusterConfig = { nodes: 3 };
  for (const name of ["nodes", "nodeCPU", "nodeMemory"] as const) {
    const value: unknown = options[name];
    if (value === undefined) continue;
    const [min, max] = BOUNDS[name];
    if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
      throw new TypeError(`createCluster: ${name} is a whole number from ${min} to ${max}`);
    }
    config[name] = value;
  }
  const refuseImages: unknown = options.refuseImages;
  if (typeof refuseImages === "boolean") config.refuseImages = refuseImages;
  else if (refuseImages !== undefined) {
    throw new TypeError("createCluster: refuseImages is true or false");
  }
  for (const name of ["schedulerConfig", "admissionConfig"] as const) {
    const value: unknown = options[name];
    if (value !== undefined) config[name] = text(name, value);
  }
  if (options.configuration !== undefined) config.configuration = filesOf(options.configuration);
  const manifests: unknown = options.manifests ?? [];
  if (!Array.isArray(manifests)) throw new TypeError("createCluster: manifests is a list of texts");
  return {
    assets: assetsOf(options.assets, beside),
    config,
    manifests: manifests.map((manifest) => text("a manifest", manifest)),
    lesson: options.lesson === undefined ? undefined : lessonOf(options.lesson),
  };
}

/** Files by their names, which the cluster holds to what it takes. */
function filesOf(given: unknown): Record<string, string> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new TypeError(
      "createCluster: configuration is an object: the names of files and their texts",
    );
  }
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      text(`configuration: ${name.slice(0, 80)}`, value),
    ]),
  );
}

/** A text of a manifest's or a configuration's size. */
export function text(what: string, value: unknown): string {
  if (typeof value !== "string") throw new TypeError(`${what} is a text of YAML or JSON`);
  if (value.length > MAX_MANIFEST) {
    throw new TypeError(`${what} has ${value.length} characters: ${MAX_MANIFEST} are allowed`);
  }
  return value;
}

function lessonOf(given: string | URL): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new TypeError(
      'createCluster: lesson is the whole address of a folder, by http or https: new URL("lessons/first/", document.baseURI)',
    );
  }
  return url;
}

function assetsOf(given: string | URL | undefined, beside: URL): URL {
  let url: URL;
  try {
    url = new URL(given ?? "../assets/", beside);
  } catch {
    throw new TypeError(`createCluster: assets is the address of a folder`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`createCluster: assets is loaded by http or https, not ${url.protocol}`);
  }
  // Without the slash the folder's own name would be replaced by the file's.
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}
