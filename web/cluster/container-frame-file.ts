import name from "virtual:container-frame";

/** Where the frame is in which Workers of containers run: beside this script, on whatever host that is. */
export const containerFrame = (): URL => new URL(name, import.meta.url);
