import script from "../container/container.ts?worker&url";

/** Where the script is of which the cluster's Worker starts those of containers. */
export const containerScript = (): string => new URL(script, import.meta.url).href;
