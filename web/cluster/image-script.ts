import script from "../image/writer.ts?worker&url";

/** Where the script is of the Worker that writes an image of a cluster's memory. */
export const imageScript = (): string => new URL(script, import.meta.url).href;
