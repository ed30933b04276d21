/**
 * What the runtime puts before the image of a container that runs a stand-in: the tab does not have the
 * image (core/node/image, StandInScheme).
 */
const SCHEME = "stand-in://";

interface Status {
  name: string;
  image?: string;
  imageID?: string;
}

interface Whole {
  status?: Partial<
    Record<"containerStatuses" | "initContainerStatuses" | "ephemeralContainerStatuses", Status[]>
  >;
}

/** True for a container that runs, or ran, in the place of an image that the tab does not have. */
export function isStandIn({ imageID }: { imageID?: string }): boolean {
  return imageID?.startsWith(SCHEME) ?? false;
}

/** The images of a pod that the tab does not have, each once. */
export function standIns(pod: object): string[] {
  const { status = {} } = pod as Whole;
  const all = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  return [...new Set(all.filter(isStandIn).map(({ image, name }) => image ?? name))];
}

/** One sentence for whoever looks at a pod; "" when the tab has all of its images. */
export function standInWords(pod: object): string {
  const images = standIns(pod);
  if (images.length === 0) return "";
  const [what, it] = images.length === 1 ? ["image", "its"] : ["images", "their"];
  return `The tab does not have the ${what} ${images.join(", ")}. In ${it} place a stand-in runs: it has a shell and its tools, otherwise idles, and listens on no port.`;
}
